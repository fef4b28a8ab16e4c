"""Containers with one iteration order, and names that are numbered, never random.

The compiler must print the same bytes for the same input.  A built-in `set` of strings or of
objects iterates in an order that changes between processes, so passes use `OrderedSet` and
`Worklist` instead, and take new names from a `Namer`.  Order is always order of insertion.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, MutableSet
from typing import Generic, TypeVar

T = TypeVar("T")

__all__ = ["Namer", "OrderedSet", "Worklist"]


class OrderedSet(MutableSet[T]):
    """A set that iterates in the order in which its elements were first added.

    Two ordered sets are equal when they hold the same elements, whatever the order, as for `set`.

    >>> s = OrderedSet("hello")
    >>> s
    OrderedSet(['h', 'e', 'l', 'o'])
    >>> s | OrderedSet("world") == set("helowrd")
    True
    >>> s.pop()
    'o'
    """

    __slots__ = ("_items",)

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._items: dict[T, None] = dict.fromkeys(items)

    def __contains__(self, item: object) -> bool:
        return item in self._items

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def __reversed__(self) -> Iterator[T]:
        return reversed(self._items)

    def __len__(self) -> int:
        return len(self._items)

    def __repr__(self) -> str:
        return f"OrderedSet({list(self._items)!r})"

    def add(self, item: T) -> None:
        """Add `item` at the end; an element already present keeps its place."""
        self._items[item] = None

    def discard(self, item: T) -> None:
        """Remove `item` if it is present."""
        self._items.pop(item, None)

    def pop(self) -> T:
        """Remove and return the element added last (`KeyError` when empty)."""
        return self._items.popitem()[0]

    def clear(self) -> None:
        """Remove every element."""
        self._items.clear()

    def update(self, *others: Iterable[T]) -> None:
        """Add the elements of every iterable, in order."""
        for other in others:
            self._items.update(dict.fromkeys(other))

    def copy(self) -> OrderedSet[T]:
        """Return a new set with the same elements in the same order."""
        return OrderedSet(self._items)


class Worklist(Generic[T]):
    """A first-in, first-out queue in which an element waits at most once.

    An element that was taken out may be pushed again.  Iterating takes elements out until the
    queue is empty, so the body of the loop may push.

    >>> work = Worklist([3, 1])
    >>> for n in work:
    ...     print(n)
    ...     if n == 3:
    ...         _ = work.push(1)      # already waiting: no effect
    ...         _ = work.push(7)
    3
    1
    7
    """

    __slots__ = ("_queue", "_waiting")

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._queue: deque[T] = deque()
        self._waiting: set[T] = set()
        self.extend(items)

    def push(self, item: T) -> bool:
        """Append `item` unless it is waiting already; say whether it was appended."""
        if item in self._waiting:
            return False
        self._waiting.add(item)
        self._queue.append(item)
        return True

    def extend(self, items: Iterable[T]) -> None:
        """Push every item."""
        for item in items:
            self.push(item)

    def pop(self) -> T:
        """Remove and return the element that waited longest (`IndexError` when empty)."""
        item = self._queue.popleft()
        self._waiting.discard(item)
        return item

    def __iter__(self) -> Iterator[T]:
        while self._queue:
            yield self.pop()

    def __contains__(self, item: object) -> bool:
        return item in self._waiting

    def __len__(self) -> int:
        return len(self._queue)

    def __repr__(self) -> str:
        return f"Worklist({list(self._queue)!r})"


class Namer:
    """Hand out names that differ from each other and from the names taken before.

    The first request for a stem gets the stem, the next ones a number.

    >>> namer = Namer(taken=["x"])
    >>> [namer.fresh(stem) for stem in ("s.c", "s.c", "s.c", "x")]
    ['s.c', 's.c1', 's.c2', 'x1']
    """

    __slots__ = ("_next", "_taken")

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken: set[str] = set(taken)
        self._next: dict[str, int] = {}

    def fresh(self, stem: str) -> str:
        """Return `stem`, or `stem` and the smallest number not yet tried that makes it free."""
        name = stem
        number = self._next.get(stem, 0)
        if number:
            name = f"{stem}{number}"
        while name in self._taken:
            number += 1
            name = f"{stem}{number}"
        # Remember where to go on, so that n requests for one stem cost n steps, not n squared.
        self._next[stem] = number
        self._taken.add(name)
        return name

    def __contains__(self, name: object) -> bool:
        return name in self._taken

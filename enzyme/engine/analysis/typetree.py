"""Type trees: what is known about the bytes of a value and of the memory behind it.

A tree maps a path to a `ConcreteType`. A path is a tuple of byte offsets: ``(-1,)`` says something about every
offset of the value itself, ``(-1, 8)`` about byte 8 behind the pointer, and so on; -1 stands for every
offset. The canonical text is ``{[-1]:Pointer, [-1,-1]:Float@double}``, paths in lexicographic order.

Invariant: a tree never changes after it was made, and holds no entry that an entry with -1 implies.
Offsets from `MAX_OFFSET` on and paths longer than `MAX_DEPTH` are dropped silently: the tree then says
less, never something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from enzyme.engine.ir.types import FLOAT_TYPES, FloatType, Type
from enzyme.errors import IllegalTypeAnalysisException
from enzyme.source import SourceLoc

MAX_OFFSET = 512
MAX_DEPTH = 6

Path = tuple[int, ...]


class ConcreteType:
    """What some bytes are. Kinds are compared by identity; `size` is 0 where any size is possible."""

    __slots__ = ("float_type", "size", "text")

    def __init__(self, text: str, size: int, float_type: FloatType | None = None) -> None:
        self.text = text
        self.size = size
        self.float_type = float_type

    @property
    def is_float(self) -> bool:
        return self.float_type is not None

    def __repr__(self) -> str:
        return self.text

    def __reduce__(self) -> tuple[object, ...]:
        return (kind_of_text, (self.text,))


UNKNOWN = ConcreteType("Unknown", 0)
ANYTHING = ConcreteType("Anything", 0)
NO_FLOAT = ConcreteType("NoFloat", 0)
INTEGER = ConcreteType("Integer", 0)
POINTER = ConcreteType("Pointer", 8)
FLOAT_KINDS: dict[FloatType, ConcreteType] = {
    t: ConcreteType(f"Float@{name}", (t.bits + 7) // 8, t) for name, t in FLOAT_TYPES.items()
}
# What only accesses with tags tell of memory (see `typetags`).  In trees alone: a function hands it to another.
TOLD = {
    k: ConcreteType(f"Told@{k.text}", k.size, k.float_type)
    for k in (INTEGER, POINTER, *FLOAT_KINDS.values())
}
_UNTOLD = {told: kind for kind, told in TOLD.items()}
# What tags contradict each other about: floats may be among it, or integers and addresses only.
SEVERAL = (ANYTHING, NO_FLOAT)
_BY_TEXT = {
    k.text: k for k in (UNKNOWN, *SEVERAL, INTEGER, POINTER, *FLOAT_KINDS.values(), *TOLD.values())
}
_BY_TEXT["Float@fp80"] = _BY_TEXT["Float@x86_fp80"]


def untold(kind: ConcreteType) -> ConcreteType:
    """The kind itself, whoever tells of it."""
    return _UNTOLD.get(kind, kind)


def kind_of_text(text: str) -> ConcreteType:
    """The kind that `text` names; `ValueError` if there is none."""
    found = _BY_TEXT.get(text)
    if found is None:
        raise ValueError(f"{text!r} names no kind; known are {', '.join(_BY_TEXT)}")
    return found


def float_kind(type_: Type) -> ConcreteType:
    """The kind of a floating-point scalar type."""
    assert isinstance(type_, FloatType)
    return FLOAT_KINDS[type_]


def join_kinds(first: ConcreteType, second: ConcreteType) -> ConcreteType | None:
    """What both facts together say: None where they contradict."""
    if first is second or second is UNKNOWN:
        return first
    if first is UNKNOWN:
        return second
    if first in SEVERAL or second in SEVERAL:
        return ANYTHING
    if first in _UNTOLD or second in _UNTOLD:
        if untold(first) is untold(second):
            return untold(first)
        return ANYTHING if first in _UNTOLD and second in _UNTOLD else None
    return None


_IN_WORDS = {
    "Integer": "an integer",
    "Pointer": "an address",
    "Float@half": "a float of 16 bits",
    "Float@float": "a float of 32 bits",
    "Float@double": "a float of 64 bits",
}


def illegal(
    where: SourceLoc | str | None,
    first: ConcreteType,
    why_first: str,
    second: ConcreteType,
    why_second: str,
    code: str | None = None,
) -> Exception:
    """The error for bytes that are used as two types; `code` is the IR that does so."""
    found = ((first, why_first), (second, why_second))
    deductions = tuple(
        _IN_WORDS.get(kind.text, kind.text) + (f" ({why})" if why else "") for kind, why in found
    )
    return IllegalTypeAnalysisException(
        where=where,
        what="the same bytes are used as two types",
        why=f"they are {' and '.join(deductions)}",
        todo=(
            "give both uses one type, as in `x if c else 0.0` instead of `x if c else 0`",
            "or keep floats and integers in arrays of their own",
        ),
        ir=code,
        deductions=deductions,
    )


class TypeTree:
    """Paths to kinds. Build with `parse`, `TypeTree(mapping)` or `TypeTree.scalar`.

    >>> t = TypeTree.parse("{[-1]:Pointer, [-1,0]:Float@double}")
    >>> str(t.data0())
    '{[0]:Float@double}'
    >>> str(t.or_with(TypeTree.parse("{[-1,8]:Pointer}")))
    '{[-1]:Pointer, [-1,0]:Float@double, [-1,8]:Pointer}'
    """

    __slots__ = ("_hash", "_map")

    def __init__(
        self, entries: Mapping[Path, ConcreteType] | Iterable[tuple[Path, ConcreteType]] = ()
    ) -> None:
        items = entries.items() if isinstance(entries, Mapping) else entries
        kept: dict[Path, ConcreteType] = {}
        for path, kind in sorted(items, key=lambda item: item[0]):
            if kind is UNKNOWN or len(path) > MAX_DEPTH or any(p >= MAX_OFFSET for p in path):
                continue
            implied = _covering(kept, path)
            if implied is kind:
                continue
            if implied is not None and join_kinds(implied, kind) is None:
                raise illegal(
                    f"at {_path_text(path)}", implied, "every offset", kind, "this offset"
                )
            kept[path] = kind
        self._map = kept
        self._hash = 0

    @staticmethod
    def of_valid(entries: dict[Path, ConcreteType]) -> TypeTree:
        """A tree of entries that are known to be consistent, within the limits, and not implied."""
        if not entries:
            return EMPTY
        made = TypeTree.__new__(TypeTree)
        made._map = dict(sorted(entries.items()))
        made._hash = 0
        return made

    @staticmethod
    def scalar(kind: ConcreteType) -> TypeTree:
        """A value that is of one kind throughout."""
        return _SCALARS[kind]

    @staticmethod
    def parse(text: str) -> TypeTree:
        """Read the canonical text; ``""`` and ``{}`` are the empty tree."""
        body = text.strip()
        if body in ("", "{}"):
            return EMPTY
        if not (body.startswith("{") and body.endswith("}")):
            raise ValueError(f"a type tree stands in braces, not {text!r}")
        entries: list[tuple[Path, ConcreteType]] = []
        for match in re.finditer(r"\s*\[([-\d,\s]*)\]\s*:\s*([\w@]+)\s*(?:,|$)|(\S.*)", body[1:-1]):
            if match.group(3):
                raise ValueError(f"cannot read {match.group(3)!r} in type tree {text!r}")
            digits = match.group(1).strip()
            path = tuple(int(p) for p in digits.split(",")) if digits else ()
            entries.append((path, kind_of_text(match.group(2))))
        return TypeTree(entries)

    def __str__(self) -> str:
        listed = (f"{_path_text(path)}:{kind.text}" for path, kind in self._map.items())
        return "{" + ", ".join(listed) + "}"

    def __repr__(self) -> str:
        return f"TypeTree.parse({str(self)!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TypeTree) and self._map == other._map

    def __hash__(self) -> int:
        if not self._hash:
            self._hash = hash(tuple((path, kind.text) for path, kind in self._map.items()))
        return self._hash

    def __bool__(self) -> bool:
        return bool(self._map)

    def __len__(self) -> int:
        return len(self._map)

    def __iter__(self) -> Iterator[tuple[Path, ConcreteType]]:
        return iter(self._map.items())

    # Questions ----------------------------------------------------------------------------------

    def lookup(self, *path: int) -> ConcreteType:
        """The kind at a path; an entry with -1 answers for every offset."""
        return self._map.get(path) or _covering(self._map, path) or UNKNOWN

    def implies(self, other: TypeTree) -> bool:
        """Does it say all that the other says?"""
        return all(self.lookup(*path) is kind for path, kind in other)

    @property
    def is_told(self) -> bool:
        """Does it say what only tags tell, or that they tell several things?"""
        return any(kind in SEVERAL or kind in _UNTOLD for kind in self._map.values())

    @property
    def inner(self) -> ConcreteType:
        """The kind of the value as a whole: at every offset, or else at offset 0."""
        return self.lookup(0)

    # Making other trees ---------------------------------------------------------------------------

    def or_with(self, other: TypeTree, mine: str = "first", theirs: str = "second") -> TypeTree:
        """Both trees' facts. `mine` and `theirs` say in the error where each tree comes from."""
        if not other._map or self is other:
            return self
        if not self._map:
            return other
        joined = dict(self._map)
        for path, kind in other._map.items():
            found = joined.get(path) or _covering(self._map, path) or UNKNOWN
            both = join_kinds(found, kind)
            if both is None:
                raise illegal(f"at {_path_text(path)}", found, mine, kind, theirs)
            joined[path] = both
        for path, kind in self._map.items():
            found = _covering(other._map, path) or kind
            if join_kinds(found, kind) is None:
                raise illegal(f"at {_path_text(path)}", kind, mine, found, theirs)
        return TypeTree(joined)

    def only(self, offset: int) -> TypeTree:
        """The tree of something that holds this tree at `offset`."""
        return TypeTree(((offset, *path), kind) for path, kind in self._map.items())

    def data0(self) -> TypeTree:
        """What stands at offset 0: for a pointer, the tree of what it points to."""
        behind = [
            (path, kind) for path, kind in self._map.items() if len(path) > 1 and path[0] in (-1, 0)
        ]
        if behind and behind[0][0][0] == behind[-1][0][0]:
            return TypeTree.of_valid({path[1:]: kind for path, kind in behind})
        return TypeTree((path[1:], kind) for path, kind in behind)

    def pointer(self) -> TypeTree:
        """The tree of a pointer to memory that looks like this tree."""
        return self.only(-1).or_with(TypeTree.scalar(POINTER))

    def shift(self, start: int, size: int | None = None, to: int = 0) -> TypeTree:
        """The bytes `start` to `start + size` (None: to the end), moved to offset `to`."""
        moved: list[tuple[Path, ConcreteType]] = []
        for path, kind in self._map.items():
            if not path:
                continue
            if path[0] == -1 and (size is None or size % max(kind.size, 1) or kind is INTEGER):
                moved.append((path, kind))
            elif path[0] == -1:
                step = max(kind.size, 1) if len(path) == 1 else 8
                moved += [((to + k, *path[1:]), kind) for k in range(0, size or 0, step)]
            elif path[0] >= start and (size is None or path[0] < start + size):
                moved.append(((path[0] - start + to, *path[1:]), kind))
        return TypeTree(moved)


def _covering(entries: Mapping[Path, ConcreteType], path: Path) -> ConcreteType | None:
    """The kind of an entry that has -1 in some places where `path` has an offset."""
    if len(path) == 1:
        return entries.get((-1,))
    choices = [0]
    for place, offset in enumerate(path):
        if offset != -1:
            choices += [mask | 1 << place for mask in choices]
    for mask in choices[1:]:
        found = entries.get(tuple(-1 if mask >> k & 1 else p for k, p in enumerate(path)))
        if found is not None:
            return found
    return None


def _path_text(path: Path) -> str:
    return "[" + ",".join(map(str, path)) + "]"


EMPTY = TypeTree()
_SCALARS: dict[ConcreteType, TypeTree] = {k: TypeTree([((-1,), k)]) for k in _BY_TEXT.values()}

__all__ = [
    "ANYTHING",
    "EMPTY",
    "FLOAT_KINDS",
    "INTEGER",
    "MAX_DEPTH",
    "MAX_OFFSET",
    "NO_FLOAT",
    "POINTER",
    "SEVERAL",
    "TOLD",
    "UNKNOWN",
    "IllegalTypeAnalysisException",
    "ConcreteType",
    "TypeTree",
    "float_kind",
    "illegal",
    "join_kinds",
    "kind_of_text",
    "untold",
]

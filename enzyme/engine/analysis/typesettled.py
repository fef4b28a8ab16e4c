"""What a fixed point has been told of already: it goes on only with what has changed since."""

from __future__ import annotations

from collections.abc import Callable, Hashable

State = tuple[object, ...]


class Settled:
    """States of regions of memory, and those in which somebody saw them last."""

    def __init__(self) -> None:
        self._states: dict[int, tuple[State, State]] = {}
        self._seen: dict[Hashable, State] = {}

    def state(self, region: int, stamp: State, state: Callable[[], State]) -> State:
        """The state of a region, found anew if its stamp is another; equal ones are the same object."""
        known = self._states.get(region)
        if known is not None and known[0] == stamp:
            return known[1]
        now = state()
        if known is not None and known[1] == now:
            now = known[1]
        self._states[region] = (stamp, now)
        return now

    def is_known(self, key: Hashable, now: State) -> bool:
        """Is this what was said under this key last?"""
        if self._seen.get(key) == now:
            return True
        self._seen[key] = now
        return False

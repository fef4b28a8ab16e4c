"""The storage of kept values: regions, and the rooms in which some of them lie."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from enzyme.engine.analysis.loops import Loop
from enzyme.engine.ir.values import Value
from enzyme.engine.synthesis.cache_layout import Home
from enzyme.engine.synthesis.frame import Slot


@dataclass(slots=True, eq=False)
class Region:
    """Storage of one home: an array for each value, or an entry where one iteration has a record of its own.

    `offsets` are bytes before each value, for one entry; `bases` holds where the arrays begin: addresses, or bytes from
    the beginning of a record of the `room` in which the region lies. Values that are computed side by side have one
    array, in which `lanes` says which of how many a value is.
    """

    home: Home
    values: list[Value] = field(default_factory=list)
    offsets: dict[Value, int] = field(default_factory=dict)
    entry_size: int = 0
    bases: dict[Value, Slot] = field(default_factory=dict)
    lanes: dict[Value, tuple[int, int]] = field(default_factory=dict)
    room: Room | None = None

    @property
    def growing(self) -> bool:
        return self.home.growing is not None

    @property
    def arrays(self) -> tuple[Loop, ...]:
        """The loops that index an array."""
        return self.home.indexed[0 if self.room is None else len(self.room.common) :]


@dataclass(slots=True, eq=False)
class Room:
    """Records of one size, for each iteration of the `common` loops, whose lengths are known, or of the growing one.

    A record holds the regions of one bundle, one behind the other: no iteration fills two bundles.
    `base` is where the records begin, `position` that of the current record where they grow, `capacity` how many there
    is room for, and `record` the bytes of one, where that is no constant.
    """

    bundles: list[list[Region]]
    common: tuple[Loop, ...] = ()
    base: Slot | None = None
    position: Slot | None = None
    capacity: Slot | None = None
    record: Slot | None = None
    record_size: int = 0

    def __post_init__(self) -> None:
        for region in self.regions():
            region.room = self

    def regions(self) -> Iterator[Region]:
        for bundle in self.bundles:
            yield from bundle

    @property
    def home(self) -> Home:
        """Where the loops around begin, the same for all regions."""
        return self.bundles[0][0].home

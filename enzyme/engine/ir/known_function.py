"""What a function does whose body the engine does not see or need not look at: the form of such statements.

Rows of this form stand in `analysis.known_functions` for what LLVM and the engine itself call, and in the
`RuntimeModel` of a program for what its run time has.
"""

from __future__ import annotations

from dataclasses import dataclass, field

Operands = frozenset[int]
NONE: Operands = frozenset()
FRESH = "pointer to fresh memory"
COUNTED = "counted object that holds the address of fresh memory"
WHAT_IT_WAS_GIVEN = "what it was given"
# On what boundary memory lies that nobody asks to lie on a wider one, in bytes.
ALIGNMENT = 16
# Types of what is behind a pointer that depend on the call, see `pointees`.
BLAS = "blas"
NUMBER = "number"

_MOVES_NO_NUMBERS = frozenset(
    "allocate free retain release hold release_owned release_many hint inactive pure items resize insert key".split()
)


@dataclass(frozen=True, slots=True)
class KnownFunction:
    """The row of one function.

    `kind` is one of ``allocate``, ``reallocate``, ``free``, ``retain``, ``release``, ``memory`` (copies and
    sets), ``hold`` and ``release_owned`` (an arena becomes owner of an object; it releases what it owns),
    ``release_many`` (releases an object as often as operand 1 says), ``items`` (asks a growing object for its data),
    ``resize`` (changes how much that is; nothing moves by index), ``insert`` (changes an object as its shadow must
    change: adds an entry of zeros, takes one out), ``key`` (uses a number as a key, which has no derivative), ``hint``
    (no effect), ``inactive`` (effects outside the program's numbers), ``pure`` (a number computed from numbers),
    ``numeric`` (computes on memory, as BLAS does) and ``external`` (from attributes).
    `captures` lists operands that others may know of while the call runs or behind it, `keeps` those that somebody may
    hold behind it (None: those that it captures). `returns` is FRESH, COUNTED, WHAT_IT_WAS_GIVEN, or "" for anything
    else; `returns_operand` names the operand it returns. `reads_other` and `writes_other` speak of memory not behind an
    operand. `reexecutable`: running it again with the same operands and memory gives the same result and no further
    effect. `data_offset`: where a counted object has the address of its data. `movable_data`: this address may change
    during the object's life (growing lists). `header_size`: so many bytes of the data are integers (the length of a
    list), before elements of one size. `data_slot`: where the object of kind ``items`` has the address that is
    returned. `bits`: integers among operands and result may be the bits of floats. `pointees` gives type trees of
    pointer operands; BLAS stands for the float type that the character in operand 0 names, NUMBER for that of operand
    0. `aligned`: the function that does the same on a boundary, which is its operand 0.
    """

    name: str
    kind: str
    reads: Operands = NONE
    writes: Operands = NONE
    captures: Operands = NONE
    keeps: Operands | None = None
    reads_other: bool = False
    writes_other: bool = False
    returns: str = ""
    returns_operand: int | None = None
    size_operand: int | None = None
    count_operand: int | None = None
    zero_filled: bool = False
    data_offset: int | None = None
    movable_data: bool = False
    header_size: int = 0
    data_slot: int | None = None
    length_operand: int | None = None
    reexecutable: bool = False
    bits: bool = False
    aligned: str = ""
    pointees: tuple[tuple[int, str], ...] = field(default=())

    @property
    def moves_no_numbers(self) -> bool:
        """Can it be differentiated by doing nothing, because no active value passes through it?"""
        return self.kind in _MOVES_NO_NUMBERS

    @property
    def integers(self) -> Operands:
        """Pointer operands to memory that holds integers only."""
        return frozenset(k for k, tree in self.pointees if "Integer" in tree)

    @property
    def allocates(self) -> bool:
        return self.returns in (FRESH, COUNTED)

"""Pointers, and bits of floats, whose way is not followed: the way to the shadow is not known either.

Memory behind such a pointer would count as constant, and as another object than the one that it leads to. So where an
object with derivatives may be lost like this, it is refused. What is followed stands in `Objects.underlying`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from enzyme.engine.analysis.activity_result import MIXING, ActivityResult, may_hold_pointer
from enzyme.engine.analysis.callgraph import CallGraph
from enzyme.engine.analysis.known_functions import effects_of, lookup_known, runtime_of
from enzyme.engine.analysis.typetree import POINTER, SEVERAL
from enzyme.engine.ir.dispatch import Dispatch, Refusal
from enzyme.engine.ir.instructions import (
    Call,
    Instruction,
    Load,
    Store,
)
from enzyme.engine.ir.module import Function, defined_callee
from enzyme.engine.ir.opcodes import ATOMICS, INSTRUCTIONS, opcodes
from enzyme.engine.ir.types import IntType
from enzyme.engine.ir.values import ConstExpr, ConstInt, Value, is_literal
from enzyme.engine.synthesis.failures import unsupported
from enzyme.errors import EnzymeNoDerivativeError

# Calls of other kinds return what they say, or objects that are not the program's.
_COMPUTES = ("pure", "external")
_ADDRESS_BITS = 64
_MAYBE_ADDRESSES = (POINTER, *SEVERAL)
_FIRST_PAGE = 4096
COPIES = ("llvm.memcpy", "llvm.memmove")


class LostAddresses:
    """Asked of each instruction of one function, before shadows are inserted for it."""

    def __init__(self, activity: ActivityResult) -> None:
        self.activity = activity
        self.objects = activity.oracle.objects

    def check(self, i: Instruction) -> None:
        """Raise if an object that may hold derivatives is lost here."""
        handler = LOST.handlers[i.opcode]
        if handler is not None:
            handler(self, i)

    def _check_number(self, i: Instruction) -> None:
        if any(map(self._may_hold_derivatives, _behind_number(i.operands[0]))):
            raise _as_number(i)

    def _check_atomic(self, i: Instruction) -> None:
        memory = i.operands[0]
        if (
            may_hold_pointer(i.type)
            and not self.activity.has_shadow(memory)
            and self._may_hold_derivatives(memory)
        ):
            raise unsupported(
                i,
                f"an address that an atomic operation ('{i.opcode}') reads",
                "it leads to memory that may hold derivatives, and where their shadow is cannot be told",
            )

    def check_result(self, i: Call) -> None:
        """The same for the pointer that a call returns, unless its derivative returns the shadow, too."""
        if (
            _loses(i)
            and not self._leads_to_no_float(i)
            and any(map(self._may_hold_derivatives, _pointers(i)))
        ):
            raise unsupported(
                i,
                f"call of '{i.callee_name}', which returns a pointer",
                "it may lead to memory that holds derivatives, and where their shadow is cannot be told",
                "compute the address by indexing",
            )

    def _check_store(self, i: Instruction) -> None:
        assert isinstance(i, Store)
        if i.value in self.activity.varied and self._is_lost(i.pointer):
            raise _to_nowhere(i)
        if _is_wide(i.value) and self._keeps_addresses(i):
            mirrored = self.activity.has_shadow(i.pointer)
            for pointer in _behind_number(i.value, loads=False):
                if mirrored or self._may_hold_derivatives(pointer):
                    raise _as_number(i)
        if any(map(self._reads_addresses, _loads_behind(i.value))):
            raise unsupported(
                i,
                "an address that is copied as a number, in parts or with others",
                "it leads to memory that may hold derivatives, and its shadow is not copied",
                "copy with memcpy, or copy the members one by one",
            )

    def _reads_addresses(self, load: Load) -> bool:
        kinds = self.activity.types.accessed(load)
        return any(kind in _MAYBE_ADDRESSES for _, kind in kinds) and self._may_hold_derivatives(
            load.pointer
        )

    def _check_call(self, i: Instruction) -> None:
        assert isinstance(i, Call)
        if i.callee_name.startswith(COPIES):
            target, source = i.arguments[:2]
            if self.activity.is_varied_memory(source) and self._is_lost(target):
                raise _to_nowhere(i)
        callee = defined_callee(i)
        if callee is not None and any(a in self.activity.packed for a in i.arguments):
            self._check_bits(i, callee)
        numbers = [a for a in i.arguments if _is_wide(a)]
        if callee is None or not any(
            self._may_hold_derivatives(p) for a in numbers for p in _behind_number(a, loads=False)
        ):
            return
        for function in CallGraph([callee]).callees:
            if any(inner.opcode == "inttoptr" for inner in function.instructions()):
                raise _as_number(i)

    def _check_bits(self, i: Call, callee: Function) -> None:
        """The bits of floats in an integer that is passed on: are they made floats again?"""
        for function in CallGraph([callee]).callees:
            if any(map(_may_unpack, function.instructions())):
                raise unsupported(
                    i,
                    "floats packed into an integer",
                    "the bits of an active float are passed on, mixed with others",
                )

    def _may_hold_derivatives(self, pointer: Value) -> bool:
        """Has it a shadow, or would it have one if all that is stored there were known?"""
        return self.activity.has_shadow(pointer) or any(
            self.objects.is_local(o) for o in self.activity.oracle.underlying(pointer)
        )

    def _keeps_addresses(self, store: Store) -> bool:
        kinds = self.activity.types.accessed(store)
        return any(kind in _MAYBE_ADDRESSES for _, kind in kinds)

    def _leads_to_no_float(self, value: Value) -> bool:
        tree = list(self.activity.types.of(value))
        inner = [kind for path, kind in tree if len(path) > 1]
        return bool(inner) and not any(
            kind.is_float or kind.text in ("Unknown", "Anything") for kind in inner
        )

    def _is_lost(self, pointer: Value) -> bool:
        """Was this computed from another pointer in a way that is not followed?"""
        return any(
            (
                isinstance(end, Call)
                and _loses(end)
                and not (defined_callee(end) and self.activity.is_active_object(end))
                and any(not is_literal(p) for p in _pointers(end))
            )
            or (
                isinstance(end, Instruction)
                and end.opcode == "inttoptr"
                and any(not is_literal(p) for p in _behind_number(end.operands[0], loads=False))
            )
            or (isinstance(end, ConstExpr) and not _is_nowhere(end))
            for end in self.objects.ends(pointer)
        )


_IF_LOST = "if it leads to memory with derivatives"

LOST: Dispatch[Callable[[LostAddresses, Instruction], None]] = Dispatch(
    "lost_addresses",
    "whether it hides the way to memory with derivatives",
    INSTRUCTIONS,
    {
        name: Refusal(handler, EnzymeNoDerivativeError, when)
        for name, handler, when in (
            ("inttoptr", LostAddresses._check_number, _IF_LOST),
            ("store", LostAddresses._check_store, "of active values to no known memory"),
            ("call", LostAddresses._check_call, _IF_LOST),
            ("atomicrmw", LostAddresses._check_atomic, _IF_LOST),
            ("cmpxchg", LostAddresses._check_atomic, _IF_LOST),
        )
    },
    ignored=INSTRUCTIONS.keys()
    - {"inttoptr", "store", "call", "atomicrmw", "cmpxchg"}
    - {"invoke", "callbr", "indirectbr", "va_arg", *opcodes("exceptions")},
    elsewhere=dict.fromkeys(
        ("invoke", "callbr", "indirectbr", "va_arg", *opcodes("exceptions")), "constructs"
    ),
)


def _is_nowhere(place: ConstExpr) -> bool:
    """Is it in the first page, where no memory is? The pointer of an empty vector of Rust is its alignment."""
    number = place.operands[0]
    return (
        place.opcode == "inttoptr"
        and isinstance(number, ConstInt)
        and 0 <= number.value < _FIRST_PAGE
    )


def _may_unpack(i: Instruction) -> bool:
    """May an integer become a float here, or in memory?"""
    if isinstance(i, Store):
        return isinstance(i.value.type.scalar, IntType)
    return i.type.scalar.is_float and i.opcode in ("bitcast", "load")


def _to_nowhere(i: Instruction) -> EnzymeNoDerivativeError:
    return unsupported(
        i,
        "a store through a pointer of unknown origin",
        "an active value is stored, and which memory this is cannot be told",
        "compute the address by indexing",
    )


def _as_number(i: Instruction) -> EnzymeNoDerivativeError:
    return unsupported(
        i,
        "an address that is computed as a number",
        "it leads to memory that may hold derivatives, and where their shadow is cannot be told",
        "index the array, or take a view of it",
    )


def _loses(call: Call) -> bool:
    """Does a call return a pointer that it may have computed from others, in a way that nobody states?"""
    row = lookup_known(call)
    if not may_hold_pointer(call.type) or (row is not None and row.kind not in _COMPUTES):
        return False
    if runtime_of(call).adapts(call.callee_name):
        return False
    effects = effects_of(call)
    return effects.returns_operand is None and not effects.allocates


def _pointers(call: Call) -> list[Value]:
    return [a for a in call.arguments if may_hold_pointer(a.type)]


def _is_wide(value: Value) -> bool:
    """Could the number be an address?"""
    scalar = value.type.scalar
    return isinstance(scalar, IntType) and scalar.bits >= _ADDRESS_BITS


def _behind_number(number: Value, loads: bool = True) -> Iterator[Value]:
    """The pointers that a number may be an address of, or memory (`loads`) that it may have been kept in.

    The difference of two addresses is a length.
    """
    pending, visited = [number], {number}
    while pending:
        value = pending.pop()
        more: list[Value] = []
        if not isinstance(value, (Instruction, ConstExpr)):
            continue
        if value.opcode in ("ptrtoint", "ptrtoaddr"):
            yield value.operands[0]
        elif isinstance(value, Load) or value.opcode in ATOMICS:
            if loads:
                yield value.operands[0]
        elif isinstance(value, Call):
            more = [a for a in value.arguments if _is_wide(a)]
            if loads:
                yield from _pointers(value)
        elif _is_wide(value) and not _is_difference(value):
            more = list(value.operands)
        for operand in more:
            if operand not in visited:
                visited.add(operand)
                pending.append(operand)


def _loads_behind(number: Value) -> Iterator[Load]:
    """The loads of integers whose bits a number is made of."""
    pending, visited = [number], {number}
    while pending:
        value = pending.pop()
        if not isinstance(value.type.scalar, IntType) or not isinstance(value, Instruction):
            continue
        if isinstance(value, Load):
            yield value
        elif value.opcode in MIXING or value.opcode == "bitcast":
            for operand in value.operands:
                if operand not in visited:
                    visited.add(operand)
                    pending.append(operand)


def _is_difference(value: Instruction | ConstExpr) -> bool:
    return value.opcode == "sub" and all(
        isinstance(o, (Instruction, ConstExpr)) and o.opcode in ("ptrtoint", "ptrtoaddr")
        for o in value.operands
    )

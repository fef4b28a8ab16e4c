"""The engine's refusals: what cannot be differentiated, where, and the way out.

The engine knows the instruction; `where` is filled in from its debug location when it has one, else by the
front end, which compiles again with debug information.
"""

from __future__ import annotations

from enzyme.engine.analysis.known_functions import runtime_of
from enzyme.engine.derivatives.blas.names import FORTRAN, refusal
from enzyme.engine.derivatives.catalogue import entry_of
from enzyme.engine.ir.dispatch import Selection
from enzyme.engine.ir.instructions import Call, Instruction, Load
from enzyme.engine.ir.metadata import location_of
from enzyme.engine.ir.module import Function
from enzyme.engine.ir.printer import print_instruction
from enzyme.engine.ir.values import GlobalVariable, RawConstant, Value
from enzyme.engine.synthesis.refusals import stands_at
from enzyme.engine.synthesis.request import AUGMENTED
from enzyme.errors import (
    EnzymeConstStorageError,
    EnzymeError,
    EnzymeNoDerivativeError,
    EnzymeRuntimeActivityError,
)

REWRITE_HINT = "rewrite this line with operations that have a derivative"
_GIVE_RULE = "put the call into a function of its own and give that one a rule: enzyme_rules.easy_rule(f, ...)"


def unsupported(i: Instruction, what: str, why: str = "", *todo: str) -> EnzymeNoDerivativeError:
    """An instruction that has no derivative (yet)."""
    error = EnzymeNoDerivativeError(
        where=location_of(i),
        what=f"no derivative is known for {what}",
        why=why or "an active value goes through it",
        todo=todo or (REWRITE_HINT, "or keep active values away from it: pass its inputs as Const"),
        ir=print_instruction(i).strip(),
    )
    stands_at(error, i)
    return error


def unknown_call(i: Call) -> EnzymeNoDerivativeError:
    if runtime_of(i).interprets(i.callee_name):
        return in_interpreter(i)
    return unsupported(i, *_reason(i), "or pass what reaches it as Const")


def _reason(i: Call) -> tuple[str, ...]:
    """What is called, why it has no derivative, and ways out."""
    fixed = runtime_of(i).fixed_addresses
    if fixed is not None and _comes_from(i.callee, fixed.prefix):
        return (
            fixed.described,
            "an active value reaches it, and the compiler sees none of its code",
            _GIVE_RULE,
        )
    if isinstance(i.callee, RawConstant):
        return (
            "inline assembly",
            "an active value reaches it, or memory with a shadow",
            "write it in the language around it",
        )
    if isinstance(i.callee, Function) and not i.callee.is_declaration:
        variadic = i.callee.function_type.vararg
        how = (
            "a variable number of arguments" if variadic else "another type than it is defined with"
        )
        return (
            f"the call of '{i.callee_name}' with {how}",
            "an active value reaches it",
            "pass the arguments that it is defined with",
        )
    if not i.callee_name:
        return (
            "a call of a function pointer",
            "an active value reaches it, and which function it is is not known at compile time",
            "pass functions as arguments of their own or in tuples, not in lists or objects",
            f"or {_GIVE_RULE}",
        )
    entry = entry_of(i)
    if entry is not None and entry.lacks_derivative:
        return (
            f"the call of external function '{i.callee_name}'",
            f"an active value reaches it, and it has no derivative here: {entry.note}",
            "call a function that the derivative table knows",
            f"or {_GIVE_RULE}",
        )
    refused = refusal(i.callee_name)
    if refused:
        why, todo = refused
        return (
            f"the call of '{i.callee_name.removeprefix(FORTRAN)}'",
            f"an active value reaches it, and it has no derivative here: {why}",
            todo,
            f"or {_GIVE_RULE}",
        )
    return (
        f"the call of external function '{i.callee_name}'",
        "an active value reaches it, and it is neither in the derivative table nor defined in the module",
        "write the function in Python or call one that the derivative table knows",
        f"or {_GIVE_RULE}",
    )


def lacks_partial(i: Call, why: str) -> EnzymeNoDerivativeError:
    """An active value goes where a function of the catalogue is not differentiated."""
    return unsupported(
        i,
        f"'{i.callee_name}' with respect to {why}",
        "an active value reaches this argument",
        "pass what reaches it as Const",
        f"or {_GIVE_RULE}",
    )


def _comes_from(callee: Value, prefix: str) -> bool:
    """Is it a pointer out of a global whose name begins like this?"""
    if not isinstance(callee, Load) or not isinstance(callee.pointer, GlobalVariable):
        return False
    return callee.pointer.name.startswith(prefix)


PASSED_ON = Selection(
    "failures",
    "an address is passed on by it: the error tells where it comes from",
    ("extractvalue", "insertvalue", "phi", "select"),
)


def no_shadow(function: Function, value: Value) -> EnzymeError:
    pending, visited = [value], {value}
    while pending:  # did the augmented form of a call give it?
        origin = pending.pop()
        if isinstance(origin, Instruction) and keeps_tapes(origin):
            return tapes_twice(origin)
        if isinstance(origin, Call) and runtime_of(origin).interprets(origin.callee_name):
            return in_interpreter(origin)
        if isinstance(origin, Instruction) and origin.opcode in PASSED_ON:
            more = [o for o in origin.operands if o not in visited]
            visited.update(more)
            pending += more
    where = location_of(value) if isinstance(value, Instruction) else None
    named = f" '{value.name}'" if value.name else ""
    passed = value.name or "x"
    return EnzymeRuntimeActivityError(
        where=where,
        what=f"constant memory{named} is used as differentiable data",
        why="it is stored into, or chosen together with, memory that has a shadow, but has none itself",
        todo=(
            f"pass it as Duplicated({passed}, make_zero({passed}))",
            "or use set_runtime_activity(mode) in a call from Python",
            "or restructure so that constants are not mixed in",
        ),
        value=value.name,
    )


def inactive_storage(call: Call) -> EnzymeError:
    """Memory that an inactive function made is where active data may be."""
    return _constant_memory(
        call,
        what="active data is stored in memory that was declared inactive, or is chosen or kept together with it",
        why="such memory is constant: all derivatives that pass through it would silently be zero",
        todo=(
            "copy what the inactive function returns: y = f(x).copy()",
            "or make the memory outside of the inactive function",
            "or do not declare an argument inactive that results are kept in",
        ),
    )


_STALE = "the derivative of what stood there would be kept, and be wrong"


def inactive_callee_writes(call: Call) -> EnzymeError:
    """An inactive function lets another one write to memory that carries a derivative."""
    return _constant_memory(
        call,
        what="an inactive function calls another one that writes to memory which carries a derivative",
        why=_STALE,
        todo=(
            "write to memory of its own in the inactive function, and copy that number by number",
            "or declare the argument inactive, or pass it as Const",
        ),
    )


def inactive_writes(store: Instruction) -> EnzymeError:
    """Memory that carries a derivative is written through what an inactive function returns."""
    return _constant_memory(
        store,
        what="memory that carries a derivative is written to through what an inactive function returns",
        why=_STALE,
        todo=(
            "copy what the inactive function returns: y = f(x).copy()",
            "or do not declare the function, or its argument, inactive",
        ),
    )


def const_storage(store: Instruction, origin: Value) -> EnzymeConstStorageError:
    """R25: an active value goes through memory that was declared constant."""
    name = origin.name
    is_global = isinstance(origin, GlobalVariable)
    what = (
        "the global variable" if is_global else "the constant memory" if name else "constant memory"
    )
    what += f" '{name}'" if name else ""
    todo = (
        ("pass the memory as an argument, Duplicated(x, make_zero(x))",)
        if is_global
        else (
            f"pass it as Duplicated({name or 'x'}, make_zero({name or 'x'}))",
            "or let the function write to a copy that it makes",
            "or clear_err_if_const_written(mode) to accept zeros",
        )
    )
    return _constant_memory(
        store,
        what=f"active data is stored in {what} and read back",
        why="all derivatives that pass through it would silently be zero",
        todo=todo,
        argument=name,
    )


def _constant_memory(
    where: Instruction, *, what: str, why: str, todo: tuple[str, ...], argument: str = ""
) -> EnzymeConstStorageError:
    error = EnzymeConstStorageError(
        where=location_of(where), what=what, why=why, todo=todo, argument=argument
    )
    stands_at(error, where)
    return error


def stores_addresses(call: Call) -> EnzymeNoDerivativeError:
    """A function without a body writes to memory with a shadow, where addresses may be kept."""
    return unsupported(
        call,
        f"the call of '{call.callee_name}', which may store addresses in memory with derivatives",
        "nothing is known of the memory that they lead to, and it has no shadow",
        "make this memory with malloc, or pass what the call writes to as Const",
    )


def moved_as_integers(store: Instruction) -> EnzymeNoDerivativeError:
    """Bits of active floats are stored as integers, and it is not known which float goes where."""
    return unsupported(
        store,
        "floats packed into an integer",
        "the bits of an active float were mixed with others, moved in parts, or together with integers,"
        " through a view of another type",
        "move the numbers as what they are: whole arrays, records or fields, or in a view whose items are the floats",
        "or say that they are constants: ignore_derivatives(x)",
    )


def in_interpreter(call: Call) -> EnzymeNoDerivativeError:
    """Objects come back from code that is not compiled."""
    interpreter = runtime_of(call).interpreter
    assert interpreter is not None
    return unsupported(
        call,
        interpreter.described,
        "active values go there, and what happens to them is not compiled",
        _GIVE_RULE,
        "or pass what reaches it as Const",
    )


def keeps_tapes(call: Instruction) -> bool:
    """Is this a call of a derivative's function that was not inlined, which returns a tape?"""
    return isinstance(call, Call) and call.callee_name.startswith(AUGMENTED)


def tapes_twice(call: Instruction) -> EnzymeNoDerivativeError:
    """A call that `keeps_tapes`, where it is differentiated again."""
    callee = call.callee if isinstance(call, Call) else None
    if isinstance(callee, Function) and callee.makes_constants:
        what = "an inactive function that writes to memory with a derivative, where that is differentiated again"
        todo = [
            "let it write to an array of its own, and copy that: tmp = np.empty_like(y); f(x, tmp); y[:] = tmp",
            "or to a list or an object in which nothing has a derivative",
            "or take the inner derivative in forward mode",
        ]
    else:
        what = "a recursive function that is differentiated twice"
        todo = [
            "write the recursion as a loop",
            "or differentiate once: call autodiff from Python",
        ]
    return unsupported(call, what, "the inner derivative keeps a tape for each of its calls", *todo)


def returned_pointer(call: Call) -> EnzymeNoDerivativeError:
    if keeps_tapes(call):
        return tapes_twice(call)
    return unsupported(call, f"the call of '{call.callee_name}', which returns a pointer by value")


def pointer_into_growing(instruction: Instruction) -> EnzymeNoDerivativeError:
    """The address of an item of a list that may grow is kept, as one of several."""
    return unsupported(
        instruction,
        "an item of a typed list that is chosen by a branch",
        "the items may have moved when the reverse pass reads them",
        "read the item where it is chosen",
    )

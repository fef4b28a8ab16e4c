"""Forward and backward passes that share one run of the function, for functions with several results.

The forward pass is the augmented primal of split mode; it leaves a block on the shelf and hands its number on.  The
backward pass takes the block, and does the same again where there is none.  Tangents, derivatives of derivatives and
whatever else does not need the block are those of a program that ignores the number.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-any-return"

from __future__ import annotations

import itertools
from typing import Any

import numba
import numpy as np
from numba import carray
from numba.core import types
from numba.core.cgutils import create_struct_proxy
from numba.extending import intrinsic

from enzyme.api.thunks import autodiff_thunk
from enzyme.api.values import closure, jitted
from enzyme.compiled.split import Split
from enzyme.errors import EnzymeError
from enzyme.interop.derivable import Derivable
from enzyme.interop.forms import Form, is_float
from enzyme.interop.jax import shelf
from enzyme.interop.jax.frames import pointer, put_word, word
from enzyme.interop.jax.handlers import WRONG_SHAPE
from enzyme.interop.jax.programs import Program
from enzyme.support.generated import generated
from enzymecore import (
    Active,
    Const,
    Duplicated,
    ReverseSplitModified,
    ReverseSplitNoPrimal,
    typeof,
)

NUMBER = Form("uint32", 1)
NUMBER_SHAPE = (2,)
_serial = itertools.count(1)


class Taped(Program):
    """A program that takes a number of the shelf behind its inputs, which it ignores; its adjoint of the inputs in
    `moving` does not, unless a batch of them would share it.

    `forward` is the program that gives the number behind its outputs.
    """

    def __init__(self, program: Program, moving: tuple[int, ...]) -> None:
        count = len(program.inputs)
        names = [f"x{k}" for k in range(count)]
        body = f"return f({', '.join(names)})"
        inner, name = jitted(program.derivable.f, count), program.derivable.name
        made = Derivable(closure(inner, ", ".join([*names, "t"]), body, name), count + 1, name)
        made.alone = program.derivable.alone
        label = f"{program.label} taped{moving}"
        super().__init__(made, (*program.inputs, NUMBER), program.outputs, label, program.owner)
        self.plain = program
        self.moving = moving
        self._passes = passes(program, moving)
        self.forward = self._forward(inner, names, name)

    def _forward(self, inner: Any, names: list[str], name: str) -> Program:
        outputs = [f"r[{k}]" for k in range(len(self.outputs))]
        if self.derivable.alone:
            outputs = ["r"]
        body = f"r = f({', '.join(names)})\n        return ({', '.join(outputs)}, np.zeros(2, np.uint32))"
        made = Derivable(closure(inner, ", ".join(names), body, name, np=np), len(names), name)
        made.alone = False
        outputs_too = (*self.outputs, NUMBER)
        found = Program(made, self.plain.inputs, outputs_too, f"{self.label} forward", self.owner)
        found.filling = self._passes[0]
        return found

    def _adjoint(self, wanted: tuple[int, ...], seeded: tuple[int, ...]) -> Any:
        made = super()._adjoint(wanted, seeded)
        if wanted == self.moving and seeded == self.moved:
            made.filling = self._passes[1]
            made.shared, made.spare = self.plain.adjoint(wanted, seeded), len(self.plain.inputs)
        return made


def taped(program: Program, moving: tuple[int, ...]) -> Taped | None:
    """The program with numbers of the shelf; None if split mode cannot do it."""
    return program._once(("taped", moving), _taped, program, moving)[0]


def _taped(program: Program, moving: tuple[int, ...]) -> tuple[Taped | None]:
    if any(form.ndim and not is_float(form) for form in program.outputs):
        return (None,)  # the backward pass does not know their shapes
    try:
        return (Taped(program, moving),)
    except EnzymeError:
        return (None,)


# --- code -----------------------------------------------------------------------------------------


def passes(program: Program, moving: tuple[int, ...]) -> tuple[Any, Any]:
    """Forward and backward pass, as functions that fill arrays: the first those of the outputs and one for the number,
    the other takes the number and cotangents, and adds to arrays of adjoints; both return the numbers in a tuple."""
    block = _Block(program, moving)
    scope = {**_SCOPE, **_thunk(program, moving), "PROGRAM": np.int64(next(_serial))}
    for form in (*program.inputs, *program.outputs):
        scope[form.dtype] = np.dtype(form.dtype).type
    for name, lines in (("run", block.run()), ("back", block.back())):
        scope[name] = _unboxed(generated(name, lines, scope))
    both = ("augmented", block.augmented()), ("backward", block.backward())
    augmented, backward = [_unboxed(generated(name, lines, scope)) for name, lines in both]
    return augmented, backward


_SCOPE: dict[str, Any] = {
    "np": np,
    "carray": carray,
    "pointer": pointer,
    "put_word": put_word,
    "word": word,
    "Const": Const,
    "Active": Active,
    "Duplicated": Duplicated,
    **{
        name: getattr(shelf, name)
        for name in (
            "put_number same_number copied copied_back cleared same added opened closed or_closed shelved taken"
        ).split()
    },
}


def _unboxed(f: Any) -> Any:
    """Jitted, but not for Python, which knows no tapes of compiled code."""
    jitted = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)  # type: ignore[call-overload]
    return jitted(f)


def _thunk(program: Program, moving: tuple[int, ...]) -> dict[str, Any]:
    """The two functions of a split thunk, for jitted code, and what it does with tapes."""
    annotated: list[Any] = []
    for k, form in enumerate(program.inputs):
        kind = Const if k not in moving else Duplicated if form.ndim else Active
        annotated.append(kind[_sample(form, form.ndim)])
    for form in program.outputs:
        kind = Duplicated if is_float(form) else Const
        annotated.append(kind[_sample(form, max(1, form.ndim))])
    filled = _filled(program)
    mode = ReverseSplitModified(ReverseSplitNoPrimal, (False,) * (1 + len(annotated)))
    forward, reverse = autodiff_thunk(mode, Const[typeof(filled)], Const, *annotated)
    given_up, opened_again = _handles(Split.of(forward.func.__enzyme_part__.thunk).tape)
    return {
        "filled": filled,
        "forward": forward,
        "reverse": reverse,
        "given_up": given_up,
        "opened_again": opened_again,
    }


def _sample(form: Form, axes: int) -> Any:
    return typeof(np.ones((1,) * axes, form.dtype) if axes else np.dtype(form.dtype).type(1))


def _filled(program: Program) -> Any:
    """The function that writes its outputs to arrays behind its inputs, numbers to arrays of one."""
    count, lines = len(program.inputs), []
    names = [f"x{k}" for k in range(count)]
    for k, form in enumerate(program.outputs):
        found = "r" if program.derivable.alone else f"r[{k}]"
        if form.ndim:
            lines.append(f"if {found}.shape != o{k}.shape:")
            lines.append(f"    raise ValueError({WRONG_SHAPE.format(k)!r})")
        lines.append(f"o{k}[{'...' if form.ndim else '0'}] = {found}")
    body = "\n        ".join([f"r = f({', '.join(names)})", *lines])
    outputs = [f"o{k}" for k in range(len(program.outputs))]
    inner = jitted(program.derivable.f, count)
    return closure(inner, ", ".join([*names, *outputs]), body, program.derivable.name)


def _handles(tape: Any) -> tuple[Any, Any]:
    """Functions that turn a tape into the address of its object and about how many bytes it keeps, and back; the
    reference goes with it."""
    if isinstance(tape, types.NoneType):
        return _nothing_kept, _nothing_found

    @intrinsic
    def parts_of(typingctx, given):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
            context.nrt.incref(builder, tape, args[0])
            proxy = create_struct_proxy(tape)(context, builder, value=args[0])
            word_type = context.get_value_type(types.intp)
            data = context.nrt.meminfo_data(builder, proxy.meminfo)
            storage = builder.load(builder.bitcast(data, word_type.as_pointer()))
            both = [builder.ptrtoint(proxy.meminfo, word_type), storage]
            return context.make_tuple(builder, signature.return_type, both)

        return types.UniTuple(types.intp, 2)(given), generate

    @intrinsic
    def opened_again(typingctx, address):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
            proxy = create_struct_proxy(tape)(context, builder)
            proxy.meminfo = builder.inttoptr(args[0], proxy.meminfo.type)
            return proxy._getvalue()

        return tape(types.intp), generate

    weight_of = shelf.weight_of

    def given_up(given):  # type: ignore[no-untyped-def]
        address, storage = parts_of(given)
        return address, weight_of(storage)

    return _unboxed(given_up), opened_again


@numba.njit
def _nothing_kept(tape):  # type: ignore[no-untyped-def]
    return 0, 0


@numba.njit
def _nothing_found(address):  # type: ignore[no-untyped-def]
    return None


class _Block:
    """The source of what is done with a block: copies `c` of inputs, their shadows `s`, outputs `o` and theirs, `d`."""

    def __init__(self, program: Program, moving: tuple[int, ...]) -> None:
        self.inputs = list(enumerate(program.inputs))
        self.outputs = list(enumerate(program.outputs))
        self.moving = moving
        self.seeded = [(k, form) for k, form in self.outputs if is_float(form)]
        self.shadowed = [(k, form) for k, form in self.inputs if k in moving and form.ndim]
        self.segments = [
            *((f"c{k}", form, f"x{k}") for k, form in self.inputs),
            *((f"s{k}", form, f"x{k}") for k, form in self.shadowed),
            *((f"o{k}", form, f"y{k}") for k, form in self.outputs),
            *((f"d{k}", form, f"y{k}") for k, form in self.seeded),
        ]
        self.cleared = len(self.inputs)
        shaped = [(f"x{k}", form) for k, form in self.inputs]
        shaped += [(f"y{k}", form) for k, form in self.outputs]
        self.axes = [(name, axis) for name, form in shaped for axis in range(form.ndim)]
        self.head = -(-(shelf.AXES + 8 * len(self.axes)) // 16) * 16
        self.names = [f"x{k}" for k, _ in self.inputs]

    def run(self) -> list[str]:
        """The forward pass within a block: it returns about how many bytes its tape keeps, and numbers."""
        numbers = "".join(f"o{k}[0], " for k, form in self.outputs if not form.ndim)
        return [
            "def run(block):",
            *self._views(),
            f"    tape, _, _ = forward({self._operands()})",
            "    address, weight = given_up(tape)",
            f"    put_word(block + {shelf.TAPE}, address)",
            f"    return weight, ({numbers})",
        ]

    def back(self) -> list[str]:
        """The reverse pass within a block."""
        found = "".join(
            f"found[{k}], " for k, form in self.inputs if k in self.moving and not form.ndim
        )
        return [
            "def back(block):",
            *self._views(),
            f"    tape = opened_again(word(block + {shelf.TAPE}))",
            f"    put_word(block + {shelf.TAPE}, 0)",
            f"    (found,) = reverse({self._operands()}, tape)",
            f"    return ({found})",
        ]

    def augmented(self) -> list[str]:
        arrays = [k for k, form in self.outputs if form.ndim]
        return [
            f"def augmented({', '.join([*self.names, *(f'y{k}' for k in arrays), 't'])}):",
            *self._places(),
            *self._begun("    "),
            *(f"    copied_back(y{k}, block + o{k})" for k in arrays),
            f"    put_word(block + {shelf.WEIGHT}, end + weight)",
            "    number = shelved(block)",
            "    t[0] = np.uint32(number & 0xFFFFFFFF)",
            "    t[1] = np.uint32(number >> 32)",
            "    return numbers",
        ]

    def backward(self) -> list[str]:
        seeds = [f"y{k}" for k, _ in self.seeded]
        adjoints = [f"a{k}" for k, _ in self.shadowed]
        equal = [
            f"word(block + {place}) == {name}.shape[{axis}]"
            for place, name, axis in self._kept_axes()
        ]
        for k, form in self.inputs:
            equal.append(f"same{'' if form.ndim else '_number'}(block + c{k}, x{k})")
        return [
            f"def backward({', '.join([*self.names, 't', *seeds, *adjoints])}):",
            *self._places(),
            "    block = taken(np.int64(t[0]) | np.int64(t[1]) << 32, PROGRAM, end)",
            f"    if block != 0 and not ({' and '.join(equal)}):",
            "        closed(block)",
            "        block = 0",
            "    if block == 0:",
            *self._begun("        "),
            *(
                f"    {'copied' if form.ndim else 'put_number'}(block + d{k}, y{k})"
                for k, form in self.seeded
            ),
            "    found = or_closed(back, block)",
            *(f"    added(a{k}, block + s{k})" for k, _ in self.shadowed),
            "    closed(block)",
            "    return found",
        ]

    def _kept_axes(self) -> list[tuple[int, str, int]]:
        """Where in a block the size of an axis stands."""
        return [(shelf.AXES + 8 * k, name, axis) for k, (name, axis) in enumerate(self.axes)]

    def _places(self) -> list[str]:
        """Where in a block its segments begin, for arrays `x` and `y`, and how long it is."""
        lines = [f"    end = {self.head}"]
        for name, form, like in self.segments:
            size = (
                f"{like}.size * {np.dtype(form.dtype).itemsize} + 15 & -16" if form.ndim else "16"
            )
            lines += [f"    {name} = end", f"    end += {size}"]
        return lines

    def _begun(self, indent: str) -> list[str]:
        """A new block, in which the forward pass has run."""
        lines = ["block = opened(PROGRAM, end)"]
        lines += [
            f"put_word(block + {place}, {name}.shape[{axis}])"
            for place, name, axis in self._kept_axes()
        ]
        for k, form in self.inputs:
            lines.append(f"{'copied' if form.ndim else 'put_number'}(block + c{k}, x{k})")
        first = self.segments[self.cleared][0]
        lines.append(f"cleared(block + {first}, block + end)")
        lines.append("weight, numbers = or_closed(run, block)")
        return [indent + line for line in lines]

    def _views(self) -> list[str]:
        """Arrays over the segments of a block."""
        lines = [f"    at = block + {self.head}"]
        lines += [
            f"    n{name}_{axis} = word(block + {place})" for place, name, axis in self._kept_axes()
        ]
        for name, form, like in self.segments:
            shape = "".join(f"n{like}_{axis}, " for axis in range(form.ndim)) or "1,"
            lines.append(f"    {name} = carray(pointer(at), ({shape}), {form.dtype})")
            lines.append(f"    at += {name}.size * {np.dtype(form.dtype).itemsize} + 15 & -16")
        return lines

    def _operands(self) -> str:
        """What the functions of the thunk take."""
        found = ["Const(filled)"]
        for k, form in self.inputs:
            own = f"c{k}" if form.ndim else f"c{k}[0]"
            if k not in self.moving:
                found.append(f"Const({own})")
            else:
                found.append(f"Duplicated({own}, s{k})" if form.ndim else f"Active({own})")
        for k, form in self.outputs:
            found.append(f"Duplicated(o{k}, d{k})" if is_float(form) else f"Const(o{k})")
        return ", ".join(found)

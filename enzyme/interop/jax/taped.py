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

import numpy as np
from numba import carray
from numba.core import types
from numba.core.cgutils import create_struct_proxy, gep_inbounds
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


def _sample(form: Form, axes: int) -> Any:
    return typeof(np.ones((1,) * axes, form.dtype) if axes else np.dtype(form.dtype).type(1))


def passes(program: Program, moving: tuple[int, ...]) -> tuple[Any, Any]:
    """Forward and backward pass, as functions that fill arrays."""
    inputs, outputs = program.inputs, program.outputs
    count = len(inputs)
    annotated: list[Any] = []
    for k, form in enumerate(inputs):
        kind = Const if k not in moving else Duplicated if form.ndim else Active
        annotated.append(kind[_sample(form, form.ndim)])
    for form in outputs:
        kind = Duplicated if is_float(form) else Const
        annotated.append(kind[_sample(form, max(1, form.ndim))])
    filled = _filled(program)
    mode = ReverseSplitModified(ReverseSplitNoPrimal, (False,) * (1 + len(annotated)))
    forward, reverse = autodiff_thunk(mode, Const[typeof(filled)], Const, *annotated)
    tape = Split.of(forward.func.__enzyme_part__.thunk).tape
    given_up, opened_again = _handles(tape)
    scope: dict[str, Any] = {
        "np": np,
        "carray": carray,
        "pointer": pointer,
        "put_word": put_word,
        "word": word,
        "Const": Const,
        "Active": Active,
        "Duplicated": Duplicated,
        "filled": filled,
        "forward": forward,
        "reverse": reverse,
        "given_up": given_up,
        "opened_again": opened_again,
        "opened": shelf.opened,
        "closed": shelf.closed,
        "or_closed": shelf.or_closed,
        "shelved": shelf.shelved,
        "taken": shelf.taken,
        "same_bits": shelf.same_bits,
        "copysign": np.copysign,
        "PROGRAM": next(_serial),
    }
    for form in (*inputs, *outputs):
        scope[form.dtype] = np.dtype(form.dtype).type

    # Segments of a block: its arrays, each with the names of its axes.
    arrays = [(f"c{k}", form, f"x{k}") for k, form in enumerate(inputs)]
    arrays += [(f"s{k}", inputs[k], f"x{k}") for k in moving if inputs[k].ndim]
    arrays += [(f"o{k}", form, f"y{k}") for k, form in enumerate(outputs)]
    arrays += [(f"d{k}", form, f"y{k}") for k, form in enumerate(outputs) if is_float(form)]
    shaped = [(f"x{k}", form.ndim) for k, form in enumerate(inputs) if form.ndim]
    shaped += [(f"y{k}", form.ndim) for k, form in enumerate(outputs) if form.ndim]
    axes = [(name, axis) for name, ndim in shaped for axis in range(ndim)]
    head = shelf.AXES + 8 * len(axes)

    def views() -> list[str]:
        """Arrays over a block."""
        lines = [f"at = block + {-(-head // 16) * 16}"]
        places = {one: shelf.AXES + 8 * k for k, one in enumerate(axes)}
        lines += [f"n{name}{axis} = word(block + {at})" for (name, axis), at in places.items()]
        for name, form, like in arrays:
            shape = "".join(f"n{like}{axis}, " for axis in range(form.ndim)) or "1,"
            lines.append(f"{name} = carray(pointer(at), ({shape}), {form.dtype})")
            lines.append(f"at += {name}.size * {name}.itemsize + 15 & -16")
        return lines

    xs = [f"x{k}" for k in range(count)]
    ys = [f"y{k}" for k, form in enumerate(outputs) if form.ndim]
    operands = []
    for k, form in enumerate(inputs):
        own = f"c{k}" if form.ndim else f"c{k}[0]"
        if k not in moving:
            operands.append(f"Const({own})")
        else:
            operands.append(f"Duplicated({own}, s{k})" if form.ndim else f"Active({own})")
    for k, form in enumerate(outputs):
        operands.append(f"Duplicated(o{k}, d{k})" if is_float(form) else f"Const(o{k})")
    called = f"Const(filled), {', '.join(operands)}"

    size = [f"size = {-(-head // 16) * 16}"]
    for _, form, like in arrays:
        part = f"{like}.size * {np.dtype(form.dtype).itemsize} + 15 & -16" if form.ndim else "16"
        size.append(f"size += {part}")
    start = ["block = opened(PROGRAM, size)"]
    for k, (name, axis) in enumerate(axes):
        start.append(f"put_word(block + {shelf.AXES + 8 * k}, {name}.shape[{axis}])")
    given = "".join(f"{x}, " for x in xs)
    start.append(f"weight = or_closed(run, block, ({given}))")

    copies = [f"c{k}[{'...' if form.ndim else '0'}] = x{k}" for k, form in enumerate(inputs)]
    copies += [f"{name}[...] = 0" for name, *_ in arrays if name[0] in "sod"]
    run = ["def run(block, " + ", ".join(xs) + "):", *_indented(views()), *_indented(copies)]
    run += _indented(
        [
            f"tape, _, _ = forward({called})",
            "address, weight = given_up(tape)",
            f"put_word(block + {shelf.TAPE}, address)",
            "return weight",
        ]
    )
    scope["run"] = _unboxed("run", run, scope)

    numbers = [k for k in moving if not inputs[k].ndim]
    seeds = [f"g{k}" for k, form in enumerate(outputs) if is_float(form)]
    back = ["def back(block, " + ", ".join(seeds) + "):", *_indented(views())]
    back += _indented(
        [
            *(
                f"d{k}[{'...' if form.ndim else '0'}] = g{k}"
                for k, form in enumerate(outputs)
                if is_float(form)
            ),
            f"tape = opened_again(word(block + {shelf.TAPE}))",
            f"put_word(block + {shelf.TAPE}, 0)",
            f"(found,) = reverse({called}, tape)",
            f"return ({''.join(f'found[{k}], ' for k in numbers)})",
        ]
    )
    scope["back"] = _unboxed("back", back, scope)

    lines = [f"def augmented({', '.join([*xs, *ys, 't'])}):"]
    lines += _indented([*size, *start, *views()])
    returned = "".join(f"o{k}[0], " for k, form in enumerate(outputs) if not form.ndim)
    lines += _indented(
        [
            *(f"y{k}[...] = o{k}" for k, form in enumerate(outputs) if form.ndim),
            f"numbers = ({returned})",
            f"put_word(block + {shelf.WEIGHT}, size + weight)",
            "number = shelved(block)",
            "t[0] = np.uint32(number & 0xFFFFFFFF)",
            "t[1] = np.uint32(number >> 32)",
            "return numbers",
        ]
    )
    augmented = _unboxed("augmented", lines, scope)

    lines = [
        f"def backward({', '.join([*xs, 't', *seeds, *(f'a{k}' for k in moving if inputs[k].ndim)])}):"
    ]
    lines += _indented([f"y{k} = g{k}" for k, form in enumerate(outputs) if form.ndim])
    lines += _indented(size)
    lines += _indented(["block = taken(np.int64(t[0]) | np.int64(t[1]) << 32, PROGRAM, size)"])
    lines += _indented(["if block != 0:"])
    same = [
        f"word(block + {shelf.AXES + 8 * k}) == {name}.shape[{axis}]"
        for k, (name, axis) in enumerate(axes)
    ]
    lines += _indented(["same = " + (" and ".join(same) or "True"), "if same:"], 2)
    lines += _indented(views(), 3)
    for k, form in enumerate(inputs):
        if form.ndim:
            lines += _indented([f"same = same and same_bits(c{k}, x{k})"], 3)
        else:
            lines += _indented([f"same = same and c{k}[0] == x{k}"], 3)
            if is_float(form):
                test = f"copysign(1.0, c{k}[0]) == copysign(1.0, x{k})"
                lines += _indented([f"same = same and {test}"], 3)
    lines += _indented(["if not same:", "    closed(block)", "    block = 0"], 2)
    lines += _indented(["if block == 0:"])
    lines += _indented(start, 2)
    passed = "".join(f"{seed}, " for seed in seeds)
    lines += _indented([f"numbers = or_closed(back, block, ({passed}))", *views()])
    lines += _indented([f"a{k} += s{k}" for k in moving if inputs[k].ndim])
    lines += _indented(["closed(block)", "return numbers"])
    return augmented, _unboxed("backward", lines, scope)


def _indented(lines: list[str], depth: int = 1) -> list[str]:
    return ["    " * depth + line for line in lines]


def _unboxed(name: str, lines: list[str], scope: dict[str, Any]) -> Any:
    import numba

    return numba.njit(no_cpython_wrapper=True)(generated(name, lines, scope))


def _handles(tape: Any) -> tuple[Any, Any]:
    """Functions that turn a tape into the address of its object and about how many bytes it keeps, and back; the
    reference goes with it."""
    if isinstance(tape, types.NoneType):
        return _nothing_kept, _nothing_found

    @intrinsic
    def address_of(typingctx, given):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
            context.nrt.incref(builder, signature.args[0], args[0])
            proxy = create_struct_proxy(signature.args[0])(context, builder, value=args[0])
            return builder.ptrtoint(proxy.meminfo, context.get_value_type(types.intp))

        return types.intp(given), generate

    @intrinsic
    def storage_of(typingctx, given):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
            proxy = create_struct_proxy(signature.args[0])(context, builder, value=args[0])
            word_type = context.get_value_type(types.intp)
            data = context.nrt.meminfo_data(builder, proxy.meminfo)
            return builder.load(builder.bitcast(data, word_type.as_pointer()))

        return types.intp(given), generate

    @intrinsic
    def opened_again(typingctx, address):  # type: ignore[no-untyped-def]
        def generate(context, builder, signature, args):  # type: ignore[no-untyped-def]
            proxy = create_struct_proxy(tape)(context, builder)
            proxy.meminfo = builder.inttoptr(args[0], proxy.meminfo.type)
            return proxy._getvalue()

        return tape(types.intp), generate

    import numba

    weight_of = shelf.weight_of

    @numba.njit(no_cpython_wrapper=True)
    def given_up(given):  # type: ignore[no-untyped-def]
        weight = weight_of(storage_of(given))
        return address_of(given), weight

    return given_up, opened_again


def _njit(f: Any) -> Any:
    import numba

    return numba.njit(f)


@_njit
def _nothing_kept(tape):  # type: ignore[no-untyped-def]
    return 0, 0


@_njit
def _nothing_found(address):  # type: ignore[no-untyped-def]
    return None

"""Handlers: compiled functions that XLA calls with a frame, for which they call a program and fill XLA's buffers.

A handler has layers, one for each `vmap` around the program: loops over samples, of which an input is cut along its first
axis or shared, and an output stacked or summed.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-any-return"

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numba import carray

from enzyme.interop.jax import frames
from enzyme.support.generated import generated

_DESCRIPTION = """
def described(frame):
    extension = word(frame + EXTENSION)
    if extension != 0 and half_word(extension + KIND) == METADATA:
        description = word(extension + DESCRIPTION)
        put_half_word(description + MAJOR, 0)
        put_half_word(description + MAJOR + 4, 1)
        put_half_word(description + TRAITS, 0)
        put_word(description + STATE, 0)
        return True
    return half_word(frame + STAGE) != EXECUTE
"""


@dataclass(frozen=True)
class Form:
    """The type of the numbers of an array, and its axes without those of layers."""

    dtype: str
    ndim: int


@dataclass(frozen=True)
class Layer:
    """One loop over samples: which inputs are cut, and which outputs stacked."""

    cut: tuple[bool, ...]
    stacked: tuple[bool, ...]


def handler(
    program: Any,
    alone: bool,
    inputs: tuple[Form, ...],
    outputs: tuple[Form, ...],
    layers: tuple[Layer, ...],
) -> Any:
    """The compiled function for a jitted `program`, as numba's `cfunc`; it must be kept.

    `alone` says that the program returns its one output, and no tuple.
    """
    run = numba.njit(_run(program, alone, inputs, outputs, layers))
    run.compile("void(intp)")
    described, outcome = _described, frames.outcome

    def handle(frame):  # type: ignore[no-untyped-def]
        if described(frame):
            return 0
        return outcome(run, frame)

    return numba.cfunc("intp(intp)")(handle)


def _described_function() -> Any:
    scope: dict[str, Any] = dict(vars(frames))
    exec(compile(_DESCRIPTION, __file__, "exec"), scope)
    return numba.njit(scope["described"])


_described = _described_function()
_WRONG_SHAPE = "output {} has another shape than result_shape_dtypes says"


def _run(program: Any, alone: bool, inputs: Any, outputs: Any, layers: Any) -> Any:
    """The function of a frame that is called for values."""
    scope: dict[str, Any] = {
        "carray": carray,
        "pointer": frames.pointer,
        "word": frames.word,
        "f": program,
    }
    lines = []
    for letter, forms, place in (("x", inputs, frames.ARGUMENTS), ("y", outputs, frames.RESULTS)):
        lines.append(f"    table = word(frame + {place})")
        for k, form in enumerate(forms):
            flags = [(layer.cut if letter == "x" else layer.stacked)[k] for layer in layers]
            axes = sum(flags) + form.ndim
            scope[form.dtype] = np.dtype(form.dtype).type
            lines.append(f"    at = word(table + {8 * k})")
            lines.append(f"    sizes = word(at + {frames.DIMENSIONS})")
            shape = "".join(f"word(sizes + {8 * axis}), " for axis in range(axes))
            lines.append(
                f"    {letter}{k} = carray(pointer(word(at + {frames.DATA})), ({shape}), {form.dtype})"
            )
    summed = [not all(layer.stacked[k] for layer in layers) for k in range(len(outputs))]
    lines += [f"    y{k}[...] = 0" for k, added in enumerate(summed) if added]
    indent = "    "
    for depth, layer in enumerate(layers):
        lines.append(f"{indent}for i{depth} in range({_size(layers, depth)}):")
        indent += "    "
    given = [_sample(f"x{k}", [d for d, layer in enumerate(layers) if layer.cut[k]], form) for k, form in enumerate(inputs)]
    lines.append(f"{indent}r = f({', '.join(given)})")
    for k, form in enumerate(outputs):
        cuts = [d for d, layer in enumerate(layers) if layer.stacked[k]]
        found = "r" if alone else f"r[{k}]"
        index = ", ".join(f"i{d}" for d in cuts)
        if form.ndim:
            lines.append(f"{indent}s{k} = y{k}[{index}]" if cuts else f"{indent}s{k} = y{k}")
            lines.append(f"{indent}if {found}.shape != s{k}.shape:")
            lines.append(f"{indent}    raise ValueError({_WRONG_SHAPE.format(k)!r})")
            lines.append(f"{indent}s{k} += {found}" if summed[k] else f"{indent}s{k}[...] = {found}")
        else:
            lines.append(f"{indent}y{k}[{index or '()'}] {'+=' if summed[k] else '='} {found}")
    return generated("run", ["def run(frame):", *lines], scope)


def _size(layers: Any, depth: int) -> str:
    """How many samples a layer has: of something that has its axis."""
    for letter, flags in (("x", [layer.cut for layer in layers]), ("y", [layer.stacked for layer in layers])):
        for k, found in enumerate(flags[depth]):
            if found:
                axis = sum(flags[d][k] for d in range(depth))
                return f"{letter}{k}.shape[{axis}]"
    raise AssertionError("a layer has samples")


def _sample(name: str, cuts: list[int], form: Form) -> str:
    if cuts:
        return f"{name}[{', '.join(f'i{d}' for d in cuts)}]"
    return name if form.ndim else f"{name}[()]"

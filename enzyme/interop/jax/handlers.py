"""Handlers: compiled functions that XLA calls with a frame, for which they call a program and fill XLA's buffers.

A handler has layers, one for each `vmap` around the program: loops over samples, for which an input is cut along its
first axis or shared, and an output stacked or summed.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-any-return"

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
from numba import carray

from enzyme.interop.forms import Form
from enzyme.interop.jax import frames
from enzyme.support.generated import generated


@dataclass(frozen=True)
class Layer:
    """One loop over samples: which inputs are cut, and which outputs stacked."""

    cut: tuple[bool, ...]
    stacked: tuple[bool, ...]


def handler(
    program: Any,
    way: str,
    inputs: tuple[Form, ...],
    outputs: tuple[Form, ...],
    layers: tuple[Layer, ...],
) -> Any:
    """The compiled function for a jitted `program`, as numba's `cfunc`; it must be kept.

    There are three ways in which a program gives its outputs: "one" returns it, "tuple" returns several, and "fills"
    takes arrays behind its inputs, to which it adds, and returns a tuple of the outputs that are numbers.
    """
    jitted = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True)  # type: ignore[call-overload]
    run = jitted(_run(program, way, inputs, outputs, layers))
    run.compile("void(intp)")
    is_question, outcome = frames.is_question, frames.outcome

    def handle(frame):  # type: ignore[no-untyped-def]
        if is_question(frame):
            return 0
        return outcome(run, frame)

    return numba.cfunc("intp(intp)")(handle)


WRONG_SHAPE = "output {} has another shape than it was said to have in result_shape_dtypes"


def _run(program: Any, way: str, inputs: Any, outputs: Any, layers: Any) -> Any:
    """The function of a frame that is called for values."""
    scope: dict[str, Any] = {
        "carray": carray,
        "pointer": frames.pointer,
        "word": frames.word,
        "f": program,
    }
    cut = [[d for d, layer in enumerate(layers) if layer.cut[k]] for k in range(len(inputs))]
    stacked = [[d for d, one in enumerate(layers) if one.stacked[k]] for k in range(len(outputs))]
    lines = [
        *_arrays("x", inputs, cut, frames.ARGUMENTS, scope),
        *_arrays("y", outputs, stacked, frames.RESULTS, scope),
    ]
    added = [
        len(stacked[k]) < len(layers) or (way == "fills" and form.ndim > 0)
        for k, form in enumerate(outputs)
    ]
    lines += [f"y{k}[...] = 0" for k, yes in enumerate(added) if yes]
    indent = ""
    for depth in range(len(layers)):
        lines.append(f"{indent}for i{depth} in range({_size(cut, stacked, depth)}):")
        indent += "    "
    given = [
        _sample(f"x{k}", cut[k]) if cut[k] or form.ndim else f"x{k}[()]"
        for k, form in enumerate(inputs)
    ]
    arrays = [k for k, form in enumerate(outputs) if form.ndim]
    lines += [f"{indent}s{k} = {_sample(f'y{k}', stacked[k])}" for k in arrays]
    filled = arrays if way == "fills" else []
    lines.append(f"{indent}r = f({', '.join([*given, *(f's{k}' for k in filled)])})")
    rest = [k for k in range(len(outputs)) if k not in filled]
    for place, k in enumerate(rest):
        found = "r" if way == "one" else f"r[{place}]"
        if k in arrays:
            lines.append(f"{indent}if {found}.shape != s{k}.shape:")
            lines.append(f"{indent}    raise ValueError({WRONG_SHAPE.format(k)!r})")
            lines.append(f"{indent}s{k} += {found}" if added[k] else f"{indent}s{k}[...] = {found}")
        else:
            index = ", ".join(f"i{d}" for d in stacked[k]) or "()"
            lines.append(f"{indent}y{k}[{index}] {'+=' if added[k] else '='} {found}")
    return generated("run", ["def run(frame):", *(f"    {line}" for line in lines)], scope)


def _arrays(
    letter: str, forms: Any, layered: Any, place: int, scope: dict[str, Any]
) -> Iterator[str]:
    """Lines that make arrays over the buffers of a table, which have axes for layers in front."""
    yield f"table = word(frame + {place})"
    for k, form in enumerate(forms):
        scope[form.dtype] = np.dtype(form.dtype).type
        axes = range(len(layered[k]) + form.ndim)
        sizes = "".join(f"word(sizes + {8 * axis}), " for axis in axes)
        yield f"at = word(table + {8 * k})"
        yield f"sizes = word(at + {frames.DIMENSIONS})"
        yield f"{letter}{k} = carray(pointer(word(at + {frames.DATA})), ({sizes}), {form.dtype})"


def _size(cut: Any, stacked: Any, depth: int) -> str:
    """How many samples a layer has: the size of its axis, wherever there is one."""
    named = [(f"x{k}", own) for k, own in enumerate(cut)]
    named += [(f"y{k}", own) for k, own in enumerate(stacked)]
    name, own = next(one for one in named if depth in one[1])
    return f"{name}.shape[{own.index(depth)}]"


def _sample(name: str, own: list[int]) -> str:
    return f"{name}[{', '.join(f'i{d}' for d in own)}]" if own else name

"""A forward and a backward pass that share one run of a function: split mode, with a tape for each forward pass.

For hosts that record what was done, and go back along it once.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-any-return"

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numba.core import types
from numba.core.errors import NumbaError
from numba.extending import overload

from enzyme.api import settings
from enzyme.api.thunks import autodiff_thunk
from enzyme.api.values import closure, jitted, key_of
from enzyme.errors import EnzymeError
from enzyme.interop.derivable import COMPLEX_NUMBER, NUMBER, Derivable, own
from enzyme_rules.registry import listen
from enzymecore import (
    Active,
    Const,
    Duplicated,
    ReverseSplitModified,
    ReverseSplitWithPrimal,
    typeof,
)

_NUMBERS = (NUMBER, COMPLEX_NUMBER)
_rules = object()  # another one whenever a rule of some function has changed


def _rule_changed(_: Any) -> None:
    global _rules
    _rules = object()


listen(_rule_changed)


class Pass:
    """What one forward pass leaves: it is for one backward pass."""

    def __init__(self, passes: Passes, annotated: list[Any], tape: Any, shadows: Any) -> None:
        self._passes = passes
        self._annotated = annotated
        self._shadows = shadows
        self.tape = tape

    def adjoints(self, cotangents: Sequence[Any]) -> list[Any]:
        """Those of the inputs in `wanted`, for a cotangent, or None, of each output."""
        for shadow, cotangent in zip(self._shadows, cotangents, strict=True):
            if cotangent is not None:
                shadow += cotangent
        (found,) = self._passes.reverse(self._passes.function, *self._annotated, self.tape)
        return [
            x.dval if isinstance(x := self._annotated[k], Duplicated) else found[k]
            for k in self._passes.wanted
        ]


class Passes:
    """Both passes of a program, compiled for inputs of some types; adjoints are those of the inputs in `wanted`.

    What the backward pass reads of the inputs must still be there.
    """

    def __init__(self, program: Derivable, wanted: tuple[int, ...], values: Sequence[Any]) -> None:
        self.wanted = wanted
        self._numbers = [k for k, kind in enumerate(program.results or ()) if kind in _NUMBERS]
        in_arrays = program._once("in arrays", _in_arrays, program)
        self.function = Const(in_arrays)
        mode = ReverseSplitModified(ReverseSplitWithPrimal, (False,) * (1 + len(values)))
        kinds = []
        for k, value in enumerate(values):
            kind = Const if k not in wanted else Duplicated if np.ndim(value) else Active
            kinds.append(kind[typeof(value)])
        self._forward, self.reverse = autodiff_thunk(
            mode, Const[typeof(in_arrays)], Duplicated, *kinds
        )

    def forward(self, values: Sequence[Any]) -> tuple[tuple[Any, ...], Pass]:
        """The outputs, none of which shares memory with an input, and what the backward pass needs."""
        annotated = [
            Const(value)
            if k not in self.wanted
            else Duplicated(value, np.zeros_like(value))
            if isinstance(value, np.ndarray)
            else Active(value)
            for k, value in enumerate(values)
        ]
        tape, outputs, shadows = self._forward(self.function, *annotated)
        left = Pass(self, annotated, tape, shadows)
        outputs = list(outputs)
        for k in self._numbers:
            outputs[k] = outputs[k][0]
        return own(outputs, values), left


def passes(program: Derivable, wanted: tuple[int, ...], values: Sequence[Any]) -> Passes | None:
    """Those of a program that has run; None if split mode cannot do it."""
    key = "passes", wanted, settings.state, _rules, tuple(map(key_of, values))
    return program._once(key, _passes, program, wanted, values)[0]


def _passes(
    program: Derivable, wanted: tuple[int, ...], values: Sequence[Any]
) -> tuple[Passes | None]:
    arrays = [values[k] for k in wanted if isinstance(values[k], np.ndarray)]
    if program.writes or not all(x.flags.forc for x in arrays):
        return (None,)  # shadows would be of another layout
    try:
        return (Passes(program, wanted, values),)
    except (EnzymeError, NumbaError):
        return (None,)


def _in_arrays(program: Derivable) -> Any:
    """The function with its outputs in a tuple, numbers in arrays of one: their cotangents are written to such."""
    names = ", ".join(f"x{k}" for k in range(program.count))
    outputs = []
    for k, kind in enumerate(program.results or ()):
        output = "y" if program.alone else f"y[{k}]"
        outputs.append(f"np.array([{output}])" if kind in _NUMBERS else f"apart({output})")
    body = f"y = f({names})\n        return ({', '.join(outputs)},)"
    inner = jitted(program.f, program.count)
    return closure(inner, names, body, program.name, np=np, apart=apart)


def apart(y: Any) -> Any:
    """The same, for compiled code; of an array of which elements may be in one place, or that cannot be written to, a
    copy: its shadow has a place for each element."""
    raise NotImplementedError("in compiled code only")


@overload(apart)
def _apart(y):  # type: ignore[no-untyped-def]
    if isinstance(y, types.Array) and (y.layout == "A" or not y.mutable):
        return lambda y: y.copy()
    return lambda y: y

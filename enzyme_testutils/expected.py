"""What a call must give: the derivatives of its map of vectors, by finite differences.

In single precision the differences are taken of the function on float64 copies, where it accepts
them; what single precision itself loses is then part of the error.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from enzyme_testutils.arguments import Call
from enzyme_testutils.differences import FiniteDifferences, estimate_jvp, jacobian
from enzyme_testutils.vectors import Vector, floats_of, precision, to_vec
from enzymecore.copying import copied
from enzymecore.structure import Kind, kind_of

DOUBLE = float(np.finfo(np.float64).eps)
# What rounding may cost a derivative, in units of the precision and of the sum of its terms.
_ROUNDING = 64.0
# An estimate of an error is an estimate.
_SAFETY = 10.0


@dataclass
class Plain:
    """What the plain function did: its result, the values as it left them, and how precise all that is."""

    result: Any
    values: tuple[Any, ...]
    outputs: tuple[Any, ...]
    eps: float

    @property
    def single(self) -> bool:
        """Whether some of it is less precise than float64."""
        return self.eps > 2 * DOUBLE


def run_plain(call: Call) -> Plain:
    """Run the function once, on copies."""
    values = copied(call.values)
    result = call.run(values)
    outputs = call.outputs(result, values)
    return Plain(result, values, outputs, max(precision(call.values), precision(outputs)))


def widened(x: Any) -> Any:
    """Return `x` with float64 and complex128 in the place of less precise numbers.

    Raises
    ------
    TypeError
        For records and compiled containers, whose types are fixed.
    """
    kind = kind_of(x)
    if kind is Kind.FLOAT:
        return complex(x) if isinstance(x, complex | np.complexfloating) else float(x)
    if kind is Kind.ARRAY and x.dtype.kind in "fc":
        made = np.empty_like(x, np.complex128 if x.dtype.kind == "c" else np.float64)
        made[...] = x
        return made
    if kind is Kind.TUPLE:
        return tuple(map(widened, x))
    if kind is Kind.NAMEDTUPLE:
        return x._make(map(widened, x))
    if kind is Kind.LIST:
        return [widened(item) for item in x]
    if kind is Kind.DICT:
        return {key: widened(item) for key, item in x.items()}
    if kind is Kind.INACTIVE or floats_of(x).size == 0 or not precision(x) > 2 * DOUBLE:
        return x
    raise TypeError(f"{type(x).__name__} cannot hold float64")


def _map(call: Call, plain: Plain) -> tuple[Any, Any, float]:
    """The function to take differences of, where, and the precision of its values."""

    def f(values: Any) -> Any:
        return call.outputs(call.run(values), values)

    if plain.single:
        try:
            wide = widened(call.values)
            if len(floats_of(wide)) == len(floats_of(call.values)):
                found = f(copied(wide))
                if len(floats_of(found)) == len(floats_of(plain.outputs)):
                    return f, wide, max(DOUBLE, precision(found))
        except Exception:  # whatever a function says that takes single precision only
            pass
    return f, call.values, plain.eps


def tangents(call: Call, plain: Plain, fdm: FiniteDifferences) -> list[tuple[Any, Any]]:
    """For each lane the tangents of the outputs, and their errors."""
    f, values, eps = _map(call, plain)
    rebuild = to_vec(plain.outputs)[1]
    found = []
    terms = jacobian(fdm, f, values, eps, call.columns()) if plain.single else None
    for lane in call.lanes:
        direction = call.shadow_vector({i: lane[i] for i in call.shadowed()})
        if terms is not None:
            matrix, errors = terms
            value = matrix @ direction
            error = (errors + _ROUNDING * plain.eps * np.abs(matrix)) @ np.abs(direction)
        else:
            parts = estimate_jvp(fdm, f, values, direction, eps)
            value, error = (floats_of(part) for part in parts)
        found.append((rebuild(value), rebuild(_SAFETY * error)))
    return found


class Outputs:
    """The floats of all outputs of a call, numbered."""

    def __init__(self, plain: Plain) -> None:
        vector, rebuild = to_vec(plain.outputs)
        self.size = len(vector)
        self.rows = [floats_of(part).astype(int) for part in rebuild(np.arange(self.size))]

    def vector(self, parts: list[Any]) -> Vector:
        """The derivatives of all outputs as one vector, the result's first; None is zero.

        Raises
        ------
        ValueError
            If they are not shared as the outputs are.
        """
        found = np.zeros(self.size)
        pairs = [
            (rows, floats_of(part)) for rows, part in zip(self.rows, parts) if part is not None
        ]
        for rows, part in pairs:
            if len(part) != len(rows):
                raise ValueError("a shadow is not shared or structured as its primal is")
            found[rows] = part
        if not all(np.array_equal(found[rows], part, equal_nan=True) for rows, part in pairs):
            raise ValueError("primals share memory where their shadows do not")
        return found


class Adjoints:
    """The transposed derivative of a call, to be applied to the cotangents of any lane."""

    def __init__(self, call: Call, plain: Plain, fdm: FiniteDifferences) -> None:
        self.call = call
        f, values, eps = _map(call, plain)
        self.matrix, self.errors = jacobian(fdm, f, values, eps, call.columns())
        self.errors = self.errors + _ROUNDING * plain.eps * np.abs(self.matrix)

    def apply(self, cotangent: Vector) -> list[tuple[Vector, Vector]]:
        """For each position the adjoints of its floats, and their errors."""
        used = (cotangent != 0.0) & np.isfinite(cotangent)
        seeds = cotangent[used]
        value = seeds @ self.matrix[used]
        error = _SAFETY * (np.abs(seeds) @ self.errors[used])
        return [(value[i], error[i]) for i in self.call.indices]

"""Derivatives of LAPACK's routines for eigenvalues and singular values: calls of kernels, which are formulas.

The kernels stand in `blas/hermitian.py`, `blas/singular.py` and `blas/general.py`. They take whether vectors may be
asked for, the routine's sizes, what it has left behind, and for each shadow whether there is one, and where.

A routine whose name ends in `_values` computes no vectors. Its derivative needs them, and calls `_known` instead.
"""

from __future__ import annotations

from collections.abc import Callable

from enzyme.engine.derivatives.linear_algebra import Emitter, leading
from enzyme.engine.derivatives.linear_calls import PRIMAL, Fetch, LinearCall, Rule, Shadow
from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.types import I64, PTR
from enzyme.engine.ir.values import ConstInt, Value, zero_of

VALUES, KNOWN = "_values", "_known"
# Kernels by the routine that they are the derivatives of; operands that tell the size; what is left behind.
_KERNELS = {
    "syev": ("eigh", "uplo n", "a w"),
    "syevd": ("eigh", "uplo n", "a w"),
    "gesdd": ("svd", "m n count mu nv", "s u vt"),
    "gesvd": ("svd", "m n count mu nv", "s u vt"),
    "geev": ("eig", "left n", "wr wi vl vr"),
}
KERNELS = frozenset(
    f"{stem}_{mode}" for stem, _, _ in _KERNELS.values() for mode in ("tangent", "adjoint")
)


def base_of(routine: str) -> str:
    """The routine of LAPACK behind one of the engine's; nothing for others.

    >>> base_of("gesdd_known"), base_of("gemm")
    ('gesdd', '')
    """
    base = routine.removesuffix(VALUES).removesuffix(KNOWN)
    return base if base in _KERNELS else ""


def _left_behind(call: LinearCall) -> list[str]:
    return _KERNELS[base_of(call.routine.name)][2].split()


def _always(call: LinearCall) -> bool:
    return True


def _needed(call: LinearCall, shadowed: Callable[[str], bool]) -> list[str]:
    return _left_behind(call) if shadowed("a") else []


def _emit(mode: str, b: Builder, call: LinearCall, fetch: Fetch, shadow: Shadow) -> None:
    stem, sizes, _ = _KERNELS[base_of(call.routine.name)]
    left_behind = _left_behind(call)
    passed: list[Value] = [ConstInt(I64, int(not call.routine.name.endswith(VALUES)))]
    passed += [fetch(size) for size in sizes.split()]
    known = shadow("a") is not None
    for name in left_behind:
        ld = leading(call, name)
        passed.append(fetch(name) if known else zero_of(PTR))
        if ld is not None:
            passed.append(fetch(PRIMAL + ld))
    for name in dict.fromkeys(["a", *left_behind]):
        ld, given = leading(call, name), shadow(name)
        passed.append(ConstInt(I64, int(given is not None)))
        passed.append(given if given is not None else zero_of(PTR))
        if ld is not None:
            passed.append(fetch(ld))
    Emitter(b, call.kind).call(f"{stem}_{mode}", passed)


def _tangent(b: Builder, call: LinearCall, fetch: Fetch, shadow: Shadow) -> None:
    _emit("tangent", b, call, fetch, shadow)


def _adjoint(b: Builder, call: LinearCall, fetch: Fetch, shadow: Shadow, d: Value | None) -> None:
    _emit("adjoint", b, call, fetch, shadow)


DECOMPOSITION = Rule(_always, _needed, _tangent, _adjoint)

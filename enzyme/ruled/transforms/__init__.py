"""The derivatives of Fourier, cosine and sine transforms, written in numba: what `frontend.transforms` calls."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def, no-untyped-call, untyped-decorator"

from __future__ import annotations

import inspect
import sys
from collections.abc import Mapping
from typing import Any

from numba import njit
from numba.core import types
from numba.extending import overload

from enzyme.errors import EnzymeNoDerivativeError
from enzyme.frontend.transforms import MODULES, original
from enzyme.ruled.array_rules import with_rules
from enzyme.ruled.transforms import fourier, plans, shifts
from enzyme.ruled.transforms.axes import in_c_order

# How functions are called, as numpy or scipy does it; `=` gives what the functions with rules leave out.
_NUMPY = {
    1: "a, n=None, axis=-1, norm=None, out=None",
    2: "a, s=None, axes=(-2, -1), norm=None, out=None",
    3: "a, s=None, axes=None, norm=None, out=None",
}
_SCIPY = {
    1: "x, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, plan=None",
    2: "x, s=None, axes=(-2, -1), norm=None, overwrite_x=False, workers=None, plan=None",
    3: "x, s=None, axes=None, norm=None, overwrite_x=False, workers=None, plan=None",
}
_REAL = {
    1: "x, type=2, n=None, axis=-1, norm=None, overwrite_x=False, workers=None, orthogonalize=None",
    3: "x, type=2, s=None, axes=None, norm=None, overwrite_x=False, workers=None, orthogonalize=None",
}
# Nothing of it has to do with the result.
_LEFT_OUT = {"out": None, "overwrite_x": False, "workers": None, "plan": None}


class _Ruled(Mapping[Any, Any]):
    """The functions in place of those of a module, each made when a program first calls it."""

    def __init__(self) -> None:
        self._made: dict[tuple[str, str], Any] = {}

    def __getitem__(self, key: tuple[str, str]) -> Any:
        if key not in self._made:
            self._made[key] = _made_for(*key)
        return self._made[key]

    def __iter__(self) -> Any:
        return iter((module, name) for module, names in MODULES.items() for name in names)

    def __len__(self) -> int:
        return sum(map(len, MODULES.values()))


RULED: Mapping[Any, Any] = _Ruled()


def _made_for(module: str, name: str) -> Any:
    function = getattr(sys.modules[module], name)
    if name.endswith("freq"):
        return shifts.frequencies(name)
    if name.endswith("shift"):
        return shifts.shift(module, name, function)
    dimensions = {"2": 2, "n": 3}.get(name[-1], 1)
    if name.strip("i").startswith("d"):
        return _with_parameters(module, name, function, dimensions, _REAL[dimensions])
    listed = (_NUMPY if module == "numpy.fft" else _SCIPY)[dimensions]
    return _with_parameters(module, name, function, dimensions, listed)


def _with_parameters(
    module: str, name: str, function: Any, dimensions: int, parameters: str
) -> Any:
    """A function of the parameters of a transform, for compiled code of our target."""
    scope: dict[str, Any] = {"in_c_order": in_c_order, "check": _check_out}
    exec(f"def {name}({parameters}): pass", scope)
    names = list(inspect.signature(scope[name]).parameters)
    kept = [each for each in names if each not in _LEFT_OUT]
    scope["ruled"] = _ruled(module, name, function, dimensions, names)
    check = "    check(out)\n" if "out" in names else ""
    body = f"    return ruled(in_c_order({kept[0]}), {', '.join(kept[1:])})"
    exec(f"def {name}({parameters}):\n{check}{body}", scope)
    return njit(scope[name])


def _check_out(out: Any) -> Any:
    """In compiled code: refuse a place for the result."""
    raise NotImplementedError


@overload(_check_out)
def _no_out(out):
    if isinstance(out, types.Array):
        raise EnzymeNoDerivativeError(
            what="no derivative is known of transforms with out=...",
            todo="leave `out` out, and copy the result where it is to be",
        )
    return lambda out: None


def _ruled(module: str, name: str, function: Any, dimensions: int, names: list[str]) -> Any:
    """The function with rules, of the parameters that have to do with the result."""
    theirs = original(function, " ".join(names), {k: v for k, v in _LEFT_OUT.items() if k in names})
    kept = [each for each in names if each not in _LEFT_OUT]
    listed = ", ".join(kept)
    scope: dict[str, Any] = {"theirs": theirs, "plan_of": plans.plan_of}
    scope["__name__"] = f"{__name__}.{module.replace('.', '_')}"
    for each in ("listed", "norm_code", "other_norm", "flag", "TYPE", "ORTHOGONAL"):
        scope[each] = getattr(plans, each)
    exec(f"def {name}({listed}):\n    return theirs({listed})", scope)
    lengths, axes = ("n", "axis") if dimensions == 1 else ("s", "axes")
    real = "type" in kept
    if real:
        from enzyme.ruled.transforms import real as transforms  # scipy

        push, pull = transforms.KINDS[name.strip("in")]
        half, swapped = 0, False
    else:
        push, pull, half, swapped = fourier.KINDS[name.strip("2n")]
    scope |= {"half": half, "backwards": name.startswith("i")}
    norm = "norm_code(norm)"
    norm = f"other_norm({norm})" if swapped or (real and name.startswith("i")) else norm
    lines = [
        f"    plan = plan_of({kept[0]}.shape, result.shape, listed({lengths}), listed({axes}), {dimensions == 3},"
        f" {norm}, half)"
    ]
    if real:
        lines += [
            "    plan[TYPE] = 5 - type if backwards and (type == 2 or type == 3) else type",
            "    plan[ORTHOGONAL] = flag(orthogonalize, norm_code(norm) == 1)",
        ]
    lines.append("    return (plan,)")
    exec(f"def factor_{name}(result, {listed}):\n" + "\n".join(lines), scope)
    return with_rules(
        f"{module.replace('numpy', 'np')}.{name}",
        scope[name],
        (kept[0],),
        tuple(kept[1:]),
        factor=scope[f"factor_{name}"],
        push=push,
        pull=pull,
    )

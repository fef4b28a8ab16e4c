"""How accurate the elementary functions are: the table of docs/elementary_functions.md.

    python -m tools.elementary.accuracy [--points 1000000] [--checked 20000] [exp log ...]

Errors are in units in the last place of the exact result. Of `--points` numbers all are compared with long doubles,
whose own error is a thousandth of a unit, and the worst of them and so many others as `--checked` says with mpmath.
Functions that NumPy has not got are compared with mpmath alone, and so are all on machines whose long doubles have
no more bits.
"""

from __future__ import annotations

import argparse
import ctypes
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from mpmath import mp, mpf

from enzyme.backend import host
from enzyme.backend.elementary.functions import ELEMENTARY, module_of, symbol
from enzyme.backend.jit import JittedModule

mp.prec = 160
LANES = 8
_DTYPES: dict[str, Any] = {"double": np.float64, "float": np.float32}
_DIGITS = {"double": (53, -1074), "float": (24, -149)}
_LARGEST = {"double": 1024, "float": 128}
Arrays = list[np.ndarray]


def vector_function(
    name: str, kind: str, lanes: int = LANES, fused: bool | None = None
) -> Callable[..., np.ndarray]:
    """The function of arrays that computes so many numbers at once."""
    count = ELEMENTARY[name].operands
    type_ = kind if lanes == 1 else f"<{lanes} x {kind}>"
    loads = "".join(
        f"  %p{k} = getelementptr {kind}, ptr %x{k}, i64 %i\n"
        f"  %v{k} = load {type_}, ptr %p{k}, align 4\n"
        for k in range(count)
    )
    operands = ", ".join(f"{type_} %v{k}" for k in range(count))
    loop = f"""
define void @loop({", ".join(f"ptr %x{k}" for k in range(count))}, ptr %y, i64 %n) {{
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
{loads}  %made = call {type_} @{symbol(name, kind, lanes)}({operands})
  %q = getelementptr {kind}, ptr %y, i64 %i
  store {type_} %made, ptr %q, align 4
  %next = add i64 %i, {lanes}
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}}
"""
    fused = host.has_fused(host.features()) if fused is None else fused
    text = module_of([(name, kind, lanes)], fused) + loop
    module = JittedModule(text, optimise=False)
    run = module.function("loop", None, *[ctypes.c_void_p] * (count + 1), ctypes.c_int64)

    def call(*operands: np.ndarray) -> np.ndarray:
        size = len(operands[0])
        padded = [
            np.concatenate([x.astype(_DTYPES[kind]), np.ones(-size % lanes, _DTYPES[kind])])
            for x in operands
        ]
        made = np.empty_like(padded[0])
        run(*(x.ctypes.data for x in padded), made.ctypes.data, len(made))
        return made[:size]

    call.module = module  # type: ignore[attr-defined]
    return call


def _logarithmic(low: float, high: float, random: Any, size: int) -> np.ndarray:
    return np.exp(random.uniform(np.log(low), np.log(high), size))


def _signed(x: np.ndarray, random: Any) -> np.ndarray:
    return np.where(random.random(len(x)) < 0.5, x, -x)


def arguments(name: str, kind: str, size: int, seed: int = 1) -> Arrays:
    """About `size` numbers over the whole range of the function, more of them where it is difficult."""
    r = np.random.default_rng(seed)
    n = size // 4 + 1
    tiny = _signed(_logarithmic(1e-310, 1.0, r, n), r)
    close = _signed(_logarithmic(1e-17, 0.9, r, n), r)
    positive = [_logarithmic(5e-324, 1.7e308, r, n), r.uniform(0.3, 3.0, n), 1.0 + close]
    quarters = np.rint(r.uniform(-6e5, 6e5, n)) * (np.pi / 2)
    one: dict[str, list[np.ndarray]] = {
        "exp": [r.uniform(-746, 710, 2 * n), r.uniform(-1, 1, n), close],
        "exp2": [r.uniform(-1076, 1025, 2 * n), r.uniform(-1, 1, n), close],
        "expm1": [r.uniform(-45, 710, n), r.uniform(-2, 2, n), tiny, close],
        "sinh": [r.uniform(-711, 711, n), r.uniform(-3, 3, n), tiny, close],
        "cosh": [r.uniform(-711, 711, 2 * n), r.uniform(-3, 3, n), close],
        "tanh": [r.uniform(-25, 25, n), r.uniform(-2, 2, n), tiny, close],
        "log": positive,
        "log2": positive,
        "log10": positive,
        "log1p": [positive[0], r.uniform(-1, 3, n), np.abs(close) - 1.0, close],
        "sin": [r.uniform(-10, 10, n), r.uniform(-1e6, 1e6, n), quarters, tiny],
        "cos": [r.uniform(-10, 10, n), r.uniform(-1e6, 1e6, n), quarters, tiny],
        "tan": [r.uniform(-10, 10, n), r.uniform(-1e6, 1e6, n), quarters, tiny],
        "asin": [r.uniform(-1, 1, 2 * n), _signed(1 - np.abs(close), r), tiny],
        "acos": [r.uniform(-1, 1, 2 * n), _signed(1 - np.abs(close), r), tiny],
        "atan": [r.uniform(-4, 4, 2 * n), _signed(_logarithmic(1e-300, 1e300, r, n), r), tiny],
        "erf": [r.uniform(-6, 6, n), r.uniform(-1.5, 1.5, n), tiny, close],
        "erfc": [r.uniform(-6, 27, n), r.uniform(-2, 2, n), r.uniform(0.3, 3, n), close],
        "cbrt": [_signed(positive[0], r), r.uniform(-10, 10, 2 * n), tiny],
    }
    if name in one:
        made = [np.concatenate(one[name])]
    elif name == "atan2":
        made = [
            np.concatenate([r.uniform(-4, 4, n), _signed(_logarithmic(a, b, r, n), r), wide])
            for a, b in ((1e-5, 1e5), (1e-5, 1e5))
            for wide in [_signed(_logarithmic(1e-300, 1e300, r, n), r)]
        ]
    else:
        base = [r.uniform(0, 4, n), positive[0], 1.0 + close, r.uniform(0.9, 1.1, n)]
        exponent = [
            r.uniform(-10, 10, n),
            close,
            _signed(_logarithmic(1, 1e15, r, n), r),
            r.uniform(-5000, 5000, n),
        ]
        made = [np.concatenate(base), np.concatenate(exponent)]
    with np.errstate(over="ignore", under="ignore"):
        made = [x.astype(_DTYPES[kind]) for x in made]
    # Mpmath has no negative zero.
    finite = np.logical_and.reduce([np.isfinite(x) & (x != 0) for x in made])
    return [x[finite] for x in made]


_EXACT: dict[str, Callable[..., Any]] = {
    "exp2": lambda x: mpf(2) ** x,
    "log2": lambda x: mp.log(x, 2),
    "cbrt": lambda x: mp.cbrt(abs(x)) * mp.sign(x),
    "pow": lambda x, y: mp.power(x, y),
}
_IN_NUMPY = {
    "asin": "arcsin",
    "acos": "arccos",
    "atan": "arctan",
    "atan2": "arctan2",
    "pow": "power",
}


def exact(name: str, operands: Sequence[float]) -> Any:
    """The value to 160 bits; None at a pole or outside of the domain."""
    function = _EXACT.get(name) or getattr(mp, name)
    try:
        made = function(*(mpf(float(x)) for x in operands))
    except (ValueError, ZeroDivisionError):
        return None
    return made if mp.im(made) == 0 else None


def error_of(made: float, wanted: Any, kind: str) -> float:
    """The error in units in the last place; what overflows to infinity is right."""
    digits, least = _DIGITS[kind]
    if wanted is None:
        return 0.0
    if np.isinf(made):
        rounded = mpf(2) ** _LARGEST[kind] * (1 - mpf(2) ** (-digits - 1))
        return 0.0 if abs(wanted) >= rounded and (made > 0) == (wanted > 0) else float("inf")
    if np.isnan(made):
        return float("inf")
    if wanted == 0:
        return 0.0 if made == 0 else float("inf")
    unit = mpf(2) ** max(mp.frexp(wanted)[1] - digits, least)
    return float(abs(mpf(float(made)) - wanted) / unit)


def _extended(name: str, operands: Arrays) -> np.ndarray:
    """The values in long doubles."""
    wide = [x.astype(np.longdouble) for x in operands]
    function = getattr(np, _IN_NUMPY.get(name, name), None)
    if function is None:
        raise LookupError(f"NumPy has no {name}")
    with np.errstate(all="ignore"):
        return function(*wide)


def worst(name: str, kind: str, points: int, checked: int) -> tuple[float, tuple[float, ...], int]:
    """The largest error found, where it is, and how many numbers were looked at."""
    operands = arguments(name, kind, max(points, checked))
    made = vector_function(name, kind)(*operands)
    rng = np.random.default_rng(0)
    chosen = rng.permutation(len(made))[:checked]
    looked_at = len(chosen)
    if points > checked and np.finfo(np.longdouble).nmant == 63:
        try:
            reference = _extended(name, operands)
        except LookupError:
            chosen = rng.permutation(len(made))[:points]
            looked_at = len(chosen)
        else:
            digits, least = _DIGITS[kind]
            with np.errstate(all="ignore"):
                unit = np.ldexp(
                    np.longdouble(1), np.maximum(np.frexp(reference)[1] - digits, least)
                )
                errors = np.abs(made.astype(np.longdouble) - reference) / unit
            errors[~np.isfinite(errors)] = 0
            chosen = np.concatenate([chosen, np.argsort(errors)[-300:]])
            looked_at = len(made)
    found = [
        (error_of(made[k], exact(name, [x[k] for x in operands]), kind), int(k)) for k in chosen
    ]
    error, place = max(found)
    return error, tuple(float(x[place]) for x in operands), looked_at


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*")
    parser.add_argument("--points", type=int, default=1_000_000)
    parser.add_argument("--checked", type=int, default=20_000)
    asked = parser.parse_args()
    names = asked.names or [name for name, each in ELEMENTARY.items() if not each.helper]
    print("| function | double | at | float | at |")
    print("|---|---|---|---|---|")
    for name in names:
        cells = [f"`{name}`"]
        for kind in ("double", "float"):
            error, place, _ = worst(name, kind, asked.points, asked.checked)
            cells += [f"{error:.3f}", ", ".join(f"{x!r}" for x in place)]
        print(f"| {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()

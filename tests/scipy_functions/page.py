"""Writes docs/functions.md: ``python -m tests.scipy_functions.page``, some minutes.

Errors are those of the walk that the tests make, against mpmath.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import enzyme
from enzyme.engine.derivatives.catalogue import all_entries
from enzyme.engine.derivatives.scipy.names import PREFIX
from enzyme.engine.derivatives.scipy.pointers import RESULTS
from tests.scipy_functions.primals import CONSTANT, FUNCTIONS
from tests.scipy_functions.walk import (
    FORWARD,
    ONCE,
    REVERSE,
    Errors,
    Walk,
    first_errors,
    line,
    names,
    second_errors,
)

PAGE = Path(enzyme.__file__).resolve().parent.parent / "docs" / "functions.md"
HEAD = """# Special functions

What compiled code calls through `scipy.special.cython_special`, in whatever way it holds the address: a pointer of
`ctypes` or cffi, an object with a `__wrapper_address__`, `numba.extending.get_cython_function_address`, or a library
that does so, as `numba_stats` and `numba-scipy` do. The compiler knows the function behind the address by name.

```python
>>> from numba import float64, njit, types
>>> from numba.extending import get_cython_function_address
>>> from enzyme import grad
>>> class Gammainc(types.WrapperAddressProtocol):
...     def __wrapper_address__(self):
...         return get_cython_function_address("scipy.special.cython_special", "gammainc")
...     def signature(self):
...         return float64(float64, float64)
>>> gammainc = Gammainc()
>>> @njit
... def probability(shape, x):
...     return gammainc(shape, x)
>>> [round(d, 12) for d in grad(probability, argnums=(0, 1))(2.0, 1.5)]
[-0.313488637825, 0.334695240223]
```

The functions must be declared with the types that they have; with others a call is one of an unknown address, which is
refused. Derivatives with respect to shape parameters and orders are integrals that are computed to working precision
(`enzyme/frontend/special`), not differences; each costs some microseconds to a hundred, and its code is compiled when
a derivative first needs it.

## Points without a derivative

* `xlogy`, `xlog1py`: at x = 0 the derivative in y is 0, and that in x the logarithm: infinite at y = 0.
* `entr`, `rel_entr`, `kl_div`: infinite in x at 0. 0 where the function is infinite by definition.
* `erfinv`, `erfcinv`, `ndtri`, `logit` and other inverses: infinite at the ends of their ranges, and nan in other
  operands there.
* `cbrt`: 0 at 0. `pseudo_huber`: 0 in delta at delta = 0. `huber`: of the quadratic side where both meet.
* Numbers of trials and successes, degrees of polynomials in integers: the functions truncate them, the derivative is 0.
* `binom`, `poch`: nan where a gamma function in them has a pole.
* Bessel functions in the order: nan for x < 0, where they are complex, and at large x no more digits than a wave of x
  radians has (1e-9 at x = 1e4); `hyp2f1`, `hyp1f1` and `hyperu` in parameters:
  nan where Euler's integral does not exist (`c > a > 0` or `c > b > 0` with x < 1; `b > a > 0`; `a > 0` and x > 0),
  or where one of these differences is less than 1e-4.

## Table

Worst relative errors at the points of `tests/scipy_functions/primals.py`: of first derivatives, in forward and reverse
mode, which agree to rounding, and of second ones, forward over reverse. "-": compared with differences. Written by
`python -m tests.scipy_functions.page`.

"""
OF_COMPLEX = """
## Of complex numbers

These have rows for complex operands, too, in both modes and again, with errors below 1e-12 and 1e-9 at the points of
`tests/scipy_functions/test_scipy_functions_of_complex.py`; orders, degrees and parameters are real and constant there:

"""
TAIL = """

## Refused

These are known by name, and an active operand is an error that says so:

"""


def main() -> None:
    chosen = [n for n in names() if n != "ellipj_am" and n not in CONSTANT]
    first, _ = first_errors(Walk([line(n) for n in chosen]))
    write(chosen, first, {})
    twice = [n for n in chosen if any(line(n, twice=True).active)]
    second = second_errors(Walk([line(n, twice=True) for n in twice]), FORWARD, REVERSE)
    write(chosen, first, second)


def write(chosen: list[str], first: Errors, second: Errors) -> None:
    text = "| function | operand | forward | reverse | second order | first: worst error | second: worst error |\n"
    text += "|---|---|---|---|---|---|---|\n"
    for name in chosen:
        row = all_entries()[line(name).symbol].row
        assert row is not None
        for place in range(len(line(name).letters)):
            rule = row.rules[place]
            head = f"| `{name}` | {place + 1} |"
            if rule is None:
                text += f"{head} 0 | 0 | 0 | | |\n"
            elif rule.lacks:
                text += f"{head} refused | refused | refused | | |\n"
            else:
                found = [e.size for (n, i, _), e in second.items() if n == name and i == place]
                error = f"{max(found):.0e}" if found and name in FUNCTIONS else "-" if found else ""
                answer = "yes" if place not in ONCE.get(name, set()) else "refused"
                text += f"{head} yes | yes | {answer} | {first[name, place, place].size:.0e} | {error} |\n"
    PAGE.write_text(HEAD + text + OF_COMPLEX + _listed(_of_complex()) + TAIL + _refused())


def _of_complex() -> set[str]:
    """Functions with rows for complex operands."""
    rows = {n for n, e in all_entries().items() if n.startswith(PREFIX) and e.row is not None}
    symbols = {n for n in rows if n.endswith("z")} | {
        of for of, _, _ in RESULTS.values() if ".z" in of
    }
    return {s.split(".")[1] for s in symbols}


def _listed(found: Iterable[str]) -> str:
    return ", ".join(f"`{n}`" for n in sorted(found))


def _refused() -> str:
    import scipy.special.cython_special  # noqa: F401

    from enzyme.frontend.c_functions import exported_symbols

    known = {*names(), *(of.split(".")[1] for of, _, _ in RESULTS.values())}
    exported = exported_symbols()
    others = {s.split(".")[1] for s in exported} - known - _of_complex()
    complex_ones = {s.split(".")[1] for s in exported if "z" in s.rpartition(".")[2]}
    with_complex = (complex_ones & known) - _of_complex()
    return f"{_listed(others)}\n\nwith complex operands: {_listed(with_complex)}\n"


if __name__ == "__main__":
    main()

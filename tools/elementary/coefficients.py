"""Finds the polynomials of `enzyme.backend.elementary` and writes them as its `coefficients.py`.

    python -m tools.elementary.coefficients > enzyme/backend/elementary/coefficients.py

A polynomial is that of least squares at the nodes of Chebyshev, whose error is within a small factor of the smallest.
Its coefficients are rounded to doubles one after the other, the lowest first; those behind make up for what was lost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from mpmath import mp, mpf

mp.prec = 300

Function = Callable[[mpf], mpf]


def fit(
    f: Function, low: float, high: float, degree: int, weight: Function = lambda x: mpf(1)
) -> list[float]:
    """Doubles c with sum c[k] x^k near f(x) between `low` and `high`; the error is small times `weight`."""
    count = 4 * (degree + 1)
    middle, radius = (mpf(low) + mpf(high)) / 2, (mpf(high) - mpf(low)) / 2
    nodes = [middle + radius * mp.cos(mp.pi * (2 * k + 1) / (2 * count)) for k in range(count)]
    weights = [weight(x) for x in nodes]
    rest = [f(x) for x in nodes]
    found: list[float] = []
    for first in range(degree + 1):
        powers = [[w * x**k for k in range(first, degree + 1)] for x, w in zip(nodes, weights)]
        best = mp.lu_solve(mp.matrix(powers), mp.matrix([w * r for w, r in zip(weights, rest)]))
        found.append(float(best[0]))
        rest = [r - mpf(found[-1]) * x**first for r, x in zip(rest, nodes)]
    return found


def error(f: Function, coefficients: list[float], low: float, high: float) -> float:
    """The base-2 logarithm of the largest absolute error."""
    points = [mpf(low) + (mpf(high) - low) * k / 997 for k in range(1, 997)]
    worst = max(
        abs(f(x) - mp.fsum(mpf(c) * x**k for k, c in enumerate(coefficients))) for x in points
    )
    return float(mp.log(worst, 2))


def parts(x: mpf, *bits: int) -> list[float]:
    """X as a sum of doubles, each but the last of as many bits as given."""
    made: list[float] = []
    rest = x
    for count in bits:
        scale = mpf(2) ** (count - 1 - int(mp.floor(mp.log(abs(rest), 2))))
        made.append(float(mp.nint(rest * scale) / scale))
        rest -= mpf(made[-1])
    return [*made, float(rest)]


@dataclass(frozen=True)
class Fit:
    """A function between two numbers, and the degrees that doubles and singles need."""

    f: Function
    low: float
    high: float
    double: int
    single: int
    weight: Function = lambda x: mpf(1)

    def rows(self) -> tuple[list[float], list[float]]:
        return tuple(  # type: ignore[return-value]
            fit(self.f, self.low, self.high, degree, self.weight)
            for degree in (self.double, self.single)
        )


def _erfc_factor(t: mpf) -> mpf:
    a = 3 * (1 + t) / (1 - t)
    return mp.exp(a * a) * mp.erfc(a) * (1 + 2 * a)


_HALF_LN2 = float(mp.log(2) / 2) * 1.001
_EIGHTH = (mp.pi / 4 * mpf("1.001")) ** 2
_TANGENT = mp.tan(mp.pi / 8) ** 2 * mpf("1.001")
_ROOT = mp.sqrt(2)
_ARTANH = ((_ROOT - 1) / (_ROOT + 1)) ** 2


def _of_root(f: Function, constant: int) -> Function:
    """(f(√z) / √z - constant) / z."""
    return lambda z: (f(mp.sqrt(z)) / mp.sqrt(z) - constant) / z


POLYNOMIALS = {
    "EXP": Fit(lambda r: (mp.exp(r) - 1 - r) / r**2, -_HALF_LN2, _HALF_LN2, 10, 4),
    "COSH": Fit(lambda z: (mp.cosh(mp.sqrt(z)) - 1) / z, 0, _HALF_LN2**2, 5, 2),
    "SINH": Fit(_of_root(mp.sinh, 1), 0, _HALF_LN2**2, 5, 2),
    "LOG": Fit(_of_root(lambda s: 2 * mp.atanh(s), 2), 0, _ARTANH, 6, 2),
    "ARTANH": Fit(
        lambda z: (3 * mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 3 - z) / z**2, 0, _ARTANH, 6, 3
    ),
    "SIN": Fit(_of_root(mp.sin, 1), 0, _EIGHTH, 5, 2),
    "COS": Fit(lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, 0, _EIGHTH, 5, 2),
    "ATAN": Fit(_of_root(mp.atan, 1), 0, _TANGENT, 10, 4),
    "ASIN": Fit(_of_root(mp.asin, 1), 0, 0.25, 13, 5),
    "CBRT": Fit(lambda x: 1 / mp.cbrt(x), 1 / _ROOT, _ROOT, 5, 3),
    "ERF": Fit(lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1, 0, 0.81, 11, 5),
    "LOG_ERFC": Fit(lambda u: -mp.log(mp.erfc(u + 1)), -0.1, 5, 18, 9, lambda u: mp.erfc(u + 1)),
    "ERFC": Fit(_erfc_factor, (0.49 - 3) / (0.49 + 3), 25 / 31, 21, 10),
}

CONSTANTS = {
    "LOG2_E": parts(1 / mp.log(2)),
    "LN2": parts(mp.log(2), 42),
    "LN2_PAIR": parts(mp.log(2), 53),
    "LOG2_E_PARTS": parts(1 / mp.log(2), 21),
    "LOG10_E_PARTS": parts(1 / mp.log(10), 21),
    "LOG10_2": parts(mp.log(2, 10), 42),
    "TWO_THIRDS_LOG2_E": parts(2 / (3 * mp.log(2)), 26),
    "TWO_OVER_PI": parts(2 / mp.pi),
    "QUARTER_PI": parts(mp.pi / 4, 53),
    "HALF_PI_PAIR": parts(mp.pi / 2, 53),
    "HALF_PI": parts(mp.pi / 2, 33, 33, 33),
    "THREE_QUARTERS_PI": parts(3 * mp.pi / 4, 53),
    "PI": parts(mp.pi, 53),
    "INVERSE_ROOTS": [float(mp.cbrt(mpf(1) / 2)), float(mp.cbrt(2))],
}

_HEAD = '''"""Constants, largest part first, and polynomials, lowest power first.

Made by ``python -m tools.elementary.coefficients``.
"""

from __future__ import annotations

from typing import NamedTuple


class Polynomial(NamedTuple):
    """Coefficients that give a double all its digits, and those that are enough for a single."""

    double: tuple[float, ...]
    single: tuple[float, ...]

'''


def main() -> None:
    print(_HEAD)
    for name, numbers in CONSTANTS.items():
        if len(numbers) == 1 or not any(numbers[1:]):
            print(f"{name} = {numbers[0]!r}")
        else:
            print(f"{name} = ({', '.join(map(repr, numbers))})")
    for name, wanted in POLYNOMIALS.items():
        print(f"\n{name} = Polynomial(")
        for row in wanted.rows():
            print("    (")
            for number in row:
                print(f"        {number!r},")
            print("    ),")
        print(")")


if __name__ == "__main__":
    main()

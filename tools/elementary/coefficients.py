"""Finds the polynomials of `enzyme.backend.elementary` and writes them as its `coefficients.py`.

    python -m tools.elementary.coefficients > enzyme/backend/elementary/coefficients.py

A polynomial is that of least squares at the nodes of Chebyshev, whose error is within a small factor of the smallest.
Its coefficients are rounded to doubles one after the other, the lowest first; those behind make up for what was lost.
"""

from __future__ import annotations

from collections.abc import Callable

from mpmath import mp, mpf

mp.prec = 300

Function = Callable[[mpf], mpf]


def fit(
    f: Function, low: float, high: float, degree: int, weight: Function = lambda x: mpf(1)
) -> list[float]:
    """Doubles c with sum c[k] x^k near f(x) between `low` and `high`; the error is small times `weight`."""
    count = 4 * (degree + 1)
    middle, radius = (mpf(low) + mpf(high)) / 2, (mpf(high) - mpf(low)) / 2
    nodes = [
        middle + radius * mp.cos(mp.pi * (2 * k + 1) / (2 * count)) for k in range(count)
    ]
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


def at_zero(f: Function, value: float) -> Function:
    """F, which is a quotient without a value at zero."""
    return lambda x: mpf(value) if x == 0 else f(x)


def _rows() -> dict[str, list[float]]:
    half = float(mp.log(2) / 2) * 1.001
    made: dict[str, list[float]] = {}
    made["LOG2_E"] = [float(1 / mp.log(2))]
    made["LN2"] = parts(mp.log(2), 42)
    made["EXP"] = fit(lambda r: (mp.exp(r) - 1 - r) / r**2, -half, half, 10)
    made["LN2_PAIR"] = parts(mp.log(2), 53)
    square = half * half
    made["COSH"] = fit(lambda z: (mp.cosh(mp.sqrt(z)) - 1) / z, 0, square, 5)
    made["SINH"] = fit(lambda z: (mp.sinh(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, 0, square, 5)
    made["LOG2_E_PARTS"] = parts(1 / mp.log(2), 21)
    made["LOG10_E_PARTS"] = parts(1 / mp.log(10), 21)
    made["LOG10_2"] = parts(mp.log(2, 10), 42)
    root = mp.sqrt(2)
    largest = ((root - 1) / (root + 1)) ** 2
    made["LOG"] = fit(lambda z: (2 * mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 2) / z, 0, largest, 6)
    made["TWO_OVER_PI"] = [float(2 / mp.pi)]
    made["HALF_PI"] = parts(mp.pi / 2, 33, 33, 33)
    largest = (mp.pi / 4 * mpf("1.001")) ** 2
    made["SIN"] = fit(lambda z: (mp.sin(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, 0, largest, 5)
    made["COS"] = fit(lambda z: (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2, 0, largest, 5)
    made["QUARTER_PI"] = parts(mp.pi / 4, 53)
    made["HALF_PI_PAIR"] = parts(mp.pi / 2, 53)
    made["THREE_QUARTERS_PI"] = parts(3 * mp.pi / 4, 53)
    made["PI"] = parts(mp.pi, 53)
    largest = mp.tan(mp.pi / 8) ** 2 * mpf("1.001")
    made["ATAN"] = fit(lambda z: (mp.atan(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, 0, largest, 10)
    made["ASIN"] = fit(lambda z: (mp.asin(mp.sqrt(z)) / mp.sqrt(z) - 1) / z, 0, 0.25, 13)
    made["TWO_THIRDS_LOG2_E"] = parts(2 / (3 * mp.log(2)), 26)
    largest = ((root - 1) / (root + 1)) ** 2
    made["ARTANH"] = fit(
        lambda z: (3 * mp.atanh(mp.sqrt(z)) / mp.sqrt(z) - 3 - z) / z**2, 0, largest, 6
    )
    made["INVERSE_ROOTS"] = [float(mp.cbrt(mpf(1) / 2)), float(mp.cbrt(2))]
    made["CBRT"] = fit(lambda x: 1 / mp.cbrt(x), 1 / root, root, 5)
    made["ERF"] = fit(lambda z: mp.erf(mp.sqrt(z)) / mp.sqrt(z) - 1, 0, 0.81, 11)
    made["LOG_ERFC"] = fit(
        lambda u: -mp.log(mp.erfc(u + 1)), -0.1, 5, 18, lambda u: mp.erfc(u + 1)
    )
    made["ERFC"] = fit(_erfc_factor, (0.49 - 3) / (0.49 + 3), 25 / 31, 21)
    return made


def _erfc_factor(t: mpf) -> mpf:
    a = 3 * (1 + t) / (1 - t)
    return mp.exp(a * a) * mp.erfc(a) * (1 + 2 * a)


def main() -> None:
    print('"""Polynomials and constants, lowest power or largest part first."""')
    print("# Made by `python -m tools.elementary.coefficients`.\n")
    for name, row in _rows().items():
        if len(row) == 1:
            print(f"{name} = {row[0]!r}")
        else:
            print(f"{name} = (")
            for number in row:
                print(f"    {number!r},")
            print(")")


if __name__ == "__main__":
    main()

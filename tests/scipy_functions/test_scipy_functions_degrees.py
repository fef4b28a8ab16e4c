"""Orthogonal polynomials of degrees that are integers and doubles, negative ones and those of constants among them."""

from __future__ import annotations

import mpmath as mp
import numpy as np
import pytest

from enzyme.engine.derivatives.catalogue import all_entries
from enzyme.engine.derivatives.scipy.names import PREFIX
from tests.scipy_functions.primals import FUNCTIONS
from tests.scipy_functions.walk import MODES, WIDTH, Line, Walk

DEGREES = (-5, -4, -2, -1, 0, 1, 2, 5)
REFLECTED = "legendre sh_legendre chebyt chebyu chebyc chebys sh_chebyt sh_chebyu".split()
OTHERS = "gegenbauer laguerre genlaguerre jacobi sh_jacobi".split()
PARAMETERS = {
    "gegenbauer": (0.7,),
    "genlaguerre": (0.7,),
    "jacobi": (0.7, 0.3),
    "sh_jacobi": (1.7, 0.9),
}
X = 0.23


def lines(degree):
    """Both variants of every polynomial that has this degree."""
    found = []
    for name in REFLECTED + (OTHERS if degree >= 0 else []):
        count = len(PARAMETERS.get(name, ()))
        for letter in "ld" if degree == int(degree) else "d":
            letters = letter + "d" * (count + 1)
            symbol = f"{PREFIX}eval_{name}.{letters}"
            assert symbol in all_entries()
            active = (*[False] * (count + 1), True)
            found.append(Line(name, symbol, letters, active, active))
    return found


def right(name, degree, order):
    """Of a negative degree, by the polynomial that it stands for."""
    sign = 1
    if degree < -0.5 and "legendre" in name:
        degree = -1 - degree
    elif degree < 0 and name in ("chebyt", "chebyc", "sh_chebyt"):
        degree = -degree
    elif degree < -1 and name in ("chebyu", "chebys", "sh_chebyu"):
        degree, sign = -2 - degree, -1
    elif degree == -1:
        return 0.0
    primal = FUNCTIONS[f"eval_{name}"][0]
    with mp.workdps(40):
        given = (degree, *PARAMETERS.get(name, ()))
        return sign * float(mp.diff(lambda x: primal(*given, x), mp.mpf(X), order))


@pytest.mark.parametrize("degree", [*DEGREES, -2.5, 0.5])
def test_degrees(degree):
    walk = Walk(lines(degree))
    x = np.zeros((walk.size, WIDTH))
    places = []
    for k, row in enumerate(walk.lines):
        given = (degree, *PARAMETERS.get(row.name, ()), X)
        x[k, : len(given)] = given
        places.append(len(given) - 1)
    every = np.arange(walk.size)
    first = np.array([right(row.name, degree, 1) for row in walk.lines])
    second = np.array([right(row.name, degree, 2) for row in walk.lines])
    for found in (walk.jacobian(x.ravel()), walk.adjoints(x.ravel())):
        np.testing.assert_allclose(found[every, places], first, rtol=1e-11, atol=1e-12)
    for outer, inner in MODES:
        for place in set(places):
            mine = np.array(places) == place
            found = walk.second(x.ravel(), place, place, outer, inner)
            np.testing.assert_allclose(found[mine], second[mine], rtol=1e-9, atol=1e-10)

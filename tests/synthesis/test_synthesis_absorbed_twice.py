"""Second derivatives where infinities are absorbed, in all four nestings."""

from __future__ import annotations

import numpy as np
import pytest

from enzyme import grad, jacfwd, jacrev

from .test_synthesis_absorbed import SOURCES, WAYS, function

pytestmark = pytest.mark.rotating(90)

NESTINGS = {
    "forward over reverse": lambda f: jacfwd(grad(f)),
    "reverse over reverse": lambda f: jacrev(grad(f)),
    "reverse over forward": lambda f: jacrev(jacfwd(f)),
    "forward over forward": lambda f: jacfwd(jacfwd(f)),
}


@pytest.mark.parametrize("nesting", NESTINGS)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("source", SOURCES)
def test_what_is_absorbed_has_no_second_derivative(source, way, nesting):
    f = function(f"v = {source}\n    {way}")
    x = np.array([SOURCES[source][0], 0.7])
    # x[1] times itself where it is what is left.
    twice = 4.0 if "a[1]" in way else 2.0
    np.testing.assert_allclose(NESTINGS[nesting](f)(x), [[0.0, 0.0], [0.0, twice]], atol=1e-300)

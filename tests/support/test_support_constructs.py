"""Every construct of `docs/support.md` works as it says, or is refused as it says."""

from __future__ import annotations

import numpy as np
import pytest

from enzyme import Active, Duplicated, DuplicatedNoNeed, Forward, Reverse, autodiff
from enzyme.errors import EnzymeError
from tests.support.constructs import CONSTRUCTS, DOCUMENT, document

pytestmark = pytest.mark.rotating(27)

X, Y = np.array([0.7, 1.2, 0.9, 1.4, 0.6, 1.1]), 1.3


@pytest.mark.parametrize(
    "construct", [c for c in CONSTRUCTS if c.phrase is None], ids=lambda c: c.title
)
def test_supported(construct):
    f = construct.function
    rng = np.random.default_rng(5)
    v, w = rng.standard_normal(6), rng.standard_normal()
    dx = np.zeros(6)
    ((_, dy),) = autodiff(Reverse, f, Active, Duplicated(X.copy(), dx), Active(Y))
    arguments = Duplicated(X.copy(), v.copy()), Duplicated(Y, w)
    (tangent,) = autodiff(Forward, f, DuplicatedNoNeed, *arguments)
    assert tangent == pytest.approx(v @ dx + w * dy, rel=1e-12, abs=1e-12)
    step = 1e-6
    high, low = (f(X + s * v, Y + s * w) for s in (step, -step))
    assert tangent == pytest.approx((high - low) / (2 * step), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("construct", [c for c in CONSTRUCTS if c.phrase], ids=lambda c: c.title)
@pytest.mark.parametrize("mode", [Forward, Reverse])
def test_refused(construct, mode):
    returned = Active if mode is Reverse else Duplicated
    y = Active(Y) if mode is Reverse else Duplicated(Y, 1.0)
    with pytest.raises(EnzymeError, match=construct.phrase) as caught:
        autodiff(mode, construct.function, returned, Duplicated(X.copy(), np.zeros(6)), y)
    assert "constructs.py" in str(caught.value)


def test_the_document_is_up_to_date():
    assert DOCUMENT.read_text(encoding="utf-8") == document(), (
        "write it anew: python -m tests.support.constructs"
    )

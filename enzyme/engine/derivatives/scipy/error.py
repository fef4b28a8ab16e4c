"""Error functions, exponential integrals, and the profile of Voigt."""

from __future__ import annotations

import math

from enzyme.engine.derivatives.scipy.calls import THIRD, Partial, ours, own, scipy, special
from enzyme.engine.derivatives.terms import Term, compare, intrinsic, where

_ERF_SLOPE = 2.0 / math.sqrt(math.pi)


def _exp(x: Term) -> Term:
    return intrinsic("exp", x)


special("erf", "d", lambda y, x: _ERF_SLOPE * _exp(-(x * x)))
special("erfc", "d", lambda y, x: -_ERF_SLOPE * _exp(-(x * x)))
special("erfi", "d", lambda y, x: _ERF_SLOPE * _exp(x * x))
special("erfinv", "d f", lambda y, p: (1.0 / _ERF_SLOPE) * _exp(y * y), note="infinite at -1 and 1")
special("erfcinv", "d", lambda y, p: (-1.0 / _ERF_SLOPE) * _exp(y * y), note="infinite at 0 and 2")
# What 2 x erfcx(x) - 2 / sqrt(pi) and 1 - 2 x dawsn(x) are without cancellation.
special("erfcx", "d", lambda y, x: own("erfcx_1", x))
ours("erfcx_1", lambda y, x: own("erfcx_2", x))
ours("erfcx_2", lambda y, x: 4.0 * own("erfcx_1", x) + 2.0 * x * y)
special("dawsn", "d", lambda y, x: own("dawsn_1", x))
ours("dawsn_1", lambda y, x: own("dawsn_2", x))
ours("dawsn_2", lambda y, x: -4.0 * own("dawsn_1", x) - 2.0 * x * y)

special("exp1", "d", lambda y, x: -_exp(-x) / x)
special("expi", "d", lambda y, x: _exp(x) / x)


def _expn(y: Term, n: Term, x: Term) -> Term:
    first = compare("olt", n, 1.0)
    return where(first, -y * (1.0 + 1.0 / x), -scipy("expn", n - 1.0, x))


special("expn", "dd ld", None, _expn)

# The profile of Voigt is the real part of F(x + i gamma), whose derivatives in x are F1, F2 and so on; that in gamma is
# i F1, and that in sigma is sigma F2.
_VOIGT = 4


def _voigt_partials(part: str, order: int) -> list[Partial | str]:
    other, sign = ("im", -1.0) if part == "re" else ("re", 1.0)

    def call(name: str, n: int, factor: float = 1.0, by_sigma: bool = False) -> Partial | str:
        if n > _VOIGT:
            return THIRD

        def partial(y: Term, x: Term, sigma: Term, gamma: Term) -> Term:
            found = factor * own(f"voigt_{name}_{n}", x, sigma, gamma)
            return sigma * found if by_sigma else found

        return partial

    return [
        call(part, order + 1),
        call(part, order + 2, by_sigma=True),
        call(other, order + 1, sign),
    ]


special("voigt_profile", "ddd", *_voigt_partials("re", 0))
for _order in range(1, _VOIGT + 1):
    ours(f"voigt_re_{_order}", *_voigt_partials("re", _order))
    ours(f"voigt_im_{_order}", *_voigt_partials("im", _order))

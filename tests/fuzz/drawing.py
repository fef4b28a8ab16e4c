"""How hypothesis draws programs: every choice as likely as any other, every program a new one.

Left alone, hypothesis prefers small numbers, hence the first of several options, and spends most of
its examples on variations of others.  That finds simple mistakes soon, and what stands at the end of
a list never.
"""

from __future__ import annotations

from typing import Any

import hypothesis
from hypothesis.internal.conjecture.providers import AVAILABLE_PROVIDERS, HypothesisProvider


class Evenly(HypothesisProvider):
    """Draws integers with equal probability; failures are shrunk as always."""

    def draw_integer(
        self, min_value: int | None = None, max_value: int | None = None, **options: Any
    ) -> int:
        if min_value is None or max_value is None:
            return super().draw_integer(min_value, max_value, **options)
        assert self._random is not None
        return self._random.randint(min_value, max_value)


AVAILABLE_PROVIDERS["evenly"] = Evenly


def settings(count: int, **options: Any) -> Any:
    """Settings of hypothesis for `count` programs."""
    return hypothesis.settings(
        max_examples=count,
        backend="evenly",
        database=None,
        deadline=None,
        suppress_health_check=list(hypothesis.HealthCheck),
        **options,
    )

"""The seed from which tangents are drawn where a test gives none."""

from __future__ import annotations

from typing import Any

import numpy as np

_seed = 0


def set_seed(seed: int) -> None:
    """Draw tangents from another seed from now on; ``pytest --enzyme-seed`` calls it.

    Examples
    --------
    >>> set_seed(0)
    """
    global _seed
    _seed = seed


def generator(rng: Any) -> tuple[np.random.Generator, str]:
    """Return the generator for a test, from None, a seed or a generator, and how to have it again."""
    if isinstance(rng, np.random.Generator):
        state: Any = rng.bit_generator.state
        return rng, f"the generator that was given had the state {state['state']}"
    seed = _seed if rng is None else rng
    how = f"rng={seed}" + (f", or pytest --enzyme-seed={seed}" if rng is None else "")
    return np.random.default_rng(seed), how

"""Gradients of linear algebra against those of JAX, on one thread, for matrices of 10, 100 and 1,000 rows.

    python -m benchmarks factorisations

Each is the gradient of a number that a factorisation leads to, as a user of either library would write it. Ours and
JAX's take turns in one process, both are compared before. What is printed is JAX's time over ours.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import geometric_mean, median
from typing import Any

import numpy as np
from numba import njit
from rich.console import Console
from rich.progress import track
from rich.table import Table

from benchmarks.measure import interleaved
from benchmarks.report import WIDTH, keep

SIZES = (10, 100, 1000)
LEAST_MEAN, LEAST = 1.0, 0.7  # ratios that are aimed at


@njit
def log_determinant(a):
    return 2.0 * np.sum(np.log(np.diag(np.linalg.cholesky(a))))


@njit
def solution(a, b):
    return np.sum(np.linalg.solve(a, b) ** 2)


@njit
def nuclear_norm(a):
    return np.sum(np.linalg.svd(a)[1])


@njit
def eigenvalues(a):
    return np.sum(np.exp(-np.linalg.eigvalsh(a) / len(a)))


@njit
def eigenvectors(a, b):
    values, vectors = np.linalg.eigh(a)
    return np.sum(np.sqrt(values) * (vectors.T @ b) ** 2)


@njit
def chain(a, b, c):
    return np.sum((a @ b @ c) ** 2)


def for_jax() -> dict[str, Any]:
    """The same functions as JAX's users write them."""
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)

    def of_vectors(a, b):
        values, vectors = jnp.linalg.eigh(a)
        return jnp.sum(jnp.sqrt(values) * (vectors.T @ b) ** 2)

    return {
        "log_determinant": lambda a: 2.0 * jnp.sum(jnp.log(jnp.diag(jnp.linalg.cholesky(a)))),
        "solution": lambda a, b: jnp.sum(jnp.linalg.solve(a, b) ** 2),
        "nuclear_norm": lambda a: jnp.sum(jnp.linalg.svd(a)[1]),
        "eigenvalues": lambda a: jnp.sum(jnp.exp(-jnp.linalg.eigvalsh(a) / len(a))),
        "eigenvectors": of_vectors,
        "chain": lambda a, b, c: jnp.sum((a @ b @ c) ** 2),
    }


FUNCTIONS = (log_determinant, solution, nuclear_norm, eigenvalues, eigenvectors, chain)


def inputs(name: str, n: int) -> tuple[Any, ...]:
    rng = np.random.default_rng(n)
    a, b, c = (rng.standard_normal((n, n)) / np.sqrt(n) for _ in range(3))
    definite = a @ a.T + np.eye(n)
    if name in ("log_determinant", "eigenvalues"):
        return (definite,)
    if name in ("solution", "eigenvectors"):
        return definite, rng.standard_normal(n)
    return (a,) if name == "nuclear_norm" else (a, b, c)


@dataclass(slots=True)
class Ratio:
    """Seconds of both gradients, and of the primal."""

    name: str
    size: int
    primal: float
    ours: float
    jax: float

    @property
    def ratio(self) -> float:
        return self.jax / self.ours


def measure(function: Any, theirs: Any, size: int, repeat: int) -> Ratio:
    """Take turns; medians."""
    import jax
    import jax.numpy as jnp

    from enzyme import Active, Duplicated, Reverse, autodiff

    name = function.__name__
    arrays = inputs(name, size)
    shadows = [np.zeros_like(x) for x in arrays]
    annotated = [Duplicated(x, d) for x, d in zip(arrays, shadows, strict=True)]
    compiled = jax.jit(jax.grad(theirs, argnums=tuple(range(len(arrays)))))
    given = [jnp.asarray(x) for x in arrays]

    def ours() -> None:
        for shadow in shadows:
            shadow[:] = 0.0
        autodiff(Reverse, function, Active, *annotated)

    def other() -> Any:
        return jax.block_until_ready(compiled(*given))

    ours()
    _compare(name, shadows, other(), symmetric=name not in ("nuclear_norm", "chain"))
    samples = interleaved([lambda: function(*arrays), ours, other], repeat)
    return Ratio(name, size, *map(median, samples))


def _compare(name: str, ours: list[Any], theirs: Any, symmetric: bool) -> None:
    """Of a symmetric matrix either library may say which triangle it is read from."""
    for mine, other in zip(ours, map(np.asarray, theirs), strict=True):
        if symmetric and mine.ndim == 2:
            mine, other = mine + mine.T, other + other.T
        off = np.abs(mine - other).max() / np.abs(other).max()
        if not off < 1e-7:
            raise ArithmeticError(f"{name}: the two gradients differ by {off:.1e}")


HEADS = ("function", "rows", "primal", "gradient / primal", "JAX / ours")


def rows(found: list[Ratio]) -> list[list[str]]:
    """What is shown of each, and the mean of the last column."""
    made = [
        [
            r.name,
            f"{r.size}",
            f"{1e3 * r.primal:.3g} ms",
            f"{r.ours / r.primal:.2f}",
            f"{r.ratio:.2f}",
        ]
        for r in found
    ]
    return [*made, ["geometric mean", "", "", "", f"{geometric_mean(r.ratio for r in found):.2f}"]]


def table(found: list[Ratio]) -> Table:
    made = Table(title="Gradients of linear algebra, JAX against ours", width=WIDTH)
    for column in HEADS:
        made.add_column(column, justify="left" if column == HEADS[0] else "right")
    for row in rows(found):
        made.add_row(*row)
    return made


def main(given: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks factorisations", description=__doc__
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES)
    parser.add_argument("--repeat", type=int, default=9)
    options = parser.parse_args(given)
    errors = Console(stderr=True)
    theirs = for_jax()
    pairs = [(f, n) for f in FUNCTIONS for n in options.sizes]
    found = [
        measure(f, theirs[f.__name__], n, options.repeat)
        for f, n in track(pairs, "measuring", console=errors, transient=True)
    ]
    shown = table(found)
    Console(width=WIDTH).print(shown)
    mean, least = geometric_mean(r.ratio for r in found), min(r.ratio for r in found)
    line = f"aimed at: a mean of {LEAST_MEAN}, none below {LEAST}"
    print(line)
    if tuple(options.sizes) == SIZES:
        folder = Path(__file__).parent / "results"
        keep(folder, "factorisations", shown, [line], {"results": [asdict(r) for r in found]})
    return int(mean < LEAST_MEAN or least < LEAST)


if __name__ == "__main__":
    sys.exit(main())

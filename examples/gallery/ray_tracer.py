"""A ray tracer run backwards: where a sphere is, and how large, from one picture.

    python examples/gallery/ray_tracer.py

A ray for each pixel meets three spheres that a near lamp lights. A sphere covers a ray by a smooth step of radius minus
distance, and spheres hide what is behind them, sorted by depth. From a picture, the middle sphere's place and radius
are found by BFGS. The lamp tells depth and size apart. The true values must come out, with and without noise in the
picture, and forward mode must give the same derivative as reverse mode. A start from which spheres would have to
pass one another can end elsewhere.
"""

from __future__ import annotations

import timeit
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from numba import njit
from rich.console import Console
from rich.table import Table
from scipy.optimize import minimize

from enzyme import jacfwd, value_and_grad

SIZE, SOFT, LAMP = 48, 0.03, np.array([-1.5, 2.0, 1.5])
OTHERS = np.array([[-0.9, -0.5, 5.6, 1.1], [0.75, 0.75, 3.4, 0.5]])  # x, y, depth, radius
TRUE = np.array([0.35, -0.25, 4.2, 0.9])
START = np.array([0.0, 0.2, 4.0, 0.6])


@njit
def trace(sphere, x, y, z):
    """How much a sphere covers a ray of direction (x, y, z), and how bright it is there."""
    along = sphere[0] * x + sphere[1] * y + sphere[2] * z
    distance2 = sphere[0] ** 2 + sphere[1] ** 2 + sphere[2] ** 2 - along * along
    radius = sphere[3]
    cover = 0.5 + 0.5 * np.tanh((radius - np.sqrt(distance2 + 1e-9)) / SOFT)
    q = radius * radius - distance2
    t = along - np.sqrt(0.5 * (q + np.sqrt(q * q + 1e-4)))  # smooth where the ray is a tangent
    ray, towards, length2 = (x, y, z), 0.0, 0.0
    for k in range(3):
        lamp = LAMP[k] - t * ray[k]
        towards += lamp * (t * ray[k] - sphere[k]) / radius
        length2 += lamp * lamp
    return cover, 0.1 + 6.0 * max(towards, 0.0) / length2**1.5


@njit
def render(p):
    """A picture of the sphere `p` and the others."""
    spheres = np.empty((3, 4))
    spheres[0], spheres[1:] = p, OTHERS
    order = np.argsort(spheres[:, 2])
    picture = np.empty((SIZE, SIZE))
    for i in range(SIZE):
        for j in range(SIZE):
            x, y = (j + 0.5) / SIZE - 0.5, 0.5 - (i + 0.5) / SIZE
            scale = 1.0 / np.sqrt(x * x + y * y + 1.0)
            passed, light = 1.0, 0.0
            for k in order:
                cover, shade = trace(spheres[k], x * scale, y * scale, scale)
                light += passed * cover * shade
                passed *= 1.0 - cover
            picture[i, j] = light + 0.05 * passed
    return picture


@njit
def loss(p, seen):
    return ((render(p) - seen) ** 2).sum()


def main():
    clean, both = render(TRUE), value_and_grad(loss)
    noisy = clean + np.random.default_rng(9).normal(scale=0.02, size=clean.shape)
    slope = both(START, clean)[1]
    ends = [[loss(START + h, clean) for h in s * np.eye(4)] for s in (1e-6, -1e-6)]
    miss = np.abs(slope / np.subtract(*ends) * 2e-6 - 1.0).max()
    assert miss < 1e-6, miss
    forward = 2.0 * np.tensordot(render(START) - clean, jacfwd(render)(START))
    np.testing.assert_allclose(forward, slope, rtol=1e-9)

    options = {"jac": True, "method": "BFGS"}
    found = [minimize(both, START, args=(seen,), **options) for seen in (clean, noisy)]
    np.testing.assert_allclose(found[0].x, TRUE, atol=1e-4)
    change = jacfwd(render)(TRUE)
    errors = 0.02 * np.sqrt(np.diag(np.linalg.inv(np.einsum("ija,ijb->ab", change, change))))
    assert np.all(np.abs(found[1].x - TRUE) < 4.0 * errors), (found[1].x - TRUE, errors)
    table = Table("", "x", "y", "depth", "radius", title=f"A sphere in {SIZE} x {SIZE} pixels")
    rows = {"start": START, "true": TRUE, "found": found[0].x}
    rows |= {"found, with noise": found[1].x, "standard error": errors}
    for name, p in rows.items():
        table.add_row(name, *(f"{number:.4f}" for number in p))
    Console().print(table)
    calls = [timeit.repeat(lambda f=f: f(START, clean), number=20) for f in (loss, both)]
    times = [min(seconds) * 5e4 for seconds in calls]
    print("picture {:.0f} us, with gradient {:.0f} us".format(*times))
    print(f"gradient against differences: {miss:.1e}; {found[0].nfev} pictures")

    figure, panels = plt.subplots(1, 4, figsize=(7, 2.1), dpi=80)
    pictures = {"start": render(START), "seen": noisy, "found": render(found[1].x)}
    for axes, (name, picture) in zip(panels, pictures.items(), strict=False):
        axes.imshow(picture, cmap="gray", vmin=0.0, vmax=0.8)
        axes.set_title(name)
    panels[3].imshow(change[:, :, 3], cmap="coolwarm", vmin=-3.0, vmax=3.0)
    panels[3].set_title("slope by radius")
    for axes in panels:
        axes.axis("off")
    figure.tight_layout()
    figure.savefig(Path(__file__).with_suffix(".png"))


if __name__ == "__main__":
    main()

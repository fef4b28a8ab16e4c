"""Heat conduction along a line, implicit in time, differentiable."""

from heatline.materials import conductivity
from heatline.model import heat
from heatline.tridiagonal import solve

__all__ = ["conductivity", "heat", "solve"]

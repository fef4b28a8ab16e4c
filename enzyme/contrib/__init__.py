"""What is written with the public functions, as users could write it: no part of the compiler imports it."""

from enzyme.contrib.fits import least_squares
from enzyme.contrib.implicit import fixed_point, linear_solve, root
from enzyme.contrib.matrix_free import conjugate_gradients

__all__ = ["conjugate_gradients", "fixed_point", "least_squares", "linear_solve", "root"]

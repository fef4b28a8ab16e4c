"""What is written with the public functions, as users could write it: no part of the compiler imports it."""

from enzyme.contrib.implicit import fixed_point, linear_solve, root

__all__ = ["fixed_point", "linear_solve", "root"]

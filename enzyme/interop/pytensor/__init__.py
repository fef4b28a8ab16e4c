"""Functions that numba compiles as functions of PyTensor's variables, with derivatives of every order.

>>> import pytensor
>>> import pytensor.tensor as pt
>>> from enzyme.interop.pytensor import function
>>> def decay(x, rate):
...     total = 0.0
...     for i in range(len(x)):
...         total += x[i] ** 2 / (1.0 + rate * i)
...     return total
>>> x = pt.dvector("x")
>>> slope = pytensor.function([x], pt.grad(function(decay)(x, 1.0), x), mode="NUMBA")
>>> slope([1.0, 2.0, 3.0])
array([2., 2., 2.])
"""

from enzyme.interop.pytensor.functions import function

__all__ = ["function"]

"""Functions that numba compiles as functions of TensorFlow's tensors, with derivatives of every order.

>>> import tensorflow as tf
>>> from enzyme.interop.tensorflow import function
>>> def decay(x, rate):
...     total = 0.0
...     for i in range(len(x)):
...         total += x[i] ** 2 / (1.0 + rate * i)
...     return total
>>> x = tf.constant([1.0, 2.0, 3.0], tf.float64)
>>> with tf.GradientTape() as tape:
...     tape.watch(x)
...     y = function(decay)(x, 1.0)
>>> print(tape.gradient(y, x).numpy())
[2. 2. 2.]
"""

from enzyme.interop.tensorflow.functions import function

__all__ = ["function"]

"""What the rules of `easy_rule` compute with; each function has its meaning in compiled code only.

In a batch, tangents, adjoints, shadows and seeds are tuples with one member per lane.
"""

from __future__ import annotations

from typing import Any, NoReturn


def compiled_only(name: str) -> Any:
    """A function that only compiled code can call, where it gets its meaning."""

    def function(*args: Any) -> NoReturn:
        raise NotImplementedError(f"{name} runs in compiled rules only")

    function.__name__ = function.__qualname__ = name
    return function


# The primal and its tangent as one annotation: both(config, omega, tangent).
both = compiled_only("both")
# Fill the shadow of a result with zeros: clear(config, shadow).
clear = compiled_only("clear")
# The tangents of several results as one: joined(config, omega, tangents).
joined = compiled_only("joined")
# A zero adjoint of a number: no_adjoint(config, value).
no_adjoint = compiled_only("no_adjoint")
# A zero tangent of a result: no_tangent(config, omega).
no_tangent = compiled_only("no_tangent")
# A partial, if it is one of this result by this argument, else an error:
# partial(title, row, argument, partial, result, value).
partial = compiled_only("partial")
# An adjoint, plus what a seed adds through a partial: pull(config, adjoint, partial, seed, value).
pull = compiled_only("pull")
# The same, added to shadows: pull_into(config, shadow, partial, seed, value).
pull_into = compiled_only("pull_into")
# A tangent, plus a partial times the tangent of an argument: push(config, tangent, partial, dval).
push = compiled_only("push")
# What one function returned for all partials, as a tuple with a tuple per result: rows(title, rows, count, results).
rows = compiled_only("rows")
# The adjoint of result `row` (-1: the only one): seed(config, dret, shadow, row).
seed = compiled_only("seed")
# A shadow of zeros for a result in memory: zeros(config, omega).
zeros = compiled_only("zeros")

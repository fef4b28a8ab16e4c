"""A function of numbers and arrays with all the derivatives that a host may ask for: each is such a function again.

A host sees a list of inputs, of which some carry derivatives, and a list of outputs.  Products with the Jacobian, from
either side, are functions of more inputs; so whatever nesting the host does is nesting here.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-any-return"

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from enzyme.api.combined import derivative
from enzyme.api.overlaps import share
from enzyme.api.separate import call_of_values, written
from enzyme.api.values import closure, jitted
from enzyme.errors import ActivityError
from enzyme.frontend.functions.weighed import weighed
from enzyme.functional import batch, grad, jvp, value_and_grad
from enzymecore import Const, ForwardWithPrimal
from enzymecore.copying import copied

NUMBER, ARRAY, OTHER = "number", "array", "other"
COMPLEX_NUMBER, COMPLEX_ARRAY = "complex number", "complex array"


class Maker:
    """Makes things of its own once for each key, whichever thread asks: backward passes run in threads of their own."""

    def __init__(self) -> None:
        self._made: dict[Any, Any] = {}
        self._lock = threading.RLock()

    def _once(self, key: Any, make: Any, *given: Any) -> Any:
        found = self._made.get(key)
        if found is None:
            with self._lock:
                found = self._made.get(key)
                if found is None:
                    found = self._made[key] = make(*given)
        return found


class Derivable(Maker):
    """A function of `count` inputs; `results` says what it returns, one kind per output, once that is known.

    `alone` says that it returns one value and no tuple, `writes` that it writes to inputs, of which it gets copies.
    `is_number` says that it does nothing but return one real number, `is_derivative` that it was made here,
    `runs_again` that nothing was to be kept of a run for a backward pass: then nobody tries again.
    `sample` is the function of one sample, where this is one of many.  With `complex_too` complex outputs count, too:
    they are paired with a cotangent by their real and imaginary parts, so that adjoints are u_x + i u_y.
    """

    def __init__(
        self,
        f: Any,
        count: int,
        name: str,
        sample: Derivable | None = None,
        complex_too: bool = False,
    ) -> None:
        self.f = f
        self.count = count
        self.name = name
        self.sample = sample
        self.complex_too = complex_too
        self.alone = True
        self.writes = False
        self.is_number = False
        self.is_derivative = False
        self.runs_again = False
        self.results: tuple[str, ...] | None = None
        super().__init__()

    def __call__(self, inputs: Sequence[Any]) -> tuple[Any, ...]:
        """The outputs, none of which shares memory with an input."""
        f, given = self.f, (Const, *map(Const, inputs))
        call = derivative(ForwardWithPrimal, f, given)
        found = call_of_values(call, given)[0]
        self.writes = bool(written(call, given))
        self.alone = not isinstance(found, tuple)
        outputs = (found,) if self.alone else found
        if any(_has_no_axes(y) for y in outputs):
            self.f = self._once(("in numbers", f), self._in_numbers, f, outputs)
            return self(inputs)
        self.results = tuple([self._kind(y) for y in outputs])
        self.is_number = self.results == (NUMBER,) and self.alone and not self.writes
        if self.sample is not None and self.sample.results is None:
            self.sample.alone = self.alone
            self.sample.writes = self.writes
            self.sample.results = tuple(map(self._kind_of_sample, outputs))
        return own(outputs, inputs)

    def pullback(self, wanted: tuple[int, ...], seeded: tuple[int, ...]) -> Derivable:
        """Of the inputs, and a cotangent for each output in `seeded`: the adjoints of the inputs in `wanted`."""
        return self._once(("pullback", wanted, seeded), self._pullback, wanted, seeded)

    def pushforward(self, moving: tuple[int, ...]) -> Derivable:
        """Of the inputs, and a tangent for each in `moving`: the tangents of the outputs that have one."""
        return self._once(("pushforward", moving), self._pushforward, moving)

    def paired(self, seeded: tuple[int, ...]) -> Any:
        """Of the inputs, and a cotangent for each output in `seeded`, compiled: the sum of all products of the two.

        Its gradient is the pullback.
        """
        return self._once(("paired", seeded), self._paired, seeded)

    def with_gradient(self, wanted: tuple[int, ...]) -> Any:
        """Of the inputs, compiled: the output, which is one number, and the adjoints of the inputs in `wanted`."""
        return self._once(("gradient", wanted), self._with_gradient, wanted)

    def batched(self, axes: tuple[int | None, ...]) -> Derivable:
        """Of many samples: of each input along an axis, or of one that all have in common."""
        return self._once(("batched", axes), self._batched, axes)

    def _in_numbers(self, f: Any, outputs: Sequence[Any]) -> Any:
        """The function with numbers in place of arrays without axes."""
        names = ", ".join(self._names())
        parts = ["y"] if self.alone else [f"y[{k}]" for k in range(len(outputs))]
        found = ", ".join(
            f"{part}[()]" if _has_no_axes(y) else part
            for part, y in zip(parts, outputs, strict=True)
        )
        body = f"y = f({names})\n        return {found if self.alone else f'({found},)'}"
        return closure(jitted(f, self.count), names, body, self.name)

    def _paired(self, seeded: tuple[int, ...]) -> Any:
        names, results = self._names(), self._known()
        terms = []
        for k in seeded:
            y = "y" if self.alone else f"y[{k}]"
            terms.append(_PAIRINGS[results[k]].format(s=f"s{k}", y=y))
        seeds = [f"s{k}" for k in seeded]
        body = f"y = f({', '.join(names)})\n        return weighed({' + '.join(terms)})"
        return closure(
            jitted(self.f, self.count),
            ", ".join([*names, *seeds]),
            body,
            f"pullback_of_{self.name}",
            weighed=weighed,
        )

    def _pullback(self, wanted: tuple[int, ...], seeded: tuple[int, ...]) -> Derivable:
        slopes = grad(self.paired(seeded), argnums=wanted)
        return self._like(slopes, self.count + len(seeded), f"pullback_of_{self.name}")

    def _with_gradient(self, wanted: tuple[int, ...]) -> Any:
        names = ", ".join(self._names())
        slopes = ", ".join(f"d[{k}]" for k in range(len(wanted)))
        return closure(
            jitted(value_and_grad(self.f, argnums=wanted), self.count),
            names,
            f"y, d = f({names})\n        return (y, {slopes})",
            f"value_and_gradient_of_{self.name}",
        )

    def _pushforward(self, moving: tuple[int, ...]) -> Derivable:
        names, results = self._names(), self._known()
        tangents = [f"t{k}" for k in moving]
        along = ", ".join(f"t{k}" if k in moving else "None" for k in range(self.count))
        kept = [k for k, kind in enumerate(results) if kind != OTHER]
        listed = "d" if self.alone else f"({', '.join(f'd[{k}]' for k in kept)},)"
        body = f"d = jvp(f, ({', '.join(names)},), ({along},))[1]\n        return {listed}"
        made = closure(
            jitted(self.f, self.count),
            ", ".join([*names, *tangents]),
            body,
            f"pushforward_of_{self.name}",
            jvp=jvp,
        )
        return self._like(made, self.count + len(tangents), f"pushforward_of_{self.name}")

    def _batched(self, axes: tuple[int | None, ...]) -> Derivable:
        made = Derivable(
            batch(self.f, axes), self.count, f"batch_of_{self.name}", self, self.complex_too
        )
        made.is_derivative = self.is_derivative
        return made

    def _like(self, f: Any, count: int, name: str) -> Derivable:
        made = Derivable(f, count, name, complex_too=self.complex_too)
        made.is_derivative = True
        return made

    def _kind(self, y: Any) -> str:
        if self.complex_too and isinstance(y, complex | np.complexfloating):
            return COMPLEX_NUMBER
        if self.complex_too and isinstance(y, np.ndarray) and y.dtype.kind == "c":
            return COMPLEX_ARRAY
        return _kind(y)

    def _kind_of_sample(self, y: Any) -> str:
        kind = self._kind(y)
        return _NUMBERS.get(kind, kind) if np.ndim(y) == 1 else kind

    def _names(self) -> list[str]:
        return [f"x{k}" for k in range(self.count)]

    def _known(self) -> tuple[str, ...]:
        assert self.results is not None, "the function runs before its derivatives"
        return self.results


def own(outputs: Sequence[Any], inputs: Sequence[Any]) -> tuple[Any, ...]:
    """The outputs, with copies of those that are in the memory of an input or of another output."""
    arrays = [x for x in inputs if isinstance(x, np.ndarray)]
    found = []
    for y in outputs:
        if isinstance(y, np.ndarray):
            if any(share(y, x) for x in arrays):
                y = y.copy()
            arrays.append(y)
        found.append(y)
    return tuple(found)


def _has_no_axes(y: Any) -> bool:
    return isinstance(y, np.ndarray) and not y.ndim


def as_it_is(x: Any) -> Any:
    """A constant that nobody changes before the backward pass."""
    return x if isinstance(x, _UNCHANGED) else copied(x)


_UNCHANGED = (int, float, complex, str, np.number, np.bool_, type(None))
# What arrays of one axis are made of.
_NUMBERS = {ARRAY: NUMBER, COMPLEX_ARRAY: COMPLEX_NUMBER}
# The product of a cotangent and an output, by the kind of the output.
_PAIRINGS = {
    NUMBER: "{s} * {y}",
    ARRAY: "({s} * {y}).sum()",
    COMPLEX_NUMBER: "{s}.real * {y}.real + {s}.imag * {y}.imag",
    COMPLEX_ARRAY: "({s}.real * {y}.real + {s}.imag * {y}.imag).sum()",
}


def _kind(y: Any) -> str:
    if isinstance(y, float | np.floating):
        return NUMBER
    if isinstance(y, np.ndarray) and y.dtype.kind == "f":
        return ARRAY
    if isinstance(y, int | np.integer | np.bool_) or (
        isinstance(y, np.ndarray) and y.dtype.kind in "iub"
    ):
        return OTHER
    kind = f"an array of {y.dtype}" if isinstance(y, np.ndarray) else type(y).__name__
    raise no_tensor(kind)


def no_tensor(kind: str) -> ActivityError:
    """The error of a function that returns something else."""
    return ActivityError(
        what=f"a function that returns {kind}, in a framework of tensors",
        why="tensors are numbers, arrays of floats or whole numbers, and tuples of those",
        todo="return one of those",
    )

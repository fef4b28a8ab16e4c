"""Functions with the types of their inputs and outputs, for hosts that know all types before anything runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from enzyme.api.combined import derivative
from enzyme.api.separate import written
from enzyme.api.values import closure, jitted
from enzyme.errors import EnzymeError
from enzyme.functional import value_and_grad
from enzyme.interop.arguments import Arguments
from enzyme.interop.derivable import Derivable, Maker
from enzyme.interop.forms import Form, is_float, kind_of
from enzymecore import Const, ForwardWithPrimal


class Typed(Maker):
    """A `Derivable` for inputs and outputs of these forms; its derivatives are such again, made once for each way."""

    def __init__(
        self, derivable: Derivable, inputs: tuple[Form, ...], outputs: tuple[Form, ...]
    ) -> None:
        super().__init__()
        self.derivable = derivable
        self.inputs = inputs
        self.outputs = outputs
        derivable.results = tuple(map(kind_of, outputs))

    def __repr__(self) -> str:
        return self.derivable.name

    @property
    def moved(self) -> tuple[int, ...]:
        """The places of the outputs that have derivatives."""
        return tuple([k for k, form in enumerate(self.outputs) if is_float(form)])

    def tangent(self, moving: tuple[int, ...]) -> Any:
        """Of the inputs, and a tangent for each in `moving`: the tangents of the outputs in `moved`."""
        return self._once(("tangent", moving), self._tangent, moving)

    def adjoint(self, wanted: tuple[int, ...], seeded: tuple[int, ...] | None = None) -> Any:
        """Of the inputs, and a cotangent for each output in `seeded`: the adjoints of the inputs in `wanted`.

        All outputs in `moved` have one if it is not said.
        """
        if seeded is None:
            seeded = self.moved
        return self._once(("adjoint", wanted, seeded), self._adjoint, wanted, seeded)

    def with_gradient(self, wanted: tuple[int, ...]) -> Any:
        """Of the inputs: the output, which is one number, and the gradient."""
        return self._once(("gradient", wanted), self._with_gradient, wanted)

    def _derived(
        self, derivable: Derivable, inputs: tuple[Form, ...], outputs: tuple[Form, ...], way: str
    ) -> Any:
        """What `way` leads to, of the host's own class."""
        raise NotImplementedError

    def _tangent(self, moving: tuple[int, ...]) -> Any:
        inputs = (*self.inputs, *(self.inputs[k] for k in moving))
        outputs = tuple(self.outputs[k] for k in self.moved)
        made = self.derivable.pushforward(moving)
        made.alone = self.derivable.alone
        return self._derived(made, inputs, outputs, f"tangent{moving}")

    def _adjoint(self, wanted: tuple[int, ...], seeded: tuple[int, ...]) -> Any:
        inputs = (*self.inputs, *(self.outputs[k] for k in seeded))
        outputs = tuple(self.inputs[k] for k in wanted)
        made = self.derivable.pullback(wanted, seeded)
        made.alone = False
        way = f"adjoint{wanted}" if seeded == self.moved else f"adjoint{wanted} of {seeded}"
        return self._derived(made, inputs, outputs, way)

    def _with_gradient(self, wanted: tuple[int, ...]) -> Any:
        count = len(self.inputs)
        slopes = ", ".join(f"d[{k}]" for k in range(len(wanted)))
        name = f"value_and_gradient_of_{self.derivable.name}"
        made = closure(
            jitted(value_and_grad(self.number, argnums=wanted), count),
            ", ".join(self._names()),
            f"y, d = f({', '.join(self._names())})\n        return (y, {slopes})",
            name,
        )
        derivable = Derivable(made, count, name)
        derivable.alone = False
        outputs = (*self.outputs, *(self.inputs[k] for k in wanted))
        return self._derived(derivable, self.inputs, outputs, f"gradient{wanted}")

    @property
    def number(self) -> Any:
        """The jitted function that returns the one output, which is a number."""
        one, count = self.derivable, len(self.inputs)
        if one.alone:
            return jitted(one.f, count)
        names = ", ".join(self._names())
        return self._once(
            "number", closure, jitted(one.f, count), names, f"return f({names})[0]", one.name
        )

    def _names(self) -> list[str]:
        return [f"x{k}" for k in range(len(self.inputs))]


def joined(inner: Any, given: Arguments, takes: bool, name: str) -> Any:
    """A function of arrays that calls `inner` with the arguments that are made of them.

    `takes` says that `inner` takes as many arguments, each in one way.
    """
    if given.sources == given.names and takes:
        return inner
    body = f"return f({', '.join(given.sources)})"
    return closure(inner, ", ".join(given.names), body, name, np=np, **given.scope)


def flattened(whole: Any, forms: list[Form], outputs: list[str], name: str) -> Derivable:
    """A function of arrays that returns `outputs`, sources in terms of the result `r`, and leaves its inputs alone."""
    copied = written_by(whole, forms)
    alone = outputs == ["r"]
    made = whole
    if copied or not (alone or outputs == [f"r[{k}]" for k in range(len(outputs))]):
        names = [f"x{k}" for k in range(len(forms))]
        taken = ", ".join(f"{x}.copy()" if k in copied else x for k, x in enumerate(names))
        back = outputs[0] if alone else f"({', '.join(outputs)},)"
        body = f"r = f({taken})\n        return {back}"
        made = closure(whole, ", ".join(names), body, name, np=np)
    derivable = Derivable(made, len(forms), name)
    derivable.alone = alone
    return derivable


def written_by(whole: Any, forms: list[Form]) -> list[int]:
    """The places of the arrays that a function may write to."""
    arrays = [k for k, form in enumerate(forms) if form.ndim]
    if not arrays:
        return []
    values = [
        np.ones((1,) * form.ndim, form.dtype) if form.ndim else np.dtype(form.dtype).type(1)
        for form in forms
    ]
    given = (Const, *map(Const, values))
    try:
        found = written(derivative(ForwardWithPrimal, whole, given), given)
    except EnzymeError:
        return arrays
    return [k for k in arrays if k + 1 in found]


def takes(signature: Any, count: int) -> bool:
    """Are these all parameters of a function, one for each?"""
    given = signature.parameters.values()
    plain = all(one.kind is one.POSITIONAL_OR_KEYWORD for one in given)
    return plain and len(given) == count

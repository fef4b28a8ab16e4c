"""Programs: what handlers call, with the types of inputs and outputs; their derivatives are programs again."""

from __future__ import annotations

import hashlib
import uuid
from threading import RLock
from typing import Any

import jax
import numba
import numpy as np

from enzyme.api.combined import autodiff
from enzyme.api.values import closure, jitted
from enzyme.disk import made_by
from enzyme.disk.fingerprint import Fingerprint, Unknown
from enzyme.functional import value_and_grad
from enzyme.interop.derivable import ARRAY, NUMBER, OTHER, Derivable, Maker
from enzyme.interop.jax.handlers import Form, Layer, handler
from enzymecore import Active, Const, Duplicated, Reverse, ReverseWithPrimal


class Program(Maker):
    """A function that compiled code calls, as `Derivable`, for inputs and outputs of these forms.

    It is found by its `label`, as `label_of` gives it, for the user's function, its `owner`. `filling` is the same as a
    jitted function that takes the arrays among the outputs, too, adds to them, and returns the numbers in a tuple.
    """

    def __init__(
        self,
        derivable: Derivable,
        inputs: tuple[Form, ...],
        outputs: tuple[Form, ...],
        label: str,
        owner: Any,
        filling: Any = None,
    ) -> None:
        super().__init__()
        self.derivable = derivable
        self.owner = owner
        self.filling = filling
        self.inputs = inputs
        self.outputs = outputs
        self.label = label
        derivable.results = tuple(map(_kind, outputs))

    def __repr__(self) -> str:
        return self.derivable.name

    @property
    def moved(self) -> tuple[int, ...]:
        """The places of the outputs that have derivatives."""
        return tuple([k for k, form in enumerate(self.outputs) if is_float(form)])

    def tangent(self, moving: tuple[int, ...]) -> Program:
        """Of the inputs, and a tangent for each in `moving`: the tangents of the outputs in `moved`."""
        return self._once(f"tangent{moving}", self._tangent, moving)  # type: ignore[no-any-return]

    def adjoint(self, wanted: tuple[int, ...]) -> Program:
        """Of the inputs, and a cotangent for each output in `moved`: the adjoints of the inputs in `wanted`."""
        return self._once(f"adjoint{wanted}", self._adjoint, wanted)  # type: ignore[no-any-return]

    def with_gradient(self, wanted: tuple[int, ...]) -> Program:
        """Of the inputs: the output, which is one number, and the gradient."""
        return self._once(f"gradient{wanted}", self._with_gradient, wanted)  # type: ignore[no-any-return]

    def target(self, layers: tuple[Layer, ...]) -> str:
        """The name under which XLA knows the handler; made when it is asked for first."""
        return self._once(layers, self._target, layers)  # type: ignore[no-any-return]

    def _tangent(self, moving: tuple[int, ...]) -> Program:
        inputs = (*self.inputs, *(self.inputs[k] for k in moving))
        outputs = tuple(self.outputs[k] for k in self.moved)
        made = self.derivable.pushforward(moving)
        made.alone = self.derivable.alone
        return Program(made, inputs, outputs, f"{self.label} tangent{moving}", self.owner)

    def _adjoint(self, wanted: tuple[int, ...]) -> Program:
        inputs = (*self.inputs, *(self.outputs[k] for k in self.moved))
        outputs = tuple(self.inputs[k] for k in wanted)
        made = self.derivable.pullback(wanted, self.moved)
        made.alone = False
        filling = _filling(Reverse, self.derivable.paired(self.moved), inputs, wanted, made.name)
        return Program(made, inputs, outputs, f"{self.label} adjoint{wanted}", self.owner, filling)

    def _with_gradient(self, wanted: tuple[int, ...]) -> Program:
        count, one = len(self.inputs), self.derivable
        names = ", ".join(f"x{k}" for k in range(count))
        inner = one.f
        if not one.alone:
            inner = closure(jitted(one.f, count), names, f"return f({names})[0]", one.name)
        inner = jitted(inner, count)
        slopes = ", ".join(f"d[{k}]" for k in range(len(wanted)))
        made = closure(
            jitted(value_and_grad(inner, argnums=wanted), count),
            names,
            f"y, d = f({names})\n        return (y, {slopes})",
            f"value_and_gradient_of_{one.name}",
        )
        derivable = Derivable(made, count, f"value_and_gradient_of_{one.name}")
        derivable.alone = False
        outputs = (*self.outputs, *(self.inputs[k] for k in wanted))
        filling = _filling(ReverseWithPrimal, inner, self.inputs, wanted, derivable.name)
        return Program(
            derivable, self.inputs, outputs, f"{self.label} gradient{wanted}", self.owner, filling
        )

    def _target(self, layers: tuple[Layer, ...]) -> str:
        said = f"{self.label} {self.inputs} {self.outputs} {layers} {made_by.digest()}"
        name = f"enzyme.{hashlib.sha256(said.encode()).hexdigest()[:32]}"
        with _lock:
            owners = _kept.setdefault(name, {})
            if self.owner not in owners:
                function = self.filling or jitted(self.derivable.f, len(self.inputs))
                way = "fills" if self.filling else "one" if self.derivable.alone else "tuple"
                made = handler(function, way, self.inputs, self.outputs, layers)
                name = f"{name}.{len(owners)}"
                capsule = jax.ffi.pycapsule(made.ctypes)
                jax.ffi.register_ffi_target(name, capsule, platform="cpu")
                owners[self.owner] = name, made
            return owners[self.owner][0]


def _filling(
    mode: Any, f: Any, inputs: tuple[Form, ...], wanted: tuple[int, ...], name: str
) -> Any:
    """The gradient of `f`, in `mode`, as a function that adds to arrays."""
    names, annotated = [f"x{k}" for k in range(len(inputs))], []
    for k, form in enumerate(inputs):
        kind = "Const" if k not in wanted else "Duplicated" if form.ndim else "Active"
        annotated.append(f"{kind}(x{k}, y{k})" if kind == "Duplicated" else f"{kind}(x{k})")
    arrays = [f"y{k}" for k in wanted if inputs[k].ndim]
    numbers = [f"d[{k}], " for k in wanted if not inputs[k].ndim]
    value = mode == ReverseWithPrimal
    body = (
        f"{'d, v' if value else 'd,'} = autodiff(mode, f, Active, {', '.join(annotated)})\n"
        f"        return ({'v, ' * value}{''.join(numbers)})"
    )
    return closure(
        f,
        ", ".join([*names, *arrays]),
        body,
        name,
        mode=mode,
        autodiff=autodiff,
        Active=Active,
        Const=Const,
        Duplicated=Duplicated,
    )


# Handlers by what they do, and for which function; XLA may call them for as long as the process runs. Executables that
# JAX keeps on disk have names of handlers in them, no addresses.
_kept: dict[str, dict[Any, tuple[str, Any]]] = {}
_lock = RLock()


def label_of(*parts: Any) -> str:
    """The same for the same program in every process; if its content does not determine it, of this process alone."""
    found = Fingerprint()
    try:
        for part in parts:
            found.add(part)
    except Unknown:
        return uuid.uuid4().hex
    return found.digest()


def is_float(form: Form) -> bool:
    """Do such arrays have derivatives?"""
    return form.dtype.startswith("float")


def _kind(form: Form) -> str:
    if not is_float(form):
        return OTHER
    return ARRAY if form.ndim else NUMBER


def numba_type(form: Form) -> Any:
    """Numba's type of an input."""
    kind = numba.from_dtype(np.dtype(form.dtype))
    return numba.types.Array(kind, form.ndim, "C") if form.ndim else kind

"""Programs: what a handler calls, with the types of its inputs and outputs, and its derivatives, which are programs again."""

from __future__ import annotations

import hashlib
import uuid
from threading import RLock
from typing import Any

import jax
import numba
import numpy as np

from enzyme.api.values import closure, jitted
from enzyme.disk import made_by
from enzyme.disk.fingerprint import Fingerprint, Unknown
from enzyme.functional import value_and_grad
from enzyme.interop.derivable import ARRAY, NUMBER, OTHER, Derivable
from enzyme.interop.jax.handlers import Form, Layer, handler


class Program:
    """A function that compiled code calls, as `Derivable`, for inputs and outputs of these forms."""

    def __init__(
        self,
        derivable: Derivable,
        inputs: tuple[Form, ...],
        outputs: tuple[Form, ...],
        label: str,
    ) -> None:
        self.derivable = derivable
        self.inputs = inputs
        self.outputs = outputs
        self.label = label
        derivable.results = tuple(map(_kind, outputs))
        self._made: dict[Any, Any] = {}
        self._lock = RLock()

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

    def _once(self, key: Any, make: Any, *given: Any) -> Any:
        with self._lock:
            found = self._made.get(key)
            if found is None:
                found = self._made[key] = make(*given)
            return found

    def _tangent(self, moving: tuple[int, ...]) -> Program:
        inputs = (*self.inputs, *(self.inputs[k] for k in moving))
        outputs = tuple(self.outputs[k] for k in self.moved)
        made = self.derivable.pushforward(moving)
        made.alone = self.derivable.alone
        return Program(made, inputs, outputs, f"{self.label} tangent{moving}")

    def _adjoint(self, wanted: tuple[int, ...]) -> Program:
        inputs = (*self.inputs, *(self.outputs[k] for k in self.moved))
        outputs = tuple(self.inputs[k] for k in wanted)
        made = self.derivable.pullback(wanted, self.moved)
        made.alone = False
        return Program(made, inputs, outputs, f"{self.label} adjoint{wanted}")

    def _with_gradient(self, wanted: tuple[int, ...]) -> Program:
        count, one = len(self.inputs), self.derivable
        names = ", ".join(f"x{k}" for k in range(count))
        value = "y" if one.alone else "y[0]"
        inner = one.f
        if not one.alone:
            inner = closure(jitted(one.f, count), names, f"return f({names})[0]", one.name)
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
        return Program(derivable, self.inputs, outputs, f"{self.label} gradient{wanted}")

    def _target(self, layers: tuple[Layer, ...]) -> str:
        said = f"{self.label} {self.inputs} {self.outputs} {layers} {made_by.digest()}"
        name = f"enzyme.{hashlib.sha256(said.encode()).hexdigest()[:32]}"
        with _lock:
            if name not in _kept:
                function = jitted(self.derivable.f, len(self.inputs))
                made = handler(
                    function, self.derivable.alone, self.inputs, self.outputs, layers
                )
                capsule = jax.ffi.pycapsule(made.ctypes)
                jax.ffi.register_ffi_target(name, capsule, platform="cpu")
                _kept[name] = made
        return name


# Handlers, which XLA may call for as long as the process runs.
_kept: dict[str, Any] = {}
_lock = RLock()


def label_of(*parts: Any) -> str:
    """What tells programs apart in every process: XLA keeps executables on disk, in which handlers are names.

    What its content does not determine is a program of this process alone.
    """
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

"""Programs: what handlers call, with the types of inputs and outputs; their derivatives are programs again."""

from __future__ import annotations

import hashlib
import uuid
from threading import RLock
from typing import Any

import jax

from enzyme.api.combined import autodiff
from enzyme.api.values import closure, jitted
from enzyme.disk import made_by
from enzyme.disk.fingerprint import Fingerprint, Unknown
from enzyme.interop.derivable import Derivable
from enzyme.interop.forms import Form
from enzyme.interop.jax.handlers import Layer, handler
from enzyme.interop.typed import Typed
from enzymecore import Active, Const, Duplicated, Reverse, ReverseWithPrimal


class Program(Typed):
    """A function that compiled code calls, as `Derivable`, for inputs and outputs of these forms.

    It is found by its `label`, as `label_of` gives it, for the user's function, its `owner`. `filling` is the same as a
    jitted function that takes the arrays among the outputs, too, adds to them, and returns the numbers in a tuple.
    `shared` is the same without its input `spare`, for batches of which all samples have that in common.
    """

    def __init__(
        self,
        derivable: Derivable,
        inputs: tuple[Form, ...],
        outputs: tuple[Form, ...],
        label: str,
        owner: Any,
    ) -> None:
        super().__init__(derivable, inputs, outputs)
        self.owner = owner
        self.filling: Any = None
        self.shared: Program | None = None
        self.spare = 0
        self.label = label

    def target(self, layers: tuple[Layer, ...]) -> str:
        """The name under which XLA knows the handler; made when it is asked for first."""
        return self._once(layers, self._target, layers)  # type: ignore[no-any-return]

    def _derived(
        self, derivable: Derivable, inputs: tuple[Form, ...], outputs: tuple[Form, ...], way: str
    ) -> Program:
        return Program(derivable, inputs, outputs, f"{self.label} {way}", self.owner)

    def _adjoint(self, wanted: tuple[int, ...], seeded: tuple[int, ...]) -> Any:
        made = super()._adjoint(wanted, seeded)
        paired = self.derivable.paired(seeded)
        made.filling = _filling(Reverse, paired, made.inputs, wanted, repr(made))
        return made

    def _with_gradient(self, wanted: tuple[int, ...]) -> Any:
        made = super()._with_gradient(wanted)
        made.filling = _filling(ReverseWithPrimal, self.number, self.inputs, wanted, repr(made))
        return made

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

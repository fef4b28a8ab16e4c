"""`Call`: the operator that runs a program in PyTensor's graphs; its derivatives are such operators again."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytensor.tensor as pt
from pytensor.gradient import DisconnectedType
from pytensor.graph.basic import Apply
from pytensor.graph.op import Op
from pytensor.link.numba.dispatch import numba_funcify
from pytensor.tensor.exceptions import ShapeError
from pytensor.tensor.type import TensorType

from enzyme.interop.derivable import Derivable
from enzyme.interop.forms import Form, is_float
from enzyme.interop.pytensor.compiled import compiled
from enzyme.interop.typed import Typed

Shapes = Sequence[Any]


class Program(Typed):
    """A program with the operator that runs it.

    `shapes` gives the shape of each output, or None, for those of the inputs. A derivative knows of which program
    it is one, its `origin`, by what steps it is found from the first, `path`, and which outputs have the shapes of
    inputs, `like`.
    """

    def __init__(
        self,
        derivable: Derivable,
        inputs: tuple[Form, ...],
        outputs: tuple[Form, ...],
        shapes: Callable[[Shapes], list[Any]],
        made_by: Any,
        origin: Program | None = None,
    ) -> None:
        super().__init__(derivable, inputs, outputs)
        self.shapes = shapes
        self.made_by = made_by
        self.origin = origin
        self.path: tuple[Any, ...] = ()
        self.like: tuple[int | None, ...] = (None,) * len(outputs)
        self.op = Call(self)

    def __reduce__(self) -> Any:
        return _found, (self.made_by, self.path)

    @property
    def function(self) -> Any:
        """The jitted function of arrays, those without axes among them."""
        return self._once("compiled", compiled, self)

    def step(self, way: str, *places: Any) -> Program:
        """A derivative, with its way back."""
        return self._once((way, "step", *places), self._step, way, *places)  # type: ignore[no-any-return]

    def _step(self, way: str, *places: Any) -> Program:
        made: Program = getattr(self, way)(*places)
        made.path = (*self.path, (way, *places))
        if way == "adjoint":
            made.like = places[0]
        elif way == "with_gradient":
            made.like = (None, *places[0])
        return made

    def _derived(
        self, derivable: Derivable, inputs: tuple[Form, ...], outputs: tuple[Form, ...], way: str
    ) -> Program:
        def shapes(given: Shapes) -> list[Any]:
            if way.startswith("tangent"):
                found = self.shapes(given[: len(self.inputs)])
                return [found[k] for k in self.moved]
            return [() if k is None else given[k] for k in made.like]

        made = Program(derivable, inputs, outputs, shapes, self.made_by, self)
        return made


def _found(made_by: Any, path: tuple[Any, ...]) -> Program:
    """The program at the end of a path, in this process."""
    function, key = made_by
    program: Program = function.program(*key)
    for way, *places in path:
        program = program.step(way, *places)
    return program


class Call(Op):  # type: ignore[misc]
    """Runs a program; two are equal if they run the same one."""

    __props__ = ("program",)

    def __init__(self, program: Program) -> None:
        self.program = program

    def __str__(self) -> str:
        return f"enzyme.{self.program!r}"

    def __reduce__(self) -> Any:
        return _op_of, (self.program,)

    def make_node(self, *inputs: Any) -> Apply:
        """The node for variables of the types that the program takes."""
        program = self.program
        given = [pt.as_tensor_variable(x) for x in inputs]
        forms = tuple(Form(x.dtype, x.ndim) for x in given)
        if forms != program.inputs:
            raise TypeError(f"{self} takes {program.inputs}, not {forms}")
        outputs = [
            TensorType(form.dtype, (None,) * form.ndim if k is None else given[k].type.shape)()
            for form, k in zip(program.outputs, program.like, strict=True)
        ]
        return Apply(self, given, outputs)

    def perform(self, node: Apply, inputs: Any, output_storage: Any) -> None:
        """Run the program outside of compiled graphs."""
        given = [x if x.flags.c_contiguous else np.ascontiguousarray(x) for x in inputs]
        found = self.program.function(*given)
        outputs = (found,) if len(output_storage) == 1 else found
        for cell, y in zip(output_storage, outputs, strict=True):
            cell[0] = y

    def infer_shape(self, fgraph: Any, node: Apply, shapes: Shapes) -> list[Any]:
        """The shapes that are known without a run."""
        found = self.program.shapes(shapes)
        if None in found:
            raise ShapeError(f"the shapes of {self} depend on its values")
        return [tuple(shape) for shape in found]

    def connection_pattern(self, node: Apply) -> list[list[bool]]:
        """Derivatives go from floats to floats."""
        program = self.program
        return [[is_float(x) and is_float(y) for y in program.outputs] for x in program.inputs]

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> list[Any]:
        """The adjoints of all floats, of which those that nobody wants are left out later."""
        program = self.program
        wanted = tuple(k for k, form in enumerate(program.inputs) if is_float(form))
        seeded = tuple(
            k for k in program.moved if not isinstance(cotangents[k].type, DisconnectedType)
        )
        found = [DisconnectedType()() for _ in inputs]
        if wanted and seeded:
            seeds = [pt.cast(cotangents[k], program.outputs[k].dtype) for k in seeded]
            adjoints = program.step("adjoint", wanted, seeded).op(*inputs, *seeds, return_list=True)
            for k, adjoint in zip(wanted, adjoints, strict=True):
                found[k] = adjoint
        return found

    def pushforward(self, inputs: Any, outputs: Any, tangents: Any) -> list[Any]:
        """The tangents of the outputs for those of some inputs."""
        program = self.program
        moving = tuple(
            k
            for k, form in enumerate(program.inputs)
            if is_float(form) and not isinstance(tangents[k].type, DisconnectedType)
        )
        found = [DisconnectedType()() for _ in program.outputs]
        if moving and program.moved:
            along = [pt.cast(tangents[k], program.inputs[k].dtype) for k in moving]
            moved = program.step("tangent", moving).op(*inputs, *along, return_list=True)
            for k, tangent in zip(program.moved, moved, strict=True):
                found[k] = tangent
        return found

    # The names that PyTensor had before 3.0.
    def L_op(self, inputs: Any, outputs: Any, output_grads: Any) -> list[Any]:
        """The same as `pullback`."""
        return self.pullback(inputs, outputs, output_grads)

    def R_op(self, inputs: Any, eval_points: Any) -> list[Any]:
        """The same as `pushforward`, with None for what does not move."""
        tangents = [DisconnectedType()() if x is None else x for x in eval_points]
        found = self.pushforward(inputs, None, tangents)
        return [None if isinstance(y.type, DisconnectedType) else y for y in found]


def _op_of(program: Program) -> Call:
    return program.op


@numba_funcify.register(Call)
def _funcify(op: Call, node: Any = None, **_: Any) -> Any:
    """In a compiled graph the program is called by compiled code."""
    return op.program.function

"""`function` and `Module`: what users of PyTorch call."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import torch

from enzyme.errors import ActivityError
from enzyme.functional.arguments import signature_of
from enzyme.interop.programs import Programs, leaves_of
from enzyme.interop.torch.autograd import applied
from enzyme.interop.torch.compiled import applied_in_graph, is_traced
from enzyme.interop.torch.tensors import is_fake, is_tensor, kind_of

_serial = itertools.count()
_is_compiling = torch.compiler.is_compiling
_callback = torch._C._dynamo.eval_frame.get_eval_frame_callback


def function(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function that numba compiles, as a function of tensors.

    Parameters
    ----------
    f
        The function: it takes numbers and arrays, and returns a number, an array, or a tuple of those.

    Returns
    -------
    function
        It takes what `f` takes, with tensors in place of arrays, and tensors without axes in place of numbers, also in
        tuples, lists, dictionaries with texts as keys, and dataclasses, and returns tensors. Those of floats and
        complex numbers carry derivatives of every order, in both modes, under `torch.func` too; whole numbers, NumPy
        arrays and numbers of Python are constants.

    Raises
    ------
    ActivityError
        When it is called, for tensors on other devices, or of half precision.
    EnzymeError
        As `gradient`, when derivatives are asked for.

    Examples
    --------
    >>> import torch
    >>> from enzyme.interop.torch import function
    >>> cube = function(lambda x: x**3)
    >>> x = torch.tensor(2.0, dtype=torch.float64, requires_grad=True)
    >>> (slope,) = torch.autograd.grad(cube(x), x, create_graph=True)
    >>> slope, torch.autograd.grad(slope, x)
    (tensor(12., dtype=torch.float64, grad_fn=<_NodeBackward>), (tensor(12., dtype=torch.float64),))
    >>> torch.func.vmap(torch.func.grad(cube))(torch.arange(3.0))
    tensor([ 0.,  3., 12.])
    """
    return TensorFunction(f)


class TensorFunction:
    """What `function` returns: called as `f` is, and pickled by it."""

    def __init__(self, f: Callable[..., Any]) -> None:
        self._f = f
        self.__wrapped__ = f
        self.__name__ = self.__qualname__ = getattr(f, "__name__", type(f).__name__)
        programs = Programs(f, self.__name__, kind_of)
        self.__doc__ = getattr(f, "__doc__", None)
        self.__signature__ = signature = signature_of(f)

        def run(*args: Any, **kwargs: Any) -> Any:
            if kwargs:
                bound = signature.bind(*args, **kwargs)
                bound.apply_defaults()
                args = bound.args
            args, tree = leaves_of(args, is_tensor)
            program = programs(args, tree)
            if is_traced() or any(map(is_fake, args)):
                found = applied_in_graph(program, args)
            else:
                found = applied(program, args)
            return found[0] if program.alone else found

        hidden = torch.compiler.disable(run)

        def call(_: str, *args: Any, **kwargs: Any) -> Any:
            return hidden(*args, **kwargs)

        # PyTorch's compiler takes functions of the same code for the same, but not texts that differ.
        self._own = f"function {next(_serial)}"
        self._run = run
        self._hidden = hidden
        self._call = torch.compiler.allow_in_graph(call)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if _is_compiling():
            return self._call(self._own, *args, **kwargs)
        if _callback() is not None:  # the compiler looks at all code that runs
            return self._hidden(*args, **kwargs)
        return self._run(*args, **kwargs)

    def __reduce__(self) -> Any:
        return TensorFunction, (self._f,)


class Module(torch.nn.Module):  # type: ignore[misc]
    """A module whose parameters are arguments of a function that numba compiles.

    Parameters
    ----------
    f
        As for `function`.
    **parameters
        Tensors, by the names of the arguments of `f`; they become parameters of the module. The other arguments are
        those of the module when it is called.

    Examples
    --------
    >>> import torch
    >>> from enzyme.interop.torch import Module
    >>> model = Module(lambda x, scale: scale * x * x, scale=torch.tensor(3.0))
    >>> model(torch.tensor([1.0, 2.0])).sum().backward()
    >>> model.scale.grad
    tensor(5.)
    """

    def __init__(self, f: Callable[..., Any], /, **parameters: Any) -> None:
        super().__init__()
        self._names = tuple(parameters)
        self._signature = signature_of(f)
        unknown = [name for name in parameters if name not in self._signature.parameters]
        taken = [name for name in parameters if hasattr(self, name)]
        if unknown or taken:
            name = (unknown or taken)[0]
            why = (
                "the function has no such argument"
                if unknown
                else "modules have something of this name"
            )
            raise ActivityError(
                what=f"a module with the parameter {name!r}",
                why=why,
                todo="name the argument of the function otherwise"
                if taken
                else "use a name of an argument",
            )
        for name, value in parameters.items():
            if not isinstance(value, torch.nn.Parameter):
                value = torch.nn.Parameter(torch.as_tensor(value))
            self.register_parameter(name, value)
        self._call = function(f)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        held = {name: getattr(self, name) for name in self._names}
        places = [name for name in self._signature.parameters if name not in held]
        bound = self._signature.bind(**dict(zip(places, args)), **kwargs, **held)
        bound.apply_defaults()
        return self._call(*bound.args)

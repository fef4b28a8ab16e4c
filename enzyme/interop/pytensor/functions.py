"""`function`: what users of PyTensor call."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-any-return"

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any

import pytensor.tensor as pt
from numba.core.errors import NumbaError

from enzyme.api.places import reason
from enzyme.api.values import jitted
from enzyme.errors import ActivityError
from enzyme.functional.arguments import signature_of
from enzyme.interop.forms import Form, Returned, numba_type, real_forms, returned, sources
from enzyme.interop.pytensor import rewrites  # noqa: F401
from enzyme.interop.pytensor.arguments import Variables, taken_apart
from enzyme.interop.pytensor.ops import Program, Shapes
from enzyme.interop.typed import flattened, joined, takes


def function(f: Callable[..., Any], shapes: Callable[..., Any] | None = None) -> Any:
    """A function that numba compiles, as a function of PyTensor's variables.

    Parameters
    ----------
    f
        The function: it takes numbers and arrays, and returns a number, an array, or a tuple of those.
    shapes
        If it is said, PyTensor need not run `f` to know the shape of what it returns: a function that takes the shapes
        of all numbers and arrays in the arguments, and returns that of the result, or a tuple of shapes. Shapes are
        tuples.

    Returns
    -------
    function
        It takes what `f` takes, with PyTensor's variables in place of arrays, and variables without axes in place of
        numbers, and returns variables. They carry derivatives of every order, in both modes; in graphs that numba
        compiles the code of `f` and of its derivatives is called without Python.

    Raises
    ------
    ActivityError
        When it is called with variables of which numba has no such numbers, or for which it cannot compile `f`.
    EnzymeError
        As `gradient`, when derivatives are compiled.

    Examples
    --------
    >>> import pytensor.tensor as pt
    >>> from enzyme.interop.pytensor import function
    >>> cube = function(lambda x: x**3)
    >>> x = pt.dscalar("x")
    >>> slope = pt.grad(cube(x), x)
    >>> float(slope.eval({x: 2.0})), float(pt.grad(slope, x).eval({x: 2.0}))
    (12.0, 12.0)
    """
    return VariableFunction(f, shapes)


class VariableFunction:
    """What `function` returns: called as `f` is, and pickled by it."""

    def __init__(self, f: Callable[..., Any], shapes: Callable[..., Any] | None) -> None:
        self._f = f
        self._shapes = shapes
        self._programs: dict[Any, tuple[Program, Any]] = {}
        self._lock = RLock()
        self.__wrapped__ = f
        self.__name__ = self.__qualname__ = getattr(f, "__name__", type(f).__name__)
        self.__doc__ = getattr(f, "__doc__", None)
        self.__signature__ = signature_of(f)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if kwargs:
            bound = self.__signature__.bind(*args, **kwargs)
            bound.apply_defaults()
            args = bound.args
        given = taken_apart(args)
        program, (tree, found) = self._program(given)
        outputs = iter(program.op(*given.arrays, return_list=True))
        leaves = [
            pt.complex(next(outputs), next(outputs)) if one.dtype.kind == "c" else next(outputs)
            for one in found
        ]
        return _placed(tree, leaves)

    def __reduce__(self) -> Any:
        return VariableFunction, (self._f, self._shapes)

    def program(self, forms: list[Form], texts: list[str], scope: dict[str, Any]) -> Program:
        """The program for arguments that were taken apart, perhaps in another process."""
        given = Variables([None] * len(forms), forms, texts, scope)
        return self._program(given)[0]

    def _program(self, given: Variables) -> tuple[Program, Any]:
        """Another one when the globals of a plain function have changed."""
        with self._lock:
            inner = jitted(self._f, len(given.sources))
            key = inner, given.key
            if key not in self._programs:
                self._programs[key] = self._made(inner, given)
            return self._programs[key]

    def _made(self, inner: Any, given: Variables) -> tuple[Program, Any]:
        plain = takes(self.__signature__, len(given.arrays))
        whole = joined(inner, given, plain, self.__name__)
        kinds = tuple(map(numba_type, given.forms))
        try:
            whole.compile(kinds)
        except NumbaError as error:
            shown = ", ".join(f"{form.dtype} with {form.ndim} axes" for form in given.forms)
            raise ActivityError(
                what=f"{self.__name__} in a graph of PyTensor, for arguments of {shown}",
                why=f"numba cannot compile it for those: {reason(error)}",
                todo="give variables with the types and numbers of axes that the function takes",
            ) from error
        found: list[Returned] = []
        tree = returned(whole.overloads[kinds].signature.return_type, "r", found)
        outputs = tuple(form for one in found for form in real_forms(one.dtype, one.ndim))
        derivable = flattened(whole, given.forms, sources(tuple(found)), self.__name__)
        made_by = self, (given.forms, given.sources, given.scope)
        shapes = self._known_shapes(found, given)
        shapes([tuple(pt.lscalar() for _ in range(form.ndim)) for form in given.forms])
        return Program(derivable, tuple(given.forms), outputs, shapes, made_by), (tree, found)

    def _known_shapes(self, outputs: list[Returned], given: Variables) -> Callable[[Shapes], Any]:
        """The shapes of outputs for those of inputs: of numbers always, of arrays if the user says them."""
        said = None if given.split else self._shapes

        def shapes(inputs: Shapes) -> list[Any]:
            if said is None:
                listed: Any = [None if one.ndim else () for one in outputs]
            else:
                found = said(*inputs)
                listed = [found] if len(outputs) == 1 else list(found)
                if [len(one) for one in listed] != [one.ndim for one in outputs]:
                    raise ActivityError(
                        what=f"shapes of {self.__name__} says {found!r:.80}",
                        why=f"it returns values with {', '.join(f'{one.ndim}' for one in outputs)} axes",
                        todo="return the sizes of its result in a tuple; of several results one tuple for each",
                    )
            parts = [len(real_forms(one.dtype, one.ndim)) for one in outputs]
            return [shape for shape, count in zip(listed, parts, strict=True) for _ in range(count)]

        return shapes


def _placed(tree: Any, leaves: list[Any]) -> Any:
    return (
        tuple(_placed(part, leaves) for part in tree) if isinstance(tree, tuple) else leaves[tree]
    )

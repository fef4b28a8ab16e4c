"""What `grad` and its relatives return: a function for Python, which compiled code can call, too."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-any-return"

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from types import FunctionType
from typing import Any

import numpy as np
from numba.core import types
from numba.extending import overload, typeof_impl

from enzyme.api.places import call_site, place
from enzyme.api.values import closure, jitted
from enzyme.compiled.terms import Term, Writer
from enzyme.compiled.zeros import members_of
from enzyme.contract.derivatives import by_structure
from enzyme.errors import ActivityError, EnzymeError
from enzyme.functional.arguments import Target, made_for, signature_of
from enzyme.support.generated import generated


class Derived:
    """A derivative of a function, called like the function.

    `grad(f)` and the like are instances. They can be called in jitted code, differentiated again, and pickled, if `f`
    can be.
    """

    def __init__(
        self,
        target: Target,
        call: Callable[..., Any],
        made_by: tuple[Callable[..., Any], dict[str, Any]],
        source: Callable[[Any, Request, dict[str, Any]], Any],
    ) -> None:
        name = getattr(target.whole, "__name__", type(target.whole).__name__)
        self.__name__ = self.__qualname__ = f"{target.what}_of_{name}"
        doc = getattr(target.whole, "__doc__", None) or ""
        self.__doc__ = f"`{target.what}` of `{name}`.\n\n{doc}"
        self.__wrapped__ = target.whole
        self._target = target
        self._call = call
        self._made_by = made_by
        self._source = source

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._call(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<{self.__name__}>"

    def __reduce__(self) -> Any:
        function, options = self._made_by
        return _again, (function, self.__wrapped__, options)

    def __enzyme_inner__(self) -> tuple[Any, tuple[Any, ...], dict[str, Any]] | None:
        """The same derivative of a function that takes what a partial function or a method holds as its first
        arguments, or by name, and that; None where it is no derivative of such, or cannot be said so."""
        target, (function, options) = self._target, self._made_by
        count = len(target.given)
        if not count and not target.named:
            return None
        changed = dict(options)
        if "in_axes" in options:
            axes = options["in_axes"]
            if not isinstance(axes, tuple) or target.named:
                return None
            changed["in_axes"] = (None,) * count + axes
        if "argnums" in options:
            shifted = [k + count if isinstance(k, int) and k >= 0 else k for k in target.argnums]
            changed["argnums"] = shifted[0] if target.alone else tuple(shifted)
        return function(target.inner, **changed), target.given, target.named

    def __enzyme_root__(self) -> Any:
        """The jitted function that is differentiated in the end: another one when what it reads has changed."""
        root = self._target.root()
        if root is not None:
            return root
        function = self._target.function
        return jitted(function, 0) if isinstance(function, FunctionType) else function

    def __enzyme_jitted__(self) -> Any:
        """The jitted function that gives the same, of arguments that compiled code has."""
        target = self._target
        parameters = _parameters(target)
        dispatcher = jitted(target.function, len(parameters))
        places = tuple(_place(target, k, parameters) for k in target.argnums)
        _, options = self._made_by
        mode = options.get("mode", "")
        forward = mode == "forward" or target.what == "jacfwd"
        request = Request(
            target.what,
            tuple(parameters),
            places,
            target.alone,
            target.has_aux,
            forward,
            options.get("in_axes"),
        )
        return made_for(
            dispatcher,
            ("compiled", request),
            lambda function, request: self._source(function, request, parameters),
        )


@dataclass(frozen=True)
class Request:
    """What is asked of the compiled form: the names of the parameters, and which are differentiated."""

    what: str
    names: tuple[str, ...]
    wanted: tuple[int, ...]
    alone: bool = True
    has_aux: bool = False
    forward: bool = False
    axes: Any = None

    def arguments(self) -> str:
        """Source of the arguments for `compiled_form`, those that are not differentiated as constants."""
        return ", ".join(
            x if k in self.wanted else f"$Const({x})" for k, x in enumerate(self.names)
        )

    def chosen(self, found: str, each: str = "{}") -> str:
        """Source of what was asked for, of one entry for each argument."""
        entries = [found if len(self.names) == 1 else f"{found}[{k}]" for k in self.wanted]
        entries = [each.format(entry) for entry in entries]
        return entries[0] if self.alone else f"({', '.join(entries)},)"


def _again(function: Callable[..., Any], f: Any, options: dict[str, Any]) -> Any:
    return function(f, **options)


REQUIRED = object()


def _parameters(target: Target) -> dict[str, Any]:
    """The parameters of the function in compiled code, with their defaults."""
    if target.given or target.named:
        raise ActivityError(
            what=f"{target.what} of a partial function or a method in compiled code",
            why="what it holds would be frozen there",
            todo="take what it holds as arguments of a function",
        )
    if isinstance(target.function, np.ufunc):
        return {f"x{k}": REQUIRED for k in range(target.function.nin)}
    found = {}
    function = getattr(target.function, "py_func", target.function)
    written_in_python = isinstance(function, FunctionType)
    for name, parameter in signature_of(target.function).parameters.items():
        if parameter.kind is parameter.VAR_POSITIONAL:
            raise ActivityError(
                what=f"{target.what} of a function with the parameter *{name} in compiled code",
                why="how many arguments there are must be known",
                todo="give a function with a parameter for each",
            )
        default = parameter.default
        if default is not parameter.empty and not written_in_python:
            break  # of NumPy's own functions: numba knows not all of those values
        found[name] = REQUIRED if default is parameter.empty else default
    return found


def _place(target: Target, k: int | str, parameters: dict[str, Any]) -> int:
    names = list(parameters)
    if k in names:
        return names.index(k)
    if isinstance(k, int) and -len(names) <= k < len(names):
        return k % len(names)
    raise target.no_argument(k, names)


def compiled_form(
    function: Any, parameters: dict[str, Any], body: str, name: str, **scope: Any
) -> Any:
    """The jitted function with the parameters of a function, and their defaults.

    In the body stands a dollar before every name that is no parameter, `$f` for the function: parameters may have
    any names.
    """
    terms = [x if value is REQUIRED else f"{x}=$default_{x}" for x, value in parameters.items()]
    scope |= {f"default_{x}": value for x, value in parameters.items() if value is not REQUIRED}
    named = {_own(x): value for x, value in {"f": function, **scope}.items()}
    return closure(function, _owned(", ".join(terms)), _owned(body), name, **named)


def _own(name: str) -> str:
    return f"__enzyme_{name}"


def _owned(source: str) -> str:
    return re.sub(r"\$(\w+)", lambda found: _own(found[1]), source)


@typeof_impl.register(Derived)
def _typeof(derived: Derived, context: Any) -> Any:
    try:
        return types.Dispatcher(derived.__enzyme_jitted__())
    except EnzymeError as error:
        place(error, call_site())
        raise


def without_row(value: Any, block: Any) -> Any:
    """The Jacobian of a number without the axis of its one row, in compiled code."""
    raise NotImplementedError


def _without_row(value, block):  # type: ignore[no-untyped-def]
    if not isinstance(value, types.Number):
        return lambda value, block: block
    scope: dict[str, Any] = {}
    source = _first_rows(block, "block", scope)
    return generated("row", ["def row(value, block):", f"    return {source}"], scope)


def only_floats(derivative: Any) -> Any:
    """A derivative with None for what holds no floats, in compiled code."""
    raise NotImplementedError


def _only_floats(derivative):  # type: ignore[no-untyped-def]
    writer = Writer({})
    found = by_structure(writer, Term(derivative, "derivative"), lambda part, _: part)
    return writer.function("only_floats", ["derivative"], found.source)


def _first_rows(ty: Any, source: str, scope: dict[str, Any]) -> str:
    if isinstance(ty, types.BaseTuple):
        parts = [_first_rows(part, f"{source}[{k}]", scope) for k, part in enumerate(ty.types)]
        return members_of(ty, parts, scope)
    return f"{source}[0]" if isinstance(ty, types.Array) else source


overload(without_row)(_without_row)
overload(only_floats)(_only_floats)

"""What a derivative is taken of, and with respect to which of its arguments."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-any-return"

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from enzyme.api.directions import value_of
from enzyme.api.jacobians import after
from enzyme.api.places import call_site, place
from enzyme.contract.derivatives import floats_for
from enzyme.errors import ActivityError, EnzymeError
from enzyme.support.per_function_cache import table_of
from enzymecore import Annotation, AnyState, Const, active_register_state

MADE = "__enzyme_functional__"


def placed(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function, with errors that name the line of its caller."""

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except EnzymeError as error:
            place(error, call_site())
            raise

    return call


class Target:
    """A function, and the arguments that are differentiated: places, or names."""

    def __init__(self, f: Any, argnums: Any, what: str, has_aux: bool = False) -> None:
        self.what = what
        self.given: tuple[Any, ...] = ()
        self.named: dict[str, Any] = {}
        self.whole = f
        while isinstance(f, functools.partial):
            self.given = (*f.args, *self.given)
            self.named = {**f.keywords, **self.named}
            f = f.func
        self.function = f
        self.has_aux = has_aux
        self.alone = not isinstance(argnums, list | tuple)
        self.argnums: tuple[Any, ...] = (argnums,) if self.alone else tuple(argnums)
        wrong = [k for k in self.argnums if isinstance(k, bool) or not isinstance(k, int | str)]
        if wrong or not self.argnums:
            raise ActivityError(
                what=f"argnums={argnums!r} of {what}",
                todo="give the place of an argument, its name, or a tuple of those",
            )
        self._refuse_keyword_only()
        self._plain = not self.given and not self.named
        self._largest = max((k for k in self.argnums if isinstance(k, int)), default=0)
        self._by_place = all(isinstance(k, int) and k >= 0 for k in self.argnums)

    @property
    def single_place(self) -> int | None:
        """The place of the argument that is differentiated, where it is one, given by its place."""
        plain_function = self._plain and not isinstance(self.function, MethodType)
        return self.argnums[0] if self.alone and self._by_place and plain_function else None

    def _refuse_keyword_only(self) -> None:
        if not isinstance(
            getattr(self.function, "py_func", self.function), FunctionType | MethodType
        ):
            return
        for parameter in _signature(self.function).parameters.values():
            if parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_KEYWORD):
                raise ActivityError(
                    what=f"{self.what} of a function with the keyword-only parameter {parameter.name}",
                    why="numba does not compile it",
                    todo="let the parameter stand before the *",
                )

    def resolved(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], tuple[int, ...]]:
        """The arguments in the order of the function's parameters, and the places of those that are differentiated."""
        if self._plain and self._by_place and not kwargs and self._largest < len(args):
            return args, self.argnums
        flat, places = self._bound((*self.given, *args), {**self.named, **kwargs})
        found = []
        for k in self.argnums:
            if isinstance(k, str):
                place_of = places.get(k)
            else:
                place_of = k + len(self.given) if k >= 0 else k + len(flat)
            if place_of is None or not len(self.given) <= place_of < len(flat):
                names = ", ".join(places)
                raise ActivityError(
                    what=f"{self.what} with respect to argument {k!r}, which is not there",
                    why=f"the arguments are {names}" if names else "there are no arguments",
                    todo="give another place or name as argnums",
                )
            found.append(place_of)
        return flat, tuple(found)

    def _bound(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, int]]:
        signature = _signature(self.function)
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        flat: list[Any] = []
        places: dict[str, int] = {}
        for name, parameter in signature.parameters.items():
            value = bound.arguments[name]
            if parameter.kind is parameter.VAR_POSITIONAL:
                places.update({f"{name}[{k}]": len(flat) + k for k in range(len(value))})
                flat += value
            else:
                places[name] = len(flat)
                flat.append(value)
        return tuple(flat), places

    def annotated(self, args: tuple[Any, ...], wanted: tuple[int, ...]) -> list[Any]:
        """The arguments, those that are not differentiated as constants."""
        for k in wanted:
            if isinstance(args[k], Annotation) or active_register_state(args[k]) is AnyState:
                raise no_floats(self.what, k, args[k])
        return [x if k in wanted else constant(x) for k, x in enumerate(args)]

    def scalar(self, count: int) -> Any:
        """The function of `count` arguments whose derivative is taken: with `has_aux`, its first result."""
        if not self.has_aux:
            return self.function
        return after(self.function, count, "[0]", "returns a pair")

    def auxiliary(self, args: tuple[Any, ...]) -> tuple[Any, Any]:
        """What the function returns where it returns a pair, as `has_aux` says."""
        found = value_of(self.function, [x.val if isinstance(x, Annotation) else x for x in args])
        if not isinstance(found, tuple) or len(found) != 2:
            raise ActivityError(
                what=f"{self.what} with has_aux of a function that returns {type(found).__name__}",
                todo="return a pair: what is differentiated, and what comes along",
            )
        return found

    def chosen(self, found: Sequence[Any], wanted: tuple[int, ...]) -> Any:
        """Of one entry for each argument, those that were asked for."""
        return found[wanted[0]] if self.alone else tuple(found[k] for k in wanted)

    def name(self, made: Any) -> Any:
        """Give a function that was made of this one its name and its documentation."""
        name = getattr(self.whole, "__name__", type(self.whole).__name__)
        made.__name__ = made.__qualname__ = f"{self.what}_of_{name}"
        made.__doc__ = f"`{self.what}` of `{name}`.\n\n{getattr(self.whole, '__doc__', None) or ''}"
        made.__wrapped__ = self.whole
        return made


def _signature(function: Any) -> inspect.Signature:
    return inspect.signature(getattr(function, "py_func", function))


def plain(x: Any) -> Any:
    """A number as Python has it, where NumPy's is the same."""
    return x.item() if isinstance(x, np.float64 | np.complex128) else x


def constant(x: Any) -> Any:
    return x if isinstance(x, Annotation) else Const(x)


def no_floats(what: str, position: int, x: Any) -> ActivityError:
    """The error for an argument that is to be differentiated and cannot be."""
    if isinstance(x, Annotation):
        return ActivityError(
            what=f"{what} with respect to argument {position}, which is a {type(x).__name__}",
            todo="pass the value itself; argnums says what is differentiated",
        )
    floats = floats_for(x)
    remedy = f"pass {floats}" if floats else "give the places of other arguments as argnums"
    return ActivityError(
        what=f"{what} with respect to argument {position}, which holds no floats: {type(x).__name__}",
        todo=remedy,
    )


def made_for(dispatcher: Any, key: Any, make: Callable[..., Any]) -> Any:
    """What `make(dispatcher, *key[1:])` gives; made once for each function, and gone with it."""
    table = table_of(dispatcher, MADE)
    if key not in table:
        table[key] = make(dispatcher, *key[1:])
    return table[key]

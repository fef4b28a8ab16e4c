"""What a derivative is taken of, and with respect to which of its arguments."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-any-return"

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable, Sequence
from types import BuiltinMethodType, FunctionType, MethodType
from typing import Any, ParamSpec, TypeVar

import numpy as np
from numba.extending import is_jitted

from enzyme.api.callables import unbind
from enzyme.api.directions import value_of
from enzyme.api.jacobians import after
from enzyme.api.objects import method_and_owner
from enzyme.api.places import call_site, place
from enzyme.api.trees import is_container, native, parts_of, python_of, restored
from enzyme.api.values import JITTED
from enzyme.contract.admission import check_function
from enzyme.contract.derivatives import floats_for
from enzyme.disk.captured import ROOT
from enzyme.errors import ActivityError
from enzyme.support.keywords import positional
from enzyme.support.per_function_cache import around_derivatives, is_around, table_of
from enzymecore import Annotation, AnyState, Const, ForwardMode, active_register_state
from enzymecore.foreign_arrays import as_numpy

P = ParamSpec("P")
R = TypeVar("R")
MADE = around_derivatives("__enzyme_functional__")
_OF_FUNCTIONS = ("grad", "value_and_grad", "jacfwd", "jacrev", "hessian", "batch")


def placed(function: Callable[P, R]) -> Callable[P, R]:
    """The function, with errors that name the line of its caller."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except Exception as error:
            place(error, call_site())
            raise

    return call


class Target:
    """A function, and the arguments that are differentiated: places, or names."""

    def __init__(self, f: Any, argnums: Any, what: str, has_aux: bool = False) -> None:
        self.what = what
        if not callable(f) and not isinstance(f, Annotation):
            raise ActivityError(
                what=f"{what} of {f!r:.60}, which is no function",
                todo=f"give the function alone, and its arguments to what {what} returns: {what}(f)(x)"
                if what in _OF_FUNCTIONS
                else "give a function that numba compiles",
            )
        self.given: tuple[Any, ...] = ()
        self.named: dict[str, Any] = {}
        self.whole = f
        while isinstance(f, functools.partial):
            self.given = (*f.args, *self.given)
            self.named = {**f.keywords, **self.named}
            f = f.func
        _refuse_methods(f, what)
        method = method_and_owner(f) or _held_by_object(f)
        if method is not None:
            f, owner = method
            self.given = (owner, *self.given)
        parts = getattr(f, "__enzyme_inner__", lambda: None)()
        if parts is not None:
            f, given, named = parts
            self.given, self.named = (*given, *self.given), {**named, **self.named}
        self.inner = f
        self._function = _positional(f)
        self.has_aux = has_aux
        self.alone = not isinstance(argnums, list | tuple)
        asked = (argnums,) if self.alone else argnums
        self.argnums: tuple[Any, ...] = tuple(
            int(k) if isinstance(k, np.integer) else k for k in asked
        )
        wrong = [k for k in self.argnums if isinstance(k, bool) or not isinstance(k, int | str)]
        if wrong or not self.argnums:
            raise ActivityError(
                what=f"argnums={argnums!r} of {what}",
                todo="give the place of an argument, its name, or a tuple of those",
            )
        self._refuse_keywords()
        self._plain = not self.given and not self.named and self._function is f
        self._largest = max((k for k in self.argnums if isinstance(k, int)), default=0)
        self._by_place = all(isinstance(k, int) and k >= 0 for k in self.argnums)

    @property
    def function(self) -> Any:
        """What is called; of a derivative its jitted form, which is another one when its function has changed."""
        jitted_form = getattr(self._function, JITTED, None)
        return self._function if jitted_form is None else jitted_form()

    def root(self) -> Any:
        """Of a derivative the function that is differentiated in the end, as it is now; None for others."""
        root = getattr(self._function, ROOT, None)
        return None if root is None else root()

    @property
    def single_place(self) -> int | None:
        """The place of the argument that is differentiated, where it is one, given by its place."""
        plain_function = self._plain and not isinstance(self.function, MethodType)
        return self.argnums[0] if self.alone and self._by_place and plain_function else None

    def _refuse_keywords(self) -> None:
        """Refuse parameters by name that numba does not compile."""
        function = self.function
        if not isinstance(getattr(function, "py_func", function), FunctionType | MethodType):
            return
        for parameter in signature_of(function).parameters.values():
            if parameter.kind is parameter.VAR_KEYWORD:
                raise ActivityError(
                    what=f"{self.what} of a function with the parameter **{parameter.name}",
                    why="numba does not compile it",
                    todo="name the parameters that it stands for",
                )
            if parameter.kind is parameter.KEYWORD_ONLY:
                jitted = is_jitted(function)
                raise ActivityError(
                    what=f"{self.what} of a function with the keyword-only parameter {parameter.name}"
                    + (", compiled by numba" if jitted else " behind *args"),
                    why="numba does not compile it",
                    todo="let the parameter stand before the *"
                    + (", or give the function without @njit" if jitted else ""),
                )

    def resolved(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], every: bool = False
    ) -> tuple[tuple[Any, ...], tuple[int, ...], tuple[Any, ...]]:
        """The arguments in the order of the function's parameters, as compiled code has them, the places of those that
        are differentiated, and the arguments as they were given; `every` one may be differentiated, or those places."""
        given, wanted = self._ordered(args, kwargs)
        held = len(self.given)
        found = [native(x, k in wanted or (every and k >= held)) for k, x in enumerate(given)]
        return tuple(found), wanted, given

    def _ordered(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], tuple[int, ...]]:
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
                raise self.no_argument(k, places)
            found.append(place_of)
        return flat, tuple(found)

    def no_argument(self, k: Any, names: Iterable[str]) -> ActivityError:
        """The error for an argument that is to be differentiated and is not there."""
        listed = ", ".join(names)
        return ActivityError(
            what=f"{self.what} with respect to argument {k!r}, which is not there",
            why=f"the arguments are {listed}" if listed else "there are no arguments",
            todo="give another place or name as argnums",
        )

    def _bound(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, int]]:
        signature = self._signature()
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

    def _signature(self) -> inspect.Signature:
        """How the function is called from Python."""
        function = self.function
        return signature_of(self.inner if function is self._function else function)

    def held(self, kwargs: dict[str, Any]) -> list[int]:
        """The places of the arguments that a partial function holds by name, and that the caller does not give."""
        names = list(self._signature().parameters)
        return sorted(names.index(n) for n in self.named if n in names and n not in kwargs)

    def annotated(self, args: tuple[Any, ...], wanted: tuple[int, ...]) -> list[Any]:
        """The arguments, those that are not differentiated as constants."""
        for k in wanted:
            x = args[k]
            whole = isinstance(x, list | set) and floats_for(x)  # numba would take a copy of it
            if whole or isinstance(x, Annotation) or active_register_state(x) is AnyState:
                raise no_floats(self.what, k, args[k])
        return [x if k in wanted else constant(x) for k, x in enumerate(args)]

    def needs_directions(
        self, mode: Any, given: tuple[Any, ...], wanted: tuple[int, ...], records: bool = True
    ) -> None:
        """Refuse what has no unit directions, where forward mode goes along them."""
        for k in wanted if isinstance(mode, ForwardMode) else ():
            kind = without_directions(given[k], records)
            if kind is None:
                continue
            reverse = {"jacfwd": "use jacrev", "grad": 'use mode="reverse"'}
            reverse["value_and_grad"] = reverse["grad"]
            raise ActivityError(
                what=f"{self.what} with respect to argument {k}, {kind}",
                why="there are unit directions of numbers, of arrays of numbers and of tuples of them",
                todo=reverse.get(self.what, "pass the floats in arrays or in tuples"),
            )

    def scalar(self, count: int) -> Any:
        """The function of `count` arguments whose derivative is taken: with `has_aux`, its first result."""
        if not self.has_aux:
            return self.function
        return after(self.function, count, "[0]", "returns a pair")

    def unbound(
        self, args: tuple[Any, ...], wanted: tuple[int, ...]
    ) -> tuple[Any, tuple[Any, ...], tuple[int, ...], int]:
        """A function that is no method, its arguments, the places of those that are differentiated, and how many stand
        before them: the object of a method."""
        bound = unbind(self.function)
        if bound is None:
            return check_function(self.function, ()), args, wanted, 0
        owner = bound.annotation.val
        return bound.function(len(args)), (owner, *args), tuple(k + 1 for k in wanted), 1

    def auxiliary(self, args: tuple[Any, ...]) -> tuple[Any, Any]:
        """What the function returns where it returns a pair, as `has_aux` says."""
        found = value_of(self.function, [x.val if isinstance(x, Annotation) else x for x in args])
        if not isinstance(found, tuple) or len(found) != 2:
            raise ActivityError(
                what=f"{self.what} with has_aux of a function that returns {type(found).__name__}",
                todo="return a pair: what is differentiated, and what comes along",
            )
        return found[0], python_of(found[1])

    def chosen(
        self,
        found: Sequence[Any],
        wanted: tuple[int, ...],
        given: tuple[Any, ...],
        value: Any = None,
        leaf: Callable[[Any, Any], Any] = lambda x, derivative: derivative,
    ) -> Any:
        """Of one entry for each argument, those that were asked for, laid out like the arguments; those of a Jacobian
        like `value` outside. `leaf` gets what is no container, and its derivative."""

        def of(k: int) -> Any:
            block = restored(value, found[k], lambda _, block: restored(given[k], block, leaf))
            return python_of(block)

        return of(wanted[0]) if self.alone else tuple(map(of, wanted))


def _positional(f: Any) -> Any:
    """A plain function without keyword-only parameters; anything else as it is."""
    if isinstance(f, Const) and isinstance(f.val, FunctionType):
        made = positional(f.val)
        return f if made is f.val else Const(made)
    return positional(f) if isinstance(f, FunctionType) else f


def _held_by_object(f: Any) -> tuple[Any, Any] | None:
    """A function and the object that it takes first: of a callable named tuple, or a method of one or of a jitclass."""
    bound = None if isinstance(f, Annotation) else unbind(f)
    if bound is None:
        return None
    function = bound.method or bound.function(len(inspect.signature(f).parameters))
    return function, bound.annotation.val


def _refuse_methods(f: Any, what: str) -> None:
    """Of classes, and of what is written in C."""
    owner = getattr(f, "__self__", None)
    if isinstance(f, MethodType) and isinstance(owner, type):
        raise ActivityError(
            what=f"{what} of {f.__name__}, a method of the class {owner.__name__}",
            why="numba takes no classes as arguments",
            todo=f"use a function, or a static method: {what}({owner.__name__}.{f.__name__})",
        )
    if isinstance(f, BuiltinMethodType) and isinstance(owner, np.ndarray | np.generic):
        raise ActivityError(
            what=f"{what} of {f.__name__}, a method of an array",
            why="numba compiles such methods in functions only",
            todo=f"write {what}(lambda x, *y: x.{f.__name__}(*y)), and give the array as the first argument",
        )


def signature_of(function: Any) -> inspect.Signature:
    """The signature of a function, jitted or not, annotated or not."""
    function = function.val if isinstance(function, Const) else function
    try:
        return inspect.signature(getattr(function, "py_func", function))
    except ValueError:  # of a builtin that does not say
        name = getattr(function, "__name__", "f")
        raise ActivityError(
            what=f"a derivative that must know the parameters of the built-in function {name}",
            todo=f"write it in a function: lambda x, y: {name}(x, y)",
        ) from None


def without_directions(x: Any, records: bool) -> str | None:
    """The kind of a value of which one part has no unit directions; None if there is no such part. `records` says
    whether arrays of them have."""
    if is_container(x):
        kinds = (without_directions(part, records) for part in parts_of(x))
        return next(filter(None, kinds), None)
    if isinstance(x, np.ndarray) and not x.dtype.names:
        return None
    if isinstance(x, float | complex | np.inexact) or active_register_state(x) is AnyState:
        return None
    if isinstance(x, np.ndarray):
        return None if records else "an array of records"
    return "a record" if isinstance(x, np.void) else f"a {type(x).__name__}"


def plain(x: Any) -> Any:
    """A number as Python has it, where NumPy's is the same."""
    return x.item() if isinstance(x, np.float64 | np.complex128) else x


def of_type(x: Any, derivative: Any) -> Any:
    """A derivative of the type that an array, or a number of NumPy, has: forward mode gives that of the result."""
    if isinstance(x, np.ndarray) and x.dtype.kind == "f" and derivative is not None:
        return np.asarray(derivative, dtype=x.dtype)
    return type(x)(derivative) if type(x) in (np.float32, np.float64) else derivative


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
    if isinstance(x, dict | list | tuple | set) and not x:
        remedy = "there is nothing in it; give the places of other arguments as argnums, if there are some"
    remedy = as_numpy(x) or remedy
    return ActivityError(
        what=f"{what} with respect to argument {position}, which holds no floats: {type(x).__name__}",
        todo=remedy,
    )


def made_for(dispatcher: Any, key: Any, make: Callable[..., Any]) -> Any:
    """What `make(dispatcher, *key[1:])` gives; made once for each function, and gone with it."""
    table = table_of(dispatcher, MADE)
    found = table.get(key)
    # The first of several threads wins: types refer weakly to jitted functions.
    if found is None:
        found = table.setdefault(key, is_around(make(dispatcher, *key[1:]), dispatcher))
    return found

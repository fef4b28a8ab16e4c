"""`gradient`, `gradient_inplace` and `jacobian` in compiled code.

Each call becomes source in terms of `autodiff`, written for its types.  Where Python returns a tuple with one entry
per component of an array, compiled code returns an array: the length of a tuple is part of its type.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from inspect import Parameter, Signature
from typing import Any

import numba
import numpy as np
from numba.core import types, typing
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import infer_global

from enzyme.api import settings
from enzyme.api.combined import autodiff
from enzyme.api.gradients import gradient, gradient_inplace, jacobian
from enzyme.api.programs import check_count
from enzyme.compiled.along import columns
from enzyme.compiled.calls import (
    autodiff_repeated,
    autodiff_with_new_shadows,
    function_of,
    refuse_runtime_activity,
)
from enzyme.compiled.rows import rows
from enzyme.compiled.separate import values_of
from enzyme.compiled.terms import NONE, Term, Writer
from enzyme.compiled.unpacked import Unpacked, has_floats, plain
from enzyme.contract.apart import in_one_line
from enzyme.contract.derivatives import (
    WithValue,
    check_constant,
    is_constant,
    is_forward,
    no_derivative,
    numbers_behind,
    wrong_chunk,
    wrong_outputs,
)
from enzyme.errors import (
    ActivityError,
    EnzymeConstStorageError,
    EnzymeError,
    EnzymeRuntimeActivityError,
)
from enzyme.support.per_function_cache import around_derivatives, table_of
from enzyme.typed.annotations import AnnotationType, ModeType, may_be_none
from enzyme.typed.fixed import FixedCallable
from enzyme.typed.where import placed
from enzymecore import (
    Active,
    Const,
    Duplicated,
    DuplicatedNoNeed,
    make_zero,
    make_zero_inplace,
)

_WRITTEN = around_derivatives("__enzyme_gradients__")
_NAMES: dict[str, Any] = {
    "Active": Active,
    "Const": Const,
    "Duplicated": Duplicated,
    "DuplicatedNoNeed": DuplicatedNoNeed,
    "WithValue": WithValue,
    "autodiff": autodiff,
    "make_zero": make_zero,
    "make_zero_inplace": make_zero_inplace,
    "np": np,
    "values_of": values_of,
    "repeated": autodiff_repeated,
    "with_new_shadows": autodiff_with_new_shadows,
}


def _of_value(ty: types.Type) -> types.Type:
    """The type of an argument. Of an optional one that of its value, which numba takes out, as for any function."""
    return ty.type if isinstance(ty, types.Optional) else types.unliteral(ty)


class Call:
    """A call of one of the three by its types: the arguments of the function, and what is said besides.

    `options` are the parameters by their names, `x` those of the function.
    """

    def __init__(self, name: str, context: Any, args: Sequence[types.Type], kws: Any) -> None:
        self.name = name
        self.context = context
        self.args, self.kws = args, kws
        self.shadowed = False  # have constants shadows, as differentiable data comes to them?
        self.names = [*(f"a{k}" for k in range(len(args))), *kws]
        self.types = [_of_value(ty) for ty in (*args, *kws.values())]
        self.options = {key: Term(ty, key) for key, ty in kws.items() if not _is_none(ty)}
        self.mode: Any = args[0].python_value if args and isinstance(args[0], ModeType) else None
        refuse_runtime_activity(self.mode)
        self.writer = Writer(_NAMES)
        self.terms = [Term(ty, name) for ty, name in zip(self.types, self.names)][: len(args)]

    def take_function(self, position: int) -> None:
        """The function, and behind it its arguments."""
        if len(self.terms) < position + 2:
            raise TypeError(f"{self.name}() takes a mode, a function and its arguments")
        self.function = self.terms[position]
        self.x = self.terms[position + 1 :]
        if function_of(self.function.ty) is None:
            raise ActivityError(
                what=f"the function must be a jitted one, not of type {self.function.ty}",
                todo="give a function by its name, decorated with @njit",
            )

    def take_numbers(self, meanings: Sequence[str]) -> None:
        """Ints that the function cannot take are options, in this order."""
        more = self.x[1:]
        ints = [isinstance(x.ty, types.Integer) for x in more]
        count = len(more) - numbers_behind(function_of(self.function.ty), ints, len(meanings))
        self.x, numbers = self.x[: 1 + count], more[count:]
        self.options |= dict(zip(meanings, numbers))
        if set(self.options) & {"shadow", "shadows"}:
            raise ActivityError(
                what="directions of forward mode in compiled code",
                why="the length of a tuple is part of its type, and so there is no loop over directions",
                todo="call autodiff(Forward, ...) along each, or gradient and jacobian from Python",
            )
        unknown = set(self.options) - {"chunk", *meanings, "n_outs"}
        if unknown:
            raise TypeError(f"{self.name}() got an unexpected keyword argument {min(unknown)!r}")
        if "chunk" in self.options:
            self._check_chunk(self.options["chunk"])

    def _check_chunk(self, chunk: Term) -> None:
        """A chunk decides nothing here, but it must make sense."""
        if not isinstance(chunk.ty, types.Integer):
            raise wrong_chunk(f"of type {chunk.ty}")
        error = wrong_chunk()
        self.writer.scope["WrongChunk"] = type(error)
        self.writer.line(f"if {chunk.source} < 1:")
        self.writer.line(f"    raise WrongChunk({in_one_line(error)!r})")

    def check_outputs(self) -> None:
        outputs = self.options.get("n_outs")
        if outputs is None:
            return
        members = self.writer.parts(outputs) or [outputs]
        for member in members:
            if not isinstance(member.ty, types.Integer):
                raise wrong_outputs(f"of type {outputs.ty}")
            self.writer.line(f"if {member.source} < 0:")
            self.writer.line("    raise IndexError('n_outs is negative; leave it out')")

    def check_arguments(self) -> None:
        function = function_of(self.function.ty)
        if hasattr(function, "py_func"):
            check_count(function, len(self.x))
        for x in self.x:
            if isinstance(x.ty, AnnotationType):
                check_constant(x.ty.cls)
            if may_be_none(x.ty):
                raise ActivityError(
                    what=f"an argument of type {x.ty}, which may be None",
                    todo="make it a number before: write 0.0 in place of None",
                )

    # Source -----------------------------------------------------------------------------------------

    @property
    def copies(self) -> list[Term]:
        """The arguments with memory of their own: the function runs several times, and may write."""
        return [self.writer.copied(plain(x)) for x in self.x]

    @property
    def result(self) -> types.Type:
        """The type of what the function returns."""
        function = self.function.ty
        if isinstance(function, AnnotationType):
            function = function.value
        found = self.context.resolve_function_type(function, [x.ty for x in self.copies], {})
        return types.unliteral(found.return_type)

    def value(self) -> Term:
        """What the function returns, in a variable."""
        function = self.writer.constant(function_of(self.function.ty))
        given = ", ".join(x.source for x in self.copies)
        return Term(self.result, self.writer.name(f"{function}({given})"))

    def finished(self, derivs: Sequence[Term], value: Term | None) -> Callable[..., Any]:
        """The function that gives derivatives, and the primal result where the mode says so."""
        found = ", ".join(d.source for d in derivs)
        result = f"({found})" if len(derivs) > 1 else found
        if self.mode.return_primal:
            assert value is not None
            result = f"WithValue({result}, {value.source})"
        return self.writer.function(f"{self.name}_of", self.names, result)


def _is_none(ty: types.Type) -> bool:
    return isinstance(ty, types.NoneType | types.Omitted)


def _write_gradient(call: Call) -> Callable[..., Any]:
    forward = is_forward(call.mode, "gradient")
    call.take_function(1)
    call.take_numbers(["chunk"])
    call.check_arguments()
    return _forward(call, flat=True) if forward else _reverse(call)


def _write_jacobian(call: Call) -> Callable[..., Any]:
    forward = is_forward(call.mode, "jacobian")
    call.take_function(1)
    call.take_numbers(["chunk"] if forward else ["n_outs", "chunk"])
    call.check_arguments()
    if forward:
        return _forward(call, flat=False)
    call.check_outputs()
    value = None
    derivs = [NONE] * len(call.x)
    if not all(is_constant(call.writer, x) for x in call.x):
        value = call.value()
        derivs = rows(call, value)
    elif call.mode.return_primal:
        value = call.value()
    return call.finished(derivs, value)


def _forward(call: Call, flat: bool) -> Callable[..., Any]:
    """Derivatives along the unit directions of each argument, the others held constant."""
    writer = call.writer
    value = None
    derivs = [NONE] * len(call.x)
    differentiated = [k for k, x in enumerate(call.x) if not is_constant(writer, x)]
    if differentiated and is_constant(writer, Term(call.result, "")):
        raise no_derivative()
    if differentiated or call.mode.return_primal:
        value = call.value()
    for k in differentiated:
        assert value is not None
        derivs[k] = columns(call, k, value, flat)
    return call.finished(derivs, value)


def _reverse(call: Call) -> Callable[..., Any]:
    writer = call.writer
    pieces = Unpacked(writer, call.x, call.shadowed)
    function = call.function.source
    if any(pieces.mixed):
        whole = pieces.function(function_of(call.function.ty), lambda x: f"return f({x})")
        function = writer.constant(whole)
    given = ", ".join(x.source for x in pieces.given)
    values = writer.name(f"values_of(a0, {function}, {given})")
    own = [Term(x.ty, f"{values}[{k}]") for k, x in enumerate(pieces.given)]
    annotated, derivatives = pieces.annotated(own)
    entries = [
        (k, dx, _entries(writer, x))
        for k, x, dx in pieces.shadows(own, derivatives)
        if isinstance(x.ty, types.ListType | types.DictType)
    ]
    found = writer.name(f"with_new_shadows(a0, {function}, Active, {', '.join(annotated)})")
    writer.line(f"adjoints = {found}[0]")
    for k, dx, before in entries:
        _check_entries(writer, dx, before, k)
    derivs = [
        NONE if is_constant(writer, x) else pieces.derivative(k, own, derivatives)
        for k, x in enumerate(call.x)
    ]
    return call.finished(derivs, Term(types.none, f"{found}[1]"))


def _entries(writer: Writer, x: Term) -> str:
    """What tells the entries of a list or a dictionary, before the function runs."""
    kind = "len" if isinstance(x.ty, types.ListType) else "list"
    return writer.name(f"{kind}({x.source})")


def _check_entries(writer: Writer, shadow: Term, before: str, position: int) -> None:
    """Have a shadow the entries that the argument had: no others, and none may be gone."""
    dx, message = shadow.source, repr(_GONE.format(position))
    if isinstance(shadow.ty, types.ListType):
        writer.line(f"if len({dx}) < {before}:")
        writer.line(f"    raise ValueError({message})")
        writer.line(f"while len({dx}) > {before}:")
        writer.line(f"    {dx}.pop()")
        return
    now = writer.name(f"list({dx})")
    writer.line(f"for k in range(len({before})):")
    writer.line(f"    if k >= len({now}) or {now}[k] != {before}[k]:")
    writer.line(f"        raise ValueError({message})")
    writer.line(f"for k in range(len({before}), len({now})):")
    writer.line(f"    del {dx}[{now}[k]]")


_GONE = (
    "the function takes entries out of argument {}, a list or a dictionary; what is not there at the end has no place"
    " for a derivative: let the function work on a copy"
)


def _write_gradient_inplace(call: Call) -> Callable[..., Any]:
    is_forward(call.mode, "gradient_inplace", False)
    call.take_function(2)
    if len(call.x) != 1 or call.options:
        raise TypeError("gradient_inplace() takes a mode, a place, a function and its argument")
    call.check_arguments()
    writer, dx, (x,) = call.writer, call.terms[1], call.x
    writer.line(f"make_zero_inplace({dx.source})")
    values = writer.name(f"values_of(a0, {call.function.source}, {x.source})")
    strided = (
        x.is_array and x.ty.layout == "A"
    )  # its values stand in another order, and so do derivatives
    place = writer.name(f"make_zero({values}[0])") if strided else dx.source
    found = writer.name(
        f"autodiff(a0, {call.function.source}, Active, Duplicated({values}[0], {place}))"
    )
    if strided:
        writer.line(f"{dx.source}[...] = {place}")
    return call.finished([dx], Term(types.none, f"{found}[1]"))


# --- numba's tables -------------------------------------------------------------------------------


class Derived(FixedCallable):
    """Type of one of the three functions."""

    write: Callable[[Call], Callable[..., Any]]

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        with placed():
            call = Call(self.name, context, args, dict(kws))
            found = self._resolved(context, call)
            parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in call.names]
            made = typing.signature(found.return_type, *call.types)
            return made.replace(pysig=Signature(parameters))

    def _resolved(self, context: Any, call: Call) -> Any:
        """The signature of what is written for a call; where differentiable data comes to constants they get shadows,
        as in Python."""

        def resolved(call: Call, anew: bool) -> Any:
            dispatcher = _written(self, call, anew)
            return context.resolve_function_type(types.Dispatcher(dispatcher), call.types, {})

        def again(shadowed: bool) -> Any:
            new = Call(self.name, context, call.args, call.kws)
            new.shadowed = shadowed
            return resolved(new, True)

        if not any(map(has_floats, map(plain, call.terms))):
            return resolved(call, False)
        try:
            with settings.refusing_early():  # also what is on ways that may not be taken
                return resolved(call, False)
        except EnzymeError as error:
            meeting = isinstance(error, EnzymeConstStorageError | EnzymeRuntimeActivityError)
        if meeting:
            with suppress(EnzymeError):
                return again(shadowed=True)
        return again(shadowed=False)


def _written(function: Derived, call: Call, anew: bool = False) -> Any:
    """The jitted function for a call, made once for its types."""
    owner = next((f for ty in call.types if (f := function_of(ty)) is not None), None)
    key = (function.python_value, tuple(call.names), tuple(call.types))
    if owner is None or not hasattr(owner, "__dict__"):
        return numba.njit(type(function).write(call))
    table = table_of(owner, _WRITTEN)
    if anew or key not in table:
        table[key] = numba.njit(type(function).write(call))
    return table[key]


def _register(function: Any, writes: Callable[[Call], Callable[..., Any]]) -> None:
    kind = type(f"{function.__name__}Function", (Derived,), {"write": staticmethod(writes)})
    infer_global(function, kind(function, function.__name__))

    @lower_builtin(kind, types.VarArg(types.Any))
    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        call = Call(function.__name__, context.typing_context, sig.args, {})
        call.names = list(sig.pysig.parameters)
        dispatcher = _written(kind(function, function.__name__), call)
        # Functions go by their types. Their addresses would keep the caller from files.
        args = [
            context.get_dummy_value() if isinstance(ty, types.Dispatcher) else arg
            for ty, arg in zip(sig.args, args, strict=True)
        ]
        return context.call_internal(
            builder, _lowered(context, builder, dispatcher, sig), sig, args
        )


# At the function that is written for a call: the code generators that have it.
_LOWERED = "__enzyme_lowered__"


def _lowered(context: Any, builder: Any, dispatcher: Any, sig: Any) -> Any:
    """What a compiled function is called by. Numba would take one that was written before with the same words, when
    rules were others."""
    function, generator = dispatcher.py_func, context.codegen()
    lowered = function.__dict__.setdefault(_LOWERED, weakref.WeakSet())
    found = context.compile_subroutine(builder, function, sig, caching=generator in lowered)
    lowered.add(generator)
    return found.fndesc


_register(gradient, _write_gradient)
_register(gradient_inplace, _write_gradient_inplace)
_register(jacobian, _write_jacobian)

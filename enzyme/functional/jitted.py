"""`grad` and its relatives inside jitted code: calls of them give jitted functions, or the products.

The function and the options are known from their types. What is called in the end is the compiled form of the same
derivative that Python has.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-call, untyped-decorator"

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from inspect import Parameter, Signature
from typing import Any

from numba.core import types, typing
from numba.core.imputils import lower_builtin
from numba.core.typing.templates import infer_global
from numba.extending import overload
from numba.np.numpy_support import as_dtype

from enzyme.api.combined import autodiff
from enzyme.compiled.calls import function_of
from enzyme.compiled.terms import Term, Writer
from enzyme.contract.derivatives import is_constant
from enzyme.errors import ActivityError, ShadowLayoutError, ShadowTypeError
from enzyme.functional.batching import batch
from enzyme.functional.derived import only_floats
from enzyme.functional.first_order import grad, jacfwd, jacrev, value_and_grad
from enzyme.functional.places_in_code import check_place, meet
from enzyme.functional.products import jvp, linearize, vjp
from enzyme.functional.ravelled import ravel
from enzyme.functional.second_order import (
    compiled_gradient,
    hessian,
    hvp,
    hvp_and_gradient_inplace,
    hvp_inplace,
)
from enzyme.typed.fixed import FixedCallable
from enzyme.typed.where import placed
from enzymecore import Const, Duplicated, ForwardWithPrimal, make_zero

# --- what gives a function ------------------------------------------------------------------------


class Transform(FixedCallable):
    """Type of a function such as `grad`, a call of which has the type of a jitted function."""

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        with placed():
            given = dict(kws)
            function = _jitted_function(self.name, args[0] if args else given.get("f"))
            options = [_known(self.name, ty) for ty in args[1:]]
            named = {key: _known(self.name, ty) for key, ty in given.items() if key != "f"}
            derived = self.python_value(function, *options, **named)
            found = types.Dispatcher(derived.__enzyme_jitted__())
            every = [*args, *given.values()]
            names = [*(f"a{k}" for k in range(len(args))), *given]
            parameters = [Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names]
            return typing.signature(found, *every).replace(pysig=Signature(parameters))


@lower_builtin(Transform, types.VarArg(types.Any))
def _lower_function(context: Any, builder: Any, sig: Any, args: Any) -> Any:
    return context.add_dynamic_addr(builder, id(sig.return_type.dispatcher), info="derivative")


def _jitted_function(what: str, ty: Any) -> Any:
    found = function_of(ty) if ty is not None else None
    if found is None:
        raise ActivityError(
            what=f"{what} of a value of type {ty} in compiled code",
            todo="give a function by its name, decorated with @njit",
        )
    return found


def _known(what: str, ty: Any) -> Any:
    """The value of an option, of which there must be nothing but the type."""
    if isinstance(ty, types.BaseTuple):
        return tuple(_known(what, member) for member in ty.types)
    if isinstance(ty, types.Literal):
        return ty.literal_value
    if isinstance(ty, types.NoneType):
        return None
    if isinstance(ty, types.Omitted):
        return ty.value
    raise ActivityError(
        what=f"an option of {what} that is computed: its type is {ty}",
        why="compiled code is made for the options, and must know them",
        todo=(
            "write a number or a text, or a tuple of those, into the call",
            "or import the name of a constant of another module: from lib import ARG, not lib.ARG",
        ),
    )


for _function in (grad, value_and_grad, jacfwd, jacrev, hessian, batch):
    infer_global(_function, Transform(_function, _function.__name__))


# --- what cannot be had -----------------------------------------------------------------------------


_HOLDS = "the function that it returns would hold arrays, and numba has no such functions"
_INSTEAD: dict[Any, tuple[str, str]] = {
    vjp: (
        _HOLDS,
        "call autodiff(Reverse, ...) with the cotangent as the shadow of a result that is written",
    ),
    linearize: (_HOLDS, "call jvp for each direction"),
    ravel: ("the function that it returns puts objects together", "call it before"),
}


class Refused(FixedCallable):
    """Type of a function that is not for compiled code."""

    def get_call_type(self, context: Any, args: Any, kws: Any) -> Any:
        with placed():
            why, todo = _INSTEAD[self.python_value]
            raise ActivityError(what=f"{self.name} in compiled code", why=why, todo=todo)


for _function in _INSTEAD:
    infer_global(_function, Refused(_function, _function.__name__))


# --- products ---------------------------------------------------------------------------------------

_NAMES = {
    "Const": Const,
    "Duplicated": Duplicated,
    "autodiff": autodiff,
    "WrongShape": ShadowLayoutError,
    "make_zero": make_zero,
    "mode": ForwardWithPrimal,
    "only_floats": only_floats,
    "meet": meet,
}


def _implements(function: Any) -> Callable[..., Any]:
    def register(implementation: Callable[..., Any]) -> Callable[..., Any]:
        # Part of the caller: the address of the function that is differentiated would keep it from files.
        overload(function, jit_options={"forceinline": True})(implementation)
        return implementation

    return register


def _direction(writer: Writer, x: Term, v: Term) -> Term:
    """A direction for an argument, laid out like it, in memory of its own. Of what has no floats there is none."""
    parts, given = writer.parts(x), writer.parts(v)
    if is_constant(writer, x):
        return x
    if isinstance(v.ty, types.NoneType):  # zero
        return writer.zeros(x)
    if parts is not None and given is not None and len(parts) == len(given):
        return writer.like(x, list(map(partial(_direction, writer), parts, given)))
    fits = isinstance(v.ty, types.Array if x.is_array else types.Number)
    if parts is not None or (not fits and (x.is_array or isinstance(x.ty, types.Number))):
        raise ShadowTypeError(
            what=f"a direction of type {v.ty} for an argument of type {x.ty}",
            todo="give a direction that is like the argument",
            expected=x.ty,
            found=v.ty,
        )
    if isinstance(x.ty, types.Number):
        return Term(x.ty, f"{writer.constant(as_dtype(x.ty).type)}({v.source})")
    if not x.is_array:
        return Term(x.ty, v.source)
    made = writer.zeros(x)
    writer.line(f"if {made.source}.shape != {v.source}.shape:")
    writer.line(f"    raise WrongShape({_SHAPE!r})")
    writer.line(f"{made.source}[...] = {v.source}")
    return made


_SHAPE = "a direction has another shape than the argument that it is for; give one that is like it"


@_implements(jvp)
def _jvp(f, primals, tangents):  # type: ignore[no-untyped-def]
    with placed():
        _jitted_function("jvp", f)
        given = primals, tangents
        if not all(isinstance(ty, types.BaseTuple) for ty in given) or len(primals) != len(
            tangents
        ):
            raise ActivityError(
                what=f"jvp in compiled code with primals of type {primals} and tangents of type {tangents}",
                todo="give tuples: jvp(f, (x,), (v,))",
            )
        writer, arguments = Writer(_NAMES), []
        for k, (ty, v) in enumerate(zip(primals.types, tangents.types, strict=True)):
            # The function may write to what it gets.
            x = writer.copied(Term(ty, f"primals[{k}]"))
            x = Term(x.ty, writer.name(x.source))
            if isinstance(v, types.NoneType) or is_constant(writer, x):
                arguments.append(f"Const({x.source})")
                continue
            along = _direction(writer, x, Term(v, f"tangents[{k}]"))
            arguments.append(f"Duplicated({x.source}, {along.source})")
        writer.line(f"r = autodiff(mode, f, Duplicated, {', '.join(arguments)})")
        return writer.function("jvp", ["f", "primals", "tangents"], "r[1], only_floats(r[0])")


def _product(f: Any, x: Any, v: Any, args: Any) -> Writer:
    """What makes `r` the product and the gradient."""
    function = _jitted_function("hvp", f)
    writer = Writer(_NAMES | {"g": compiled_gradient(function, 1 + len(args))})
    more = [f"Const(args[{k}])" for k in range(len(args))]
    along = _direction(writer, Term(x, "x"), Term(v, "v"))
    arguments = ", ".join([f"Duplicated(x, {along.source})", *more])
    writer.line(f"r = autodiff(mode, g, Duplicated, {arguments})")
    return writer


@_implements(hvp)
def _hvp(f, x, v, *args):  # type: ignore[no-untyped-def]
    with placed():
        writer = _product(f, x, v, args)
        return writer.function("hvp", ["f", "x", "v", "*args"], "r[0]")


@_implements(hvp_inplace)
def _hvp_inplace(res, f, x, v, *args):  # type: ignore[no-untyped-def]
    with placed():
        writer = _product(f, x, v, args)
        check_place(writer, "hvp_inplace", "res", res, x)
        writer.line("res[...] = r[0]")
        return writer.function("hvp_inplace", ["res", "f", "x", "v", "*args"], "res")


@_implements(hvp_and_gradient_inplace)
def _hvp_and_gradient_inplace(res, grad, f, x, v, *args):  # type: ignore[no-untyped-def]
    with placed():
        writer, what = _product(f, x, v, args), "hvp_and_gradient_inplace"
        check_place(writer, what, "res", res, x)
        check_place(writer, what, "grad", grad, x)
        writer.line("if meet(res, grad):")
        one_place = f"{what} is to write the product and the gradient to one place"
        writer.line(f"    raise WrongShape({f'{one_place}; make a place for each'!r})")
        writer.line("res[...] = r[0]")
        writer.line("grad[...] = r[1]")
        return writer.function("both", ["res", "grad", "f", "x", "v", "*args"], "res, grad")

"""The attributes of numba that are replaced, and for how long.

Eleven of them are replaced only while a function is compiled for our target, under numba's lock. Outside of that numba
is as it was, so compilations that have nothing to do with derivatives cannot tell whether the library is there. The
twelfth is of one object, numba's typing context, from the first annotation class in jitted code on: numba asserts that
no type stands in brackets, and where one stands behind an annotation class it now goes on.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, method-assign"

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import Any

from llvmlite import ir
from numba.core import (
    cgutils,
    generators,
    inline_closurecall,
    postproc,
    transforms,
    types,
    typing,
)
from numba.core.lowering import Lower
from numba.cpython import slicing
from numba.np import arrayobj, npyimpl

from enzyme.errors import OutOfBoundsError
from enzyme.frontend.numba_compat import code, entries, functions, layouts, programs
from enzyme.frontend.numba_compat.compilers import cpu_target, global_compiler_lock
from enzyme.frontend.numba_compat.probes import (
    check,
    expect,
    expect_attributes,
    expect_parameters,
    probe,
)

assert all((code, entries, functions, layouts, programs))  # their probes are run at the first use


@dataclass(frozen=True)
class Patch:
    """An attribute of numba's, and what `made` makes of it."""

    owner: Any
    name: str
    parameters: str
    made: Callable[[Any], Any]


PATCHES: list[Patch] = []
_originals: list[Any] = []
_depth = 0


def patch(owner: Any, name: str, parameters: str) -> Callable[[Callable[[Any], Any]], Any]:
    """Decorate what is given numba's function, which takes `parameters`, and returns the one in its place."""

    def register(made: Callable[[Any], Any]) -> Any:
        PATCHES.append(Patch(owner, name, parameters, made))
        return made

    return register


@contextmanager
def installed() -> Iterator[None]:
    """Numba with all patches, which it has until the outermost of these ends.

    Raises
    ------
    UnsupportedNumbaError
        This numba is not the one that the library was written for.
    """
    global _depth
    check()
    with global_compiler_lock:
        if not _depth:
            for each in PATCHES:
                original = getattr(each.owner, each.name)
                _originals.append(original)
                setattr(each.owner, each.name, wraps(original)(each.made(original)))
        _depth += 1
        try:
            yield
        finally:
            _depth -= 1
            if not _depth:
                for each in PATCHES:
                    setattr(each.owner, each.name, _originals.pop(0))


# What our target does instead; `registration` and `repeatable` say so, each for its own objects -------------------


@patch(types.Dispatcher, "get_call_type", "self context args kws")
def _in_other_types(resolve: Any) -> Any:
    """Numba resolves methods and properties of jitclasses with their dispatchers, in any context."""

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        taken_in = getattr(context, "dispatcher_type", None)
        return resolve(taken_in(self) if taken_in else self, context, args, kws)

    return get_call_type


@patch(Lower, "_lower_call_FunctionType", "self fnty expr signature")
def _by_identity(lower_call: Any) -> Any:
    """Calls of function values."""

    def lower(self: Any, fnty: Any, expr: Any, signature: Any) -> Any:
        call_value = getattr(self.context, "call_function_value", None)
        if call_value is None or not fnty.check_signature(signature):
            return lower_call(self, fnty, expr, signature)
        sig = types.unliteral(signature)
        args = self.fold_call_args(fnty, sig, expr.args, expr.vararg, expr.kws)
        value, ty = self.loadvar(expr.func.name), self.typeof(expr.func.name)
        return call_value(self.builder, ty, sig, value, args)

    return lower


_lowered: list[tuple[Any, str]] = []  # place and function of what is being lowered


@patch(Lower, "lower_inst", "self inst")
def _naming_the_file(lower_inst: Any) -> Any:
    """Numba tells the debug information the line of each statement, not its file; indices are told both."""

    def lower(self: Any, inst: Any) -> Any:
        tell = getattr(self.debuginfo, "at_file", None)
        if tell is not None:
            tell(self.loc.filename)
        _lowered.append((self.loc, self.func_ir.func_id.func_name))
        try:
            return lower_inst(self, inst)
        finally:
            _lowered.pop()

    return lower


@patch(generators.LowerYield, "__init__", "self lower yield_point live_vars")
def _in_order(init: Any) -> Any:
    """What a generator keeps while it waits is a set of names, which each process has in another order."""

    def __init__(self: Any, lower: Any, yield_point: Any, live_vars: Any) -> None:
        ours = hasattr(lower.context, "call_function_value")
        init(self, lower, yield_point, sorted(live_vars) if ours else live_vars)

    return __init__


_known_calls: list[dict[Any, tuple[Any, Any]]] = []


@contextmanager
def remembering_calls() -> Iterator[None]:
    """While a function is compiled: what calls in it were resolved to is remembered."""
    _known_calls.append({})
    try:
        yield
    finally:
        _known_calls.pop()


@patch(types.BaseFunction, "get_call_type", "self context args kws")
def _resolved_once(resolve: Any) -> Any:
    """Numba resolves each call again for every round of type inference, and for its lowering."""

    def get_call_type(self: Any, context: Any, args: Any, kws: Any) -> Any:
        if not _known_calls or not hasattr(context, "dispatcher_type"):
            return resolve(self, context, args, kws)
        known, key = _known_calls[-1], (self, tuple(args), tuple(kws.items()))
        if key in known:  # numba would note the implementation again, too
            signature, self._impl_keys[signature.args] = known[key]
            return signature
        signature = resolve(self, context, args, kws)
        if signature.is_precise() and all(ty.is_precise() for ty in (*args, *kws.values())):
            known[key] = signature, self._impl_keys[signature.args]
        return signature

    return get_call_type


@patch(npyimpl, "numpy_ufunc_kernel", "context builder sig args ufunc kernel_class")
def _in_loops_of_ours(numpy_ufunc_kernel: Any) -> Any:
    """The loops of ufuncs and array expressions."""

    def kernel(
        context: Any, builder: Any, sig: Any, args: Any, ufunc: Any, kernel_class: Any
    ) -> Any:
        emit = getattr(context, "array_loops", numpy_ufunc_kernel)
        return emit(context, builder, sig, args, ufunc, kernel_class)

    return kernel


_in_index_of_ours: list[Any] = []


@patch(arrayobj, "basic_indexing", "context builder aryty ary index_types indices boundscheck")
def _of_neighbours(basic_indexing: Any) -> Any:
    """Views: where elements are neighbours along an axis, it is known how far apart they are."""

    def index(
        context: Any,
        builder: Any,
        aryty: Any,
        ary: Any,
        index_types: Any,
        indices: Any,
        boundscheck: Any = None,
    ) -> Any:
        if not hasattr(context, "array_loops"):
            return basic_indexing(context, builder, aryty, ary, index_types, indices, boundscheck)
        known = ary
        if aryty.layout in "CF" and aryty.ndim:
            axis = aryty.ndim - 1 if aryty.layout == "C" else 0
            size = context.get_abi_sizeof(context.get_data_type(aryty.dtype))
            step = ary.itemsize.type(size)
            known = arrayobj.make_array(aryty)(context, builder, value=ary._getvalue())
            known.strides = builder.insert_value(ary.strides, step, axis)
        _in_index_of_ours.append(context)
        try:
            return basic_indexing(context, builder, aryty, known, index_types, indices, boundscheck)
        finally:
            _in_index_of_ours.pop()

    return index


@patch(slicing, "fix_slice", "builder slice size")
def _without_branches(fix_slice: Any) -> Any:
    """The bounds of the slices of a view, as choices and not as ways through the program.

    A view that begins behind the end of the array is empty, wherever that may be. So the address of ``x[1:]`` is always
    one element on from that of `x`, and loops over neighbours are seen to be that.
    """

    def fix(builder: Any, slice: Any, size: Any) -> None:
        if not _in_index_of_ours:
            return fix_slice(builder, slice, size)
        zero, one = size.type(0), size.type(1)
        backwards = builder.icmp_signed("<", slice.step, zero)
        lower = builder.select(backwards, size.type(-1), zero)
        upper = builder.select(backwards, builder.sub(size, one), size)
        for name in ("start", "stop"):
            bound = slicing.fix_index(builder, getattr(slice, name), size)
            before = builder.icmp_signed("<", bound, zero)
            beyond = builder.icmp_signed(">=", bound, size)
            if name == "start":
                beyond = builder.and_(beyond, backwards)
            inside = builder.select(before, lower, bound)
            setattr(slice, name, builder.select(beyond, upper, inside))
        return None

    return fix


@patch(cgutils, "do_boundscheck", "context builder ind dimlen axis")
def _naming_the_index(do_boundscheck: Any) -> Any:
    """The error of an index out of bounds names the index, and its traceback has the line."""

    def check(context: Any, builder: Any, ind: Any, dimlen: Any, axis: Any = None) -> None:
        if not hasattr(context, "array_loops") or not _lowered:
            return do_boundscheck(context, builder, ind, dimlen, axis)
        raised = context.call_conv
        with cgutils.if_unlikely(builder, builder.icmp_unsigned(">=", ind, dimlen)):
            if getattr(builder, "_in_try_block", False):  # nobody sees what it says
                raised.return_user_exc(builder, OutOfBoundsError, (0, 0))
            else:
                negative = builder.icmp_signed("<", ind, ind.type(0))
                asked = builder.select(negative, builder.sub(ind, dimlen), ind)
                given = asked, dimlen, 0 if axis is None else axis
                kinds = [types.intp] * sum(isinstance(each, ir.Value) for each in given)
                raised.return_dynamic_user_exc(
                    builder, OutOfBoundsError, given, kinds, *_lowered[-1]
                )
        return None

    return check


_AFTER_A_PASS = tuple(
    "transforms canonicalize_cfg func_ir blocks VariableLifetime variable_lifetime analysis compute_live_variables cfg"
    " usedefs defmap deadmaps combined items block_entry_vars is_generator GeneratorInfo generator_info"
    " _compute_generator_info _insert_var_dels".split()
)


@patch(postproc.PostProcessor, "run", "self emit_dels extend_lifetimes")
def _without_entry_variables(run: Any) -> Any:
    """Numba looks nine times, after each pass that changes a function, which variables live at the entries of blocks.

    Only generators need to know, and those who delete variables. What else is asked of lifetimes is found when it is.
    A numba that does something else there is left to do it.
    """
    if getattr(getattr(run, "__code__", None), "co_names", ()) != _AFTER_A_PASS:
        return run

    def post_process(self: Any, emit_dels: bool = False, extend_lifetimes: bool = False) -> None:
        function = self.func_ir
        if emit_dels or function.is_generator or not _known_calls:
            return run(self, emit_dels, extend_lifetimes)
        function.blocks = transforms.canonicalize_cfg(function.blocks)
        function.variable_lifetime = postproc.VariableLifetime(function.blocks)
        function.generator_info = None
        return None

    return post_process


_name_of_inlined: list[Callable[[str], str]] = []


@contextmanager
def naming_inlined(naming: Callable[[str], str]) -> Iterator[None]:
    """While a function is compiled: names of variables of functions that numba inlines begin with `naming(theirs)`."""
    _name_of_inlined.append(naming)
    try:
        yield
    finally:
        _name_of_inlined.pop()


@patch(inline_closurecall, "_created_inlined_var_name", "function_name var_name")
def _numbered_anew(name_of: Any) -> Any:
    """Numba puts the serial number of a function that it inlines into the names of its variables."""

    def name(function_name: str, variable: str) -> Any:
        if _name_of_inlined:
            function_name = _name_of_inlined[-1](function_name)
        return name_of(function_name, variable)

    return name


# Types in brackets --------------------------------------------------------------------------------


def without_types_as_indices(resolve: Any) -> Any:
    """Numba's resolution of constant indices, where a type behind what `takes_types` is an index like others.

    It has no answer there, and then numba asks for the type of an index that is a variable.
    """

    def resolve_static_getitem(value: Any, index: Any) -> Any:
        if isinstance(index, types.Type) and getattr(value, "takes_types", False):
            return None
        return resolve(value=value, index=index)

    return resolve_static_getitem


def allow_types_as_indices() -> None:
    """Let jitted code have types in brackets behind values whose type says that it `takes_types`."""
    context = cpu_target.typing_context
    if "resolve_static_getitem" not in context.__dict__:
        check()
        context.resolve_static_getitem = without_types_as_indices(context.resolve_static_getitem)


# Probes -------------------------------------------------------------------------------------------


@probe
def patched() -> None:
    """What is replaced takes what we take."""
    for each in PATCHES:
        expect_attributes(each.owner, each.name)
        expect(
            each.name in vars(each.owner),
            f"{each.owner.__name__} of numba inherits {each.name} now",
        )
        expect_parameters(each.owner, each.name, each.parameters)
    expect_parameters(typing.Context, "resolve_static_getitem", "self value index")
    expect(
        "_impl_keys" in types.BaseFunction.__init__.__code__.co_names,
        "numba's types of functions keep their implementations otherwise",
    )

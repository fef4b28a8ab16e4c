"""Derivatives of numba functions.

`autodiff` differentiates; annotations (`Active`, `Const`, `Duplicated`, ...) say with respect to
what, modes (`Forward`, `Reverse`, ...) how. All names of `enzymecore` are here too; errors are in
`enzyme.errors`. Numba and the compiler are loaded when `autodiff` is first touched.

Examples
--------
>>> from enzyme import Active, Reverse, autodiff
>>> autodiff(Reverse, lambda x: x * x, Active, Active(3.0))
((6.0,),)
"""

from __future__ import annotations

import functools
import importlib
import os
from typing import TYPE_CHECKING, Any

from enzyme.spellings import missing

if TYPE_CHECKING:
    from enzyme.versions import show_versions
    from enzymecore import (
        ABI,
        FFIABI,
        Active,
        ActiveState,
        ActivityError,
        ActivityState,
        Annotation,
        AnyState,
        ArrayType,
        BatchDuplicated,
        BatchDuplicatedFunc,
        BatchDuplicatedNoNeed,
        BatchMixedDuplicated,
        BatchSizeError,
        ClassType,
        Combined,
        Const,
        DefaultABI,
        DictType,
        Duplicated,
        DuplicatedNoNeed,
        DupState,
        EnzymeError,
        Forward,
        ForwardMode,
        ForwardWithPrimal,
        FunctionType,
        ImmutableZeroError,
        InlineABI,
        Kind,
        ListType,
        MixedDuplicated,
        MixedState,
        Mode,
        ModeError,
        NonGenABI,
        NoPrimal,
        NumbaType,
        ObjectType,
        RecordType,
        Reverse,
        ReverseHolomorphic,
        ReverseHolomorphicWithPrimal,
        ReverseMode,
        ReverseModeSplit,
        ReverseSplitModified,
        ReverseSplitNoPrimal,
        ReverseSplitWidth,
        ReverseSplitWithPrimal,
        ReverseWithPrimal,
        ScalarType,
        ShadowLayoutError,
        ShadowTypeError,
        Split,
        StructType,
        TupleType,
        TypeDescriptor,
        WithPrimal,
        active_register_state,
        as_type,
        batch_size,
        check_congruent,
        chunkedonehot,
        clear_check_nan,
        clear_err_if_const_written,
        clear_err_if_func_written,
        clear_fast_adjoints,
        clear_runtime_activity,
        clear_strong_zero,
        clear_vector_math,
        combined,
        congruent,
        declare_kind,
        eltype,
        get_func,
        make_zero,
        make_zero_inplace,
        needs_primal,
        no_primal,
        onehot,
        remake_zero_inplace,
        runtime_activity,
        set_abi,
        set_check_nan,
        set_err_if_const_written,
        set_err_if_func_written,
        set_fast_adjoints,
        set_runtime_activity,
        set_strong_zero,
        set_vector_math,
        shadow_not_writable,
        shadow_overlaps_primal,
        split,
        strong_zero,
        typeof,
        with_primal,
    )

    __version__: str
    from enzyme.api import (
        Explanation,
        WithValue,
        autodiff,
        autodiff_deferred,
        autodiff_deferred_thunk,
        autodiff_thunk,
        cache,
        compile_report,
        enzyme_code_llvm,
        enzyme_code_native,
        enzyme_code_typed,
        explain,
        gradient,
        gradient_inplace,
        ignore_derivatives,
        jacobian,
        log,
        tape_type,
        typetree,
        within_autodiff,
    )
    from enzyme.contrib import conjugate_gradients, fixed_point, least_squares, linear_solve, root
    from enzyme.functional import (
        batch,
        cfunc_address,
        custom_jvp,
        custom_vjp,
        grad,
        hessian,
        hvp,
        hvp_and_gradient_inplace,
        hvp_inplace,
        jacfwd,
        jacrev,
        jvp,
        linearize,
        ravel,
        stop_gradient,
        value_and_grad,
        vjp,
    )

# Where what is loaded when it is first touched is found.
_LAZY = {
    "enzymecore": "ABI FFIABI Active ActiveState ActivityError ActivityState Annotation AnyState ArrayType"
    " BatchDuplicated BatchDuplicatedFunc BatchDuplicatedNoNeed BatchMixedDuplicated"
    " BatchSizeError ClassType Combined Const DefaultABI DictType Duplicated DuplicatedNoNeed"
    " DupState EnzymeError Forward ForwardMode ForwardWithPrimal FunctionType ImmutableZeroError"
    " InlineABI Kind ListType MixedDuplicated MixedState Mode ModeError NonGenABI NoPrimal"
    " NumbaType ObjectType RecordType Reverse ReverseHolomorphic ReverseHolomorphicWithPrimal"
    " ReverseMode ReverseModeSplit ReverseSplitModified ReverseSplitNoPrimal ReverseSplitWidth"
    " ReverseSplitWithPrimal ReverseWithPrimal ScalarType ShadowLayoutError ShadowTypeError"
    " Split StructType TupleType TypeDescriptor WithPrimal active_register_state as_type"
    " batch_size check_congruent chunkedonehot clear_check_nan clear_err_if_const_written"
    " clear_err_if_func_written clear_fast_adjoints clear_runtime_activity clear_strong_zero"
    " clear_vector_math combined congruent declare_kind eltype get_func make_zero"
    " make_zero_inplace needs_primal no_primal onehot remake_zero_inplace runtime_activity"
    " set_abi set_check_nan set_err_if_const_written set_err_if_func_written set_fast_adjoints"
    " set_runtime_activity set_strong_zero set_vector_math shadow_not_writable"
    " shadow_overlaps_primal split strong_zero typeof with_primal",
    "enzyme.api.combined": "autodiff autodiff_deferred",
    "enzyme.api.explanation": "Explanation explain",
    "enzyme.api.gradients": "WithValue gradient gradient_inplace jacobian",
    "enzyme.api.introspection": "ignore_derivatives within_autodiff",
    "enzyme.api.reflection": "compile_report enzyme_code_llvm enzyme_code_native enzyme_code_typed typetree",
    "enzyme.api.thunks": "autodiff_deferred_thunk autodiff_thunk tape_type",
    "enzyme.contrib": "conjugate_gradients fixed_point least_squares linear_solve root",
    "enzyme.disk.switch": "cache",
    "enzyme.functional": "batch cfunc_address custom_jvp custom_vjp grad hessian hvp hvp_and_gradient_inplace"
    " hvp_inplace jacfwd jacrev jvp linearize ravel stop_gradient value_and_grad vjp",
    "enzyme.support.progress": "log",
    "enzyme.versions": "show_versions",
}
_HOMES = {name: home for home, names in _LAZY.items() for name in names.split()}

__all__ = [
    "ABI",
    "Active",
    "ActiveState",
    "ActivityError",
    "ActivityState",
    "Annotation",
    "AnyState",
    "ArrayType",
    "BatchDuplicated",
    "BatchDuplicatedFunc",
    "BatchDuplicatedNoNeed",
    "BatchMixedDuplicated",
    "BatchSizeError",
    "ClassType",
    "Combined",
    "Const",
    "DefaultABI",
    "DictType",
    "DupState",
    "Duplicated",
    "DuplicatedNoNeed",
    "EnzymeError",
    "Explanation",
    "FFIABI",
    "Forward",
    "ForwardMode",
    "ForwardWithPrimal",
    "FunctionType",
    "ImmutableZeroError",
    "InlineABI",
    "Kind",
    "ListType",
    "MixedDuplicated",
    "MixedState",
    "Mode",
    "ModeError",
    "NoPrimal",
    "NonGenABI",
    "NumbaType",
    "ObjectType",
    "RecordType",
    "Reverse",
    "ReverseHolomorphic",
    "ReverseHolomorphicWithPrimal",
    "ReverseMode",
    "ReverseModeSplit",
    "ReverseSplitModified",
    "ReverseSplitNoPrimal",
    "ReverseSplitWidth",
    "ReverseSplitWithPrimal",
    "ReverseWithPrimal",
    "ScalarType",
    "ShadowLayoutError",
    "ShadowTypeError",
    "Split",
    "StructType",
    "TupleType",
    "TypeDescriptor",
    "WithPrimal",
    "WithValue",
    "active_register_state",
    "as_type",
    "autodiff",
    "autodiff_deferred",
    "autodiff_deferred_thunk",
    "autodiff_thunk",
    "batch_size",
    "check_congruent",
    "chunkedonehot",
    "clear_check_nan",
    "clear_err_if_const_written",
    "clear_err_if_func_written",
    "clear_fast_adjoints",
    "clear_runtime_activity",
    "clear_strong_zero",
    "clear_vector_math",
    "combined",
    "compile_report",
    "congruent",
    "conjugate_gradients",
    "declare_kind",
    "eltype",
    "enzyme_code_llvm",
    "enzyme_code_native",
    "enzyme_code_typed",
    "explain",
    "fixed_point",
    "get_func",
    "gradient",
    "gradient_inplace",
    "ignore_derivatives",
    "jacobian",
    "least_squares",
    "linear_solve",
    "log",
    "root",
    "make_zero",
    "make_zero_inplace",
    "needs_primal",
    "no_primal",
    "onehot",
    "remake_zero_inplace",
    "runtime_activity",
    "set_abi",
    "set_check_nan",
    "set_err_if_const_written",
    "set_err_if_func_written",
    "set_fast_adjoints",
    "set_runtime_activity",
    "set_strong_zero",
    "set_vector_math",
    "shadow_not_writable",
    "shadow_overlaps_primal",
    "show_versions",
    "split",
    "strong_zero",
    "tape_type",
    "within_autodiff",
    "typeof",
    "typetree",
    "with_primal",
    "batch",
    "cache",
    "cfunc_address",
    "custom_jvp",
    "custom_vjp",
    "grad",
    "hessian",
    "hvp",
    "hvp_and_gradient_inplace",
    "hvp_inplace",
    "jacfwd",
    "jacrev",
    "jvp",
    "linearize",
    "ravel",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from enzyme.versions import version

        found: Any = version()
    elif name == "llvm":
        return importlib.import_module("enzyme.llvm")
    elif name not in _HOMES:
        raise AttributeError(missing(name))
    else:
        if _HOMES[name] != "enzymecore":
            _prepare()
        found = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = found
    return found


@functools.cache
def _prepare() -> None:
    """Look at the environment; let numba learn what jitted code may call, when it compiles some."""
    from enzyme.frontend.numba_compat.late import before_compiling
    from enzyme.support.progress import log_as_asked

    if os.environ.get("ENZYME_PRINT_AFTER"):
        from enzyme.frontend.printing import print_as_asked

        print_as_asked()
    log_as_asked()
    before_compiling(_tell_numba)


def _tell_numba() -> None:
    from enzyme import compiled, contrib, functional  # noqa: F401


def __dir__() -> list[str]:
    """What users type: no module that this one imports."""
    return sorted({*__all__, "llvm", *(name for name in globals() if name.startswith("__"))})

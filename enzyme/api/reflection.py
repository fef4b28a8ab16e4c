"""What a derivative looks like and what it costs to compile. Always compiled afresh."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import re
from typing import Any

import llvmlite.binding as llvm

from enzyme.api.compile import Program
from enzyme.api.places import call_site, place
from enzyme.api.programs import check_count, prepare
from enzyme.api.values import argument_type, jitted, numba_type, spread, type_of
from enzyme.backend import host, passes
from enzyme.contract.admission import check_annotations, check_function, check_mode, split_return
from enzyme.contract.signature import of_call
from enzyme.errors import EnzymeError
from enzyme.frontend.abi import seeds_of
from enzyme.frontend.registration import afresh, enzyme_target
from enzymecore import Mode, Reverse
from enzymecore.describing import as_type

__all__ = [
    "compile_report",
    "enzyme_code_llvm",
    "enzyme_code_native",
    "enzyme_code_typed",
    "typetree",
]

_BYTES = re.compile(r"(\d+) bytes per iteration")
_STAGES = (
    "typing_lowering",
    "optimise_before_ad",
    "parse",
    "stack_arrays",
    "analyses",
    "synthesis",
    "print",
    "optimise_after_ad",
    "machine_code",
    "wrapper",
)


def fresh_program(f: Any, mode: Any, args: tuple[Any, ...]) -> Program:
    """A program of `f`, made so that no stage finds its work done; the mode may also come first, as in `autodiff`."""
    if isinstance(f, Mode) or (isinstance(f, type) and issubclass(f, Mode)):
        f, mode = mode, f
    try:
        check_mode(mode, f)
        func = check_function(f, args)
        wanted, annotations = split_return(args)
        check_annotations(annotations, types_too=True)
        known = spread(jitted(func, len(annotations)), len(annotations))
        check_count(known, len(annotations))
        with afresh(known):
            return prepare(
                known, of_call(mode, wanted, annotations, argument_type), annotations, fresh=True
            )
    except EnzymeError as error:
        place(error, call_site())
        raise


def stage_seconds(program: Program) -> dict[str, float]:
    """Seconds by stage, in order, of a program that was compiled."""
    return {name: program.stages.get(name, 0.0) for name in _STAGES}


def compile_report(f: Any, mode: Any, *args: Any) -> dict[str, Any]:
    """Compile a derivative from scratch and say what that cost.

    Parameters
    ----------
    f, mode, *args
        As for `autodiff`, also in its order, the mode first; annotation classes with their types, as
        ``Active[float]``, serve as well.

    Returns
    -------
    dict
        ``stages``: seconds by stage, in order. ``cache``: what is kept between forward and reverse
        pass, one line per loop. ``cache_bytes_per_iteration``: the sum over these loops of the
        bytes that one iteration keeps. ``ir``: the program ``before`` differentiation, the
        ``derivative`` as it was written, and the derivative ``optimised``.

    Examples
    --------
    >>> from enzyme import Active, Reverse, compile_report
    >>> report = compile_report(lambda x: x * x, Reverse, Active, Active(3.0))
    >>> list(report["stages"])[:3]
    ['typing_lowering', 'optimise_before_ad', 'parse']
    >>> report["cache_bytes_per_iteration"]
    0
    """
    program = fresh_program(f, mode, args)
    thunk = program.thunk(program.can_be_distinct, keep_text=True)
    made = program.made
    assert made is not None
    return {
        "stages": stage_seconds(program),
        "cache": made.cache_report,
        "cache_bytes_per_iteration": sum(map(int, _BYTES.findall(made.cache_report))),
        "ir": {
            "before": program.primal.text,
            "derivative": made.text,
            "optimised": thunk.derivative_text,
        },
    }


def enzyme_code_llvm(f: Any, return_activity: Any, argtypes: Any, mode: Any = Reverse) -> str:
    """Return the optimised LLVM code of a derivative.

    Parameters
    ----------
    f
        The function.
    return_activity
        An annotation class.
    argtypes
        Annotations, or annotation classes with their types.
    mode
        The mode.

    Examples
    --------
    >>> from enzyme import Active, enzyme_code_llvm
    >>> text = enzyme_code_llvm(lambda x: x * x, Active, (Active[float],))
    >>> "fmul" in text
    True
    """
    program = fresh_program(f, mode, (return_activity, *argtypes))
    return program.thunk(program.can_be_distinct, keep_text=True).derivative_text


def enzyme_code_native(f: Any, return_activity: Any, argtypes: Any, mode: Any = Reverse) -> str:
    """Return the assembler code of a derivative; parameters as for `enzyme_code_llvm`.

    Examples
    --------
    >>> from enzyme import Active, enzyme_code_native
    >>> "ret" in enzyme_code_native(lambda x: x * x, Active, (Active[float],))
    True
    """
    module = llvm.parse_assembly(enzyme_code_llvm(f, return_activity, argtypes, mode))
    with passes.without_strength_reduction():
        return str(host.target_machine().emit_assembly(module))


def enzyme_code_typed(
    f: Any, return_activity: Any, argtypes: Any, mode: Any = Reverse, *, stage: str = "derivative"
) -> str:
    """Return what a stage of the compilation made, with a type at every value.

    Parameters
    ----------
    f, return_activity, argtypes, mode
        As for `enzyme_code_llvm`.
    stage
        ``"before"`` for the program that is differentiated, ``"derivative"`` for the derivative as it was written,
        ``"optimised"`` for what becomes of that, all LLVM code, or ``"assembly"`` for what runs.

    Raises
    ------
    ValueError
        If there is no such stage.

    Examples
    --------
    >>> from enzyme import Active, enzyme_code_typed
    >>> square = lambda x: x * x
    >>> "fmul double" in enzyme_code_typed(square, Active, (Active[float],), stage="before")
    True
    """
    wanted = ("before", "derivative", "optimised", "assembly")
    if stage not in wanted:
        raise ValueError(f"stage must be one of {', '.join(wanted)}, not {stage!r:.60}")
    if stage == "assembly":
        return enzyme_code_native(f, return_activity, argtypes, mode)
    return str(compile_report(f, mode, return_activity, *argtypes)["ir"][stage])


def typetree(x: Any) -> dict[str, str]:
    """What the derivative of a function is told of an argument: which bytes are floats, integers and pointers.

    Parameters
    ----------
    x
        A value, or a type: of Python, NumPy, numba, or one that `typeof` gives.

    Returns
    -------
    dict
        A type tree for each part that compiled code gets, by the name of the part. ``[-1]`` is the part itself, a
        second number is a distance in bytes behind a pointer, -1 there is any.

    Raises
    ------
    ActivityError
        If numba does not take such a value.

    Examples
    --------
    >>> import numpy as np
    >>> from enzyme import typetree
    >>> typetree(1.0)
    {'': '{[-1]:Float@double}'}
    >>> typetree(np.zeros(3))["data"]
    '{[-1]:Pointer, [-1,-1]:Float@double}'
    >>> typetree((1.0, 2))
    {'0': '{[-1]:Float@double}', '1': '{[-1]:Integer}'}
    """
    try:
        ty = numba_type(as_type(x))
    except TypeError:  # it is a value
        ty = type_of(x, 0)
    return seeds_of(enzyme_target.target_context, ty)

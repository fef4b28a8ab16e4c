"""What to differentiate, and how: the input of the engine and the key under which results are memoised.

The engine differentiates one LLVM function.  It knows nothing of Python: a caller says for every LLVM
parameter what it is (`Activity`), which bytes behind it are floats (`seeds`), and for which run time the
program was compiled (`RuntimeModel`): how its memory is managed, and how functions report failure.

Signature of the generated function, in the order of the primal's parameters:

* a `CONST` or `ACTIVE` parameter stays one parameter;
* a `DUPLICATED` or `DUPLICATED_NO_NEED` parameter is followed directly by its shadows, `width` of the same type;
* reverse mode with an `ACTIVE` return: the seeds (adjoints of the return value), `width` of them, come last.

It returns a literal struct (or `void` when the struct would be empty) of, in this order,

* the primal return value, when `return_primal` is set;
* forward mode: the tangents of the return value, when the return is `DUPLICATED`;
* reverse mode: the adjoints of every `ACTIVE` parameter, in order: `width` of the first, then of the next.

Split reverse mode makes two functions.  The augmented primal has the parameters of the other modes without a seed
and returns the primal's status and a tape, a pointer that is null on failure.  The reverse function has the same
parameters, then the seed where the return is `ACTIVE`, then the tape, which it frees; it returns the adjoints.
Where nothing need be kept, the tape is null and the reverse function takes none.
"""

from __future__ import annotations

from dataclasses import dataclass

from enzyme.engine.analysis.kinds import Activity, ArrayParameter, DiffMode
from enzyme.engine.ir.runtime_model import NO_RUNTIME, RuntimeModel
from enzyme.engine.synthesis.cache_report import FunctionCacheReport
from enzyme.errors import EnzymeError

# How the names of the halves of split reverse mode begin; the dots keep them apart from functions of the user that
# have such names themselves.
AUGMENTED, REVERSED = "aug..", "rev.."


@dataclass(frozen=True, slots=True)
class DiffRequest:
    """One derivative.

    `seeds` holds one type tree in canonical text form per LLVM parameter ("" where nothing is known),
    for example ``{[-1]:Pointer, [-1,-1]:Float@double}`` for a pointer to doubles.
    `runtime` is that of the module.
    `distinct_arguments` is the caller's promise that memory reachable from different pointer
    parameters does not overlap; parameters with the same number in `groups` belong to one argument.
    `arrays` are the arrays among them.
    `distinct_lanes` promises the same of the shadows of different lanes. `constants_meet`: constant arguments were seen
    to overlap, so that what is written through one is looked for in all.
    Primal and shadow memory never overlap in any case. What is stored in the shadows of the
    parameters in `discarded` only serves to release what they own: pointers without a shadow are
    null there. `overwritten` holds the parameters whose memory the caller may change between the two calls of split
    reverse mode. `nested`: the derivative will be differentiated itself, so its storage holds one pointer,
    or numbers of one type, each. `guards_are_calls`, as with `nested`: what keeps zeros from infinite partials has a
    derivative itself, and `derivatives.products.define_products` comes in the end. `refuse_late`: what cannot be
    differentiated is an error where control gets there, which calls `known_functions.REFUSE`; only where the run time
    has a status. With `refuse_constants_late` false, errors about constant memory are raised before anything runs all
    the same. `check_nan`: the first NaN in a derivative is an error (`synthesis.nan_checks`), where the run time has a
    status. Errors name the line that calls into `library_folders`, not one inside. `check_shadows`: pointers whose
    shadows are used go with these to `known_functions.CHECK_SHADOW`, where they are read from memory.
    """

    function: str
    mode: DiffMode
    activities: tuple[Activity, ...]
    return_activity: Activity = Activity.CONST
    return_primal: bool = True
    seeds: tuple[str, ...] = ()
    runtime: RuntimeModel = NO_RUNTIME
    width: int = 1
    overwritten: frozenset[int] = frozenset()
    distinct_arguments: bool = False
    distinct_lanes: bool = False
    strong_zero: bool = False
    safe_zero: bool = True
    guards_are_calls: bool = False
    fast_adjoints: bool = True
    check_nan: bool = False
    err_if_const_written: bool = True
    constants_meet: bool = False
    check_shadows: bool = False
    refuse_late: bool = False
    refuse_constants_late: bool = True
    nested: bool = False
    groups: tuple[int, ...] = ()
    arrays: tuple[ArrayParameter, ...] = ()
    discarded: frozenset[int] = frozenset()
    library_folders: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class DiffResult:
    """The module's text with the derivative added, the symbol of the derivative, and what it cost.

    In split mode there is a second symbol, and maybe a tape between the two functions. `refusals` are errors that wait
    for control to get there, by number, `nan_places` those of NaN that is found there.
    """

    text: str
    symbol: str
    stages: dict[str, float]
    cache_report: str = ""
    accounts: tuple[FunctionCacheReport, ...] = ()
    reverse_symbol: str = ""
    has_tape: bool = False
    refusals: tuple[tuple[int, EnzymeError], ...] = ()
    nan_places: tuple[tuple[int, EnzymeError], ...] = ()


__all__ = ["Activity", "DiffMode", "DiffRequest", "DiffResult"]

"""The engine's front door for text: a module and a request in, the module with the derivative out."""

from __future__ import annotations

import time
from dataclasses import replace

from enzyme.engine.analysis.growing import release_calls, share_calls
from enzyme.engine.analysis.kinds import DiffMode
from enzyme.engine.derivatives.complex import define_powers
from enzyme.engine.derivatives.exponents import settle_exponents
from enzyme.engine.derivatives.integer_powers import define_integer_powers
from enzyme.engine.derivatives.known_roots import settle_lengths, settle_roots
from enzyme.engine.derivatives.packed_tanh import settle_tanh
from enzyme.engine.derivatives.products import define_products, settle_products
from enzyme.engine.derivatives.stated import settle
from enzyme.engine.ir.items import forget_items
from enzyme.engine.ir.module import Module
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.printer import print_module
from enzyme.engine.preprocess.squares import smooth_roots
from enzyme.engine.synthesis.driver import Engine
from enzyme.engine.synthesis.nan_checks import NanChecks
from enzyme.engine.synthesis.prepare import prepare_module
from enzyme.engine.synthesis.refusals import Refusals
from enzyme.engine.synthesis.request import DiffRequest, DiffResult
from enzyme.engine.synthesis.ruled import RuleProvider, mark
from enzyme.engine.synthesis.vector_searches import search_in_vectors
from enzyme.errors import EnzymeError
from enzyme.support.collector import resting
from enzyme.support.timing import collect, stage
from enzyme.support.watching import reached


@resting()
def differentiate(
    text: str,
    request: DiffRequest,
    *,
    stand_alone: bool = True,
    explain: bool = False,
    rules: RuleProvider | None = None,
) -> DiffResult:
    """Add the derivative that `request` asks for to the module `text`.

    Returns the new text, the derivative's symbol, the seconds spent per stage (``parse``, ``analyses``,
    ``synthesis``, ``print``) and a line per cache region. With `stand_alone` false the module expects the
    process to link the functions of `synthesis.arena.arena_text`. With `explain` the result has accounts of
    what the reverse passes keep. `rules` knows the functions of the module that are differentiated by rules.

    Raises
    ------
    EnzymeError
        A subclass that names what cannot be differentiated.
    """
    started = time.perf_counter()
    may_wait = request.refuse_late and request.runtime.status is not None
    refusals = Refusals(may_wait, request.refuse_constants_late)
    with collect() as times:
        while True:
            refusals.begin()
            try:
                made = _attempt(text, request, stand_alone, explain, rules, refusals)
                break
            except EnzymeError as error:
                if not refusals.take(error):
                    raise
    stages = dict(times.seconds)
    stages["total"] = time.perf_counter() - started
    return replace(made, stages=stages, refusals=tuple(refusals.errors.items()))


def write_out(module: Module) -> None:
    """Replace what stands in for code while derivatives are taken, when none of the module will be any more."""
    for step in _WRITING_OUT:
        step(module)
    reached("write_out", "", module, lambda: print_module(module))


_WRITING_OUT = (
    define_products,
    settle,
    settle_tanh,
    settle_roots,
    settle_exponents,
    define_powers,
    define_integer_powers,
    forget_items,
    search_in_vectors,
)


def _attempt(
    text: str,
    request: DiffRequest,
    stand_alone: bool,
    explain: bool,
    rules: RuleProvider | None,
    refusals: Refusals,
) -> DiffResult:
    with stage("parse"):
        module = parse_module(text, request.runtime)
    module.library_folders = request.library_folders
    if request.nested or request.guards_are_calls:
        smooth_roots(module)
    else:
        settle_products(module)
        settle_lengths(module)
    mark(module, rules)
    prepare_module(module)
    has_checks = request.check_nan and not request.nested and request.runtime.status is not None
    checks = NanChecks() if has_checks else None
    engine = Engine(
        module,
        stand_alone=stand_alone,
        explain=explain,
        rules=rules,
        refusals=refusals,
        checks=checks,
    )
    reverse, has_tape = "", False
    if request.mode is DiffMode.SPLIT:
        augmented, reversing, has_tape = engine.differentiate_split(request)
        symbol, reverse = augmented.name, reversing.name
    else:
        symbol = engine.differentiate(request).name
    if request.nested:
        share_calls(module)
    else:
        release_calls(module)
        write_out(module)
    with stage("print"):
        made = print_module(module)
    report, accounts = "\n".join(engine.reports), tuple(engine.accounts)
    places = () if checks is None else tuple(checks.places.items())
    return DiffResult(made, symbol, {}, report, accounts, reverse, has_tape, nan_places=places)

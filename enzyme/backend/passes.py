"""LLVM pipelines before and after differentiation; text in, text (or module) out.

Before AD the program is made small and canonical, not fast: everything is promoted to registers,
small callees are inlined, reference counts pruned, loops rotated and put in simplified LCSSA form
(preheader, one latch, dedicated exits).  Vectorisation and unrolling wait until the derivative
exists, since both hide the loops that the reverse pass must run backwards.  Switches become
branches.  After AD comes an ordinary -O3 for the host.

`NRT_*` functions are declarations here (see `frontend.target`), so they survive as calls by name.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace

import llvmlite.binding as llvm

from enzyme.backend import host, inlining, large, vectors
from enzyme.backend.call_sites import check_calls
from enzyme.backend.descents import counted_in_steps
from enzyme.backend.elementary import variants
from enzyme.backend.optimistic import without_guards
from enzyme.backend.prefetch import add_prefetches
from enzyme.backend.scales import with_scales_joined
from enzyme.support.watching import reached


@dataclass(frozen=True, slots=True)
class PreOptions:
    """Knobs of the pipeline before AD.

    A callee is inlined when it has at most `inline_small` instructions, or a single call site and
    at most `inline_single`. Both count simplified code. `keep` names functions that stay calls.
    """

    speed_level: int = 2
    inline_small: int = 150
    inline_single: int = 2000
    inline_rounds: int = 6
    prune_references: bool = True
    lower_switch: bool = True
    keep: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class PostOptions:
    """Knobs of the pipeline after AD.

    With `quick_code`, little more is done than what makes code shorter, and machine code is selected instruction by
    instruction: a tenth of the time. Functions with `vector_forms`, by their symbols, may be computed for several
    numbers at once, on a processor with these `features`. With `sums_in_order`, so is what is added up in an order that
    is fixed.
    """

    speed_level: int = 3
    vectorise: bool = True
    unroll: bool = True
    pack: bool = False
    prune_references: bool = True
    quick_code: bool = False
    sums_in_order: bool = False
    vector_forms: Mapping[str, str] = field(default_factory=dict)
    features: str = ""


PRE_DEFAULT = PreOptions()
POST_DEFAULT = PostOptions()
POST_QUICK = PostOptions(speed_level=1, vectorise=False, unroll=False, quick_code=True)

_chosen: ContextVar[PostOptions] = ContextVar("enzyme_post_options", default=POST_DEFAULT)


def post_options(pack: bool = False) -> PostOptions:
    """The knobs for derivatives that are compiled now; `pack` says whether they compute several lanes."""
    options = _chosen.get()
    return replace(options, pack=pack and options.vectorise)


def options_for(text: str, options: PostOptions) -> PostOptions:
    """The knobs for a derivative that is given as text: of large programs quick code is made."""
    if options.quick_code or not large.is_large(text):
        return options
    return replace(POST_QUICK, prune_references=options.prune_references)


@contextmanager
def compiling_with(options: PostOptions) -> Iterator[None]:
    """Compile derivatives inside the block with these knobs: tests run once what users run often.

    >>> with compiling_with(POST_QUICK):
    ...     post_options().speed_level
    1
    >>> with compiling_with(POST_DEFAULT):
    ...     post_options().speed_level
    3
    """
    token = _chosen.set(options)
    try:
        yield
    finally:
        _chosen.reset(token)


def parse(text: str) -> llvm.ModuleRef:
    """Parse and verify LLVM assembly; LLVM's own message on failure."""
    host.initialise()
    module = llvm.parse_assembly(text)
    module.verify()
    return module


def set_host(module: llvm.ModuleRef) -> None:
    """Give a module that names no target the host's; what it names is kept."""
    if not module.triple or module.triple == "unknown-unknown-unknown":
        module.triple = host.triple()
    if not module.data_layout:
        module.data_layout = host.data_layout()


def run_before_ad(
    module: llvm.ModuleRef, options: PreOptions = PRE_DEFAULT, text: str = ""
) -> None:
    """Optimise `module`, whose text may be given, in place for differentiation.

    LLVM's whole pipeline would end with vector-minded loop rewrites (load forwarding across
    iterations, versioning), so this one is put together from its scalar part, which fully unrolls
    only short constant loops, and from inlining by our own measure.
    """
    set_host(module)
    builder = _scalar_builder(options)
    _simplify(module, builder, None, text or str(module))
    for _ in range(options.inline_rounds):
        simple = str(module)
        changed = inlining.mark_inline(
            module, simple, options.inline_small, options.inline_single, options.keep
        )
        if not changed:
            break
        inline = llvm.create_new_module_pass_manager()
        inline.add_always_inliner_pass()
        inline.add_global_dead_code_eliminate_pass()
        inline.run(module, builder)
        _simplify(module, builder, changed, str(module))
    else:
        simple = str(module)

    attributes = llvm.create_new_module_pass_manager()
    attributes.add_post_order_function_attributes_pass()
    attributes.add_rpo_function_attrs_pass()
    if options.prune_references:
        attributes.add_refprune_pass()
    attributes.add_global_opt_pass()
    attributes.add_global_dead_code_eliminate_pass()
    attributes.run(module, builder)
    _simplify(module, builder, None, simple)
    _tidy(module, builder, options)


def _scalar_builder(options: PreOptions) -> llvm.PassBuilder:
    tuning = llvm.create_pipeline_tuning_options(speed_level=options.speed_level)
    tuning.loop_vectorization = tuning.slp_vectorization = tuning.loop_interleaving = False
    return llvm.create_pass_builder(host.target_machine(), tuning)


def _tidy(module: llvm.ModuleRef, builder: llvm.PassBuilder, options: PreOptions) -> None:
    """Leave loops in the form that the engine wants."""
    tidy = llvm.create_new_module_pass_manager()
    if options.lower_switch:
        tidy.add_lower_switch_pass()
    tidy.add_loop_rotate_pass()
    tidy.add_simplify_cfg_pass()
    tidy.add_loop_simplify_pass()
    tidy.add_lcssa_pass()
    tidy.add_global_dead_code_eliminate_pass()
    tidy.add_strip_dead_prototype_pass()
    tidy.run(module, builder)


def _simplify(
    module: llvm.ModuleRef, builder: llvm.PassBuilder, names: Container[str] | None, text: str
) -> None:
    """Run LLVM's scalar pipeline over the named functions, or over all; a short one where it would take long.

    How long is seen from the text, which may be from before the last changes.
    """
    if large.is_large(text, plain=True):
        return large.simplify(module)
    manager = builder.getFunctionPassManager()
    for function in module.functions:
        if not function.is_declaration and (names is None or function.name in names):
            manager.run(function, builder)


def optimise_before_ad(text: str, options: PreOptions = PRE_DEFAULT) -> str:
    """Text of the module, ready for the engine."""
    module = parse(text)
    run_before_ad(module, options, text)
    made = str(module)
    reached("optimise_before_ad", "", None, lambda: made)
    return made


# Calls that stay calls have derivatives in two parts; these cannot be differentiated again.
_FOR_NESTING = replace(PRE_DEFAULT, inline_small=4000, inline_single=40000)


def optimise_for_nesting(text: str) -> str:
    """As `optimise_before_ad`, for a program whose derivative will be differentiated: only recursion stays calls."""
    return optimise_before_ad(text, _FOR_NESTING)


def simplify_again(text: str, options: PreOptions = PRE_DEFAULT) -> str:
    """Simplify a module that was optimised before and then changed by hand; nothing is inlined."""
    module = parse(text)
    builder = _scalar_builder(options)
    _simplify(module, builder, None, text)
    _tidy(module, builder, options)
    return str(module)


def run_after_ad(
    module: llvm.ModuleRef, options: PostOptions = POST_DEFAULT, has_variants: bool = False
) -> None:
    """Optimise `module`, which holds a derivative, in place for speed on the host.

    With `has_variants`, it calls functions that have vector variants, and more is done to have loops vectorised.
    """
    set_host(module)
    if options.quick_code:
        return large.simplify(module)
    tuning = llvm.create_pipeline_tuning_options(speed_level=options.speed_level)
    tuning.loop_vectorization = options.vectorise
    tuning.slp_vectorization = options.pack
    tuning.loop_interleaving = options.vectorise
    tuning.loop_unrolling = options.unroll
    builder = llvm.create_pass_builder(vectors.target_machine_for(module), tuning)
    main = builder.getModulePassManager()
    if options.prune_references and not _declares(module, LET_GO):
        main.add_refprune_pass()
    longer = (_LONG_LOOPS_IN_TWO,) if has_variants else ()
    if has_variants or options.sums_in_order:
        longer = (*longer, _SUMS_IN_ORDER)
    with _with_options(_CHECKS_AT_EACH_LOOP, _PLAIN_PACKS, *longer):
        main.run(module, builder)


# Releases that the pass which takes out counts in pairs does not know: what it thinks is held in between may be gone.
LET_GO = "enzyme_let_go"


def _declares(module: llvm.ModuleRef, name: str) -> bool:
    try:
        module.get_function(name)
    except NameError:
        return False
    return True


# Let the vectoriser test for overlap where a loop begins, and not once for its whole nest. The reverse of a stencil
# adds to several rows of one array: apart in each run of the inner loop, they overlap over the nest, and the scalar
# loop would always be taken.
_CHECKS_AT_EACH_LOOP = ("hoist-runtime-checks", "false", "true")
# Let it take loops with a sum whose order is fixed: the numbers are added one by one, and what they are made of is
# computed in vectors.
_SUMS_IN_ORDER = ("force-ordered-reductions", "true", "false")
# Numba's array expressions choose an index in each iteration, by a condition that never changes; with functions in
# them, they are longer than the loops of which LLVM makes two otherwise.
_LONG_LOOPS_IN_TWO = ("unswitch-threshold", "200", "50")
# Let packs hold what is computed alike and nothing else: LLVM 22 also takes those of which some lanes are copies, and
# ends the process ("must be scheduled at this point") where it does not find an order for them.
_PLAIN_PACKS = ("slp-copyable-elements", "false", "true")


@contextmanager
def _with_options(*options: tuple[str, str, str]) -> Iterator[None]:
    """Set options of LLVM by name, value meanwhile and default; they belong to the process, and are put back, so that
    other users of LLVM see the defaults."""
    for name, value, _ in options:
        llvm.set_option("", f"-{name}={value}")
    try:
        yield
    finally:
        for name, _, default in options:
            llvm.set_option("", f"-{name}={default}")


def without_strength_reduction() -> AbstractContextManager[None]:
    """Let the code generator take addresses in loops as they are while it makes machine code of a derivative.

    It would look for the cheapest sums of all counters and addresses of a loop at once, and the two passes of a
    derivative have many: half of the time for machine code, which is no faster for it.
    """
    return _with_options(("disable-lsr", "true", "false"))


def optimise_after_ad_module(
    text: str,
    options: PostOptions = POST_DEFAULT,
    keep: Sequence[str] = (),
    parts: Sequence[llvm.ModuleRef] = (),
    prepare: Callable[[llvm.ModuleRef], None] | None = None,
) -> llvm.ModuleRef:
    """Parsed, optimised module, with `parts` linked in; with `keep`, all other definitions become internal first.

    What `prepare` does comes before all else. The options are to be those of `options_for`: whoever makes machine
    code of the module must know them too.
    """
    forms = options.vector_forms if options.vectorise else {}
    offered = variants.offered(text, forms, options.features) if forms else text
    module = parse(counted_in_steps(offered))
    if prepare is not None:
        prepare(module)
    for part in parts:
        module.link_in(part, preserve=True)
    check_calls(str(module) if parts else text)
    if keep:
        isolate(module, *keep)
    run_after_ad(module, options, has_variants=offered is not text)
    if offered is not text:
        module = parse(variants.settled(str(module), forms))
    reached("optimise_after_ad", "", None, lambda: str(module))
    if not options.vectorise:
        return module
    optimised = str(module)
    finished = without_guards(with_scales_joined(add_prefetches(optimised)))
    return module if finished is optimised else parse(finished)


def optimise_after_ad(text: str, options: PostOptions = POST_DEFAULT) -> str:
    """Text of the optimised module."""
    return str(optimise_after_ad_module(text, options_for(text, options)))


def isolate(module: llvm.ModuleRef, *kept: str) -> None:
    """Make the functions of these names the only definitions that other modules can see."""
    missing = set(kept)
    for function in module.functions:
        if function.is_declaration:
            continue
        function.linkage = "external" if function.name in kept else "internal"
        missing.discard(function.name)
    if missing:
        raise ValueError(f"the module does not define {sorted(missing)}")


def quick_object(module: llvm.ModuleRef) -> bytes:
    """Machine code of `module` in an object file, made without looking at more than one instruction at a time."""
    text = str(module)
    split = large.with_short_blocks(text)
    if split is not text:
        module = parse(split)
    return bytes(host.target_machine(level=0).emit_object(module))


def run_light(module: llvm.ModuleRef) -> None:
    """Cheap optimisation in place, for code that hardly runs."""
    if large.is_large(str(module)):
        return large.simplify(module)
    tuning = llvm.create_pipeline_tuning_options(speed_level=1)
    tuning.loop_vectorization = tuning.slp_vectorization = tuning.loop_unrolling = False
    builder = llvm.create_pass_builder(host.target_machine(), tuning)
    builder.getModulePassManager().run(module, builder)

"""LLVM pipelines before and after differentiation; text in, text (or module) out.

Before AD the program is made small and canonical, not fast: everything is promoted to registers,
small callees are inlined, reference counts pruned, loops rotated and put in simplified LCSSA form
(preheader, one latch, dedicated exits).  Vectorisation and unrolling wait until the derivative
exists, since both hide the loops that the reverse pass must run backwards.  Switches become
branches.  After AD comes an ordinary -O3 for the host.

`NRT_*` functions are declarations here (see `frontend.target`), so they survive as calls by name.
"""

from __future__ import annotations

from dataclasses import dataclass

import llvmlite.binding as llvm

from enzyme.backend import host


@dataclass(frozen=True, slots=True)
class PreOptions:
    """Knobs of the pipeline before AD."""

    speed_level: int = 2
    inlining_threshold: int = 400
    prune_references: bool = True
    lower_switch: bool = True


@dataclass(frozen=True, slots=True)
class PostOptions:
    """Knobs of the pipeline after AD."""

    speed_level: int = 3
    vectorise: bool = True
    unroll: bool = True
    prune_references: bool = True


PRE_DEFAULT = PreOptions()
POST_DEFAULT = PostOptions()


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


def run_before_ad(module: llvm.ModuleRef, options: PreOptions = PRE_DEFAULT) -> None:
    """Optimise `module` in place for differentiation."""
    set_host(module)
    tuning = llvm.create_pipeline_tuning_options(speed_level=options.speed_level)
    tuning.loop_vectorization = False
    tuning.slp_vectorization = False
    tuning.loop_unrolling = False
    tuning.loop_interleaving = False
    tuning.inlining_threshold = options.inlining_threshold
    builder = llvm.create_pass_builder(host.target_machine(), tuning)
    main = builder.getModulePassManager()
    main.run(module, builder)

    tidy = llvm.create_new_module_pass_manager()
    if options.prune_references:
        tidy.add_refprune_pass()
        tidy.add_sroa_pass()
        tidy.add_instruction_combine_pass()
        tidy.add_aggressive_dce_pass()
        tidy.add_simplify_cfg_pass()
    tidy.add_global_dead_code_eliminate_pass()
    if options.lower_switch:
        tidy.add_lower_switch_pass()
    tidy.add_loop_rotate_pass()
    tidy.add_loop_simplify_pass()
    tidy.add_lcssa_pass()
    tidy.add_strip_dead_prototype_pass()
    tidy.run(module, builder)


def optimise_before_ad(text: str, options: PreOptions = PRE_DEFAULT) -> str:
    """Text of the module, ready for the engine."""
    module = parse(text)
    run_before_ad(module, options)
    return str(module)


def run_after_ad(module: llvm.ModuleRef, options: PostOptions = POST_DEFAULT) -> None:
    """Optimise `module`, which holds a derivative, in place for speed on the host."""
    set_host(module)
    tuning = llvm.create_pipeline_tuning_options(speed_level=options.speed_level)
    tuning.loop_vectorization = options.vectorise
    tuning.slp_vectorization = options.vectorise
    tuning.loop_interleaving = options.vectorise
    tuning.loop_unrolling = options.unroll
    builder = llvm.create_pass_builder(host.target_machine(), tuning)
    main = builder.getModulePassManager()
    if options.prune_references:
        main.add_refprune_pass()
    main.run(module, builder)


def optimise_after_ad_module(text: str, options: PostOptions = POST_DEFAULT) -> llvm.ModuleRef:
    """Parsed, optimised module."""
    module = parse(text)
    run_after_ad(module, options)
    return module


def optimise_after_ad(text: str, options: PostOptions = POST_DEFAULT) -> str:
    """Text of the optimised module."""
    return str(optimise_after_ad_module(text, options))

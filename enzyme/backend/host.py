"""The machine that derivatives are compiled for: triple, target machine, feature string.

One target machine per optimisation level and width of vectors is made and kept; all of them describe the host, so
that vectorisation uses what the processor has.
"""

from __future__ import annotations

import functools

import llvmlite.binding as llvm


@functools.cache
def initialise() -> None:
    """Register the native target with LLVM; harmless when numba has done so before."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.initialize_native_asmparser()


@functools.cache
def features() -> str:
    """Feature string of the host; "" where LLVM cannot tell."""
    try:
        return llvm.get_host_cpu_features().flatten()
    except RuntimeError:
        return ""


@functools.cache
def cpu() -> str:
    """Name of the host's processor."""
    return str(llvm.get_host_cpu_name())


@functools.cache
def has_fused(features: str) -> bool:
    """Has a processor of the host's family with these features an instruction for a b + c with one rounding?"""
    return triple().startswith(("aarch64", "arm64")) or "+fma" in features.split(",")


@functools.cache
def doubles_at_once(features: str) -> int:
    """How many doubles one instruction of such a processor computes with."""
    has = features.split(",")
    return 8 if "+avx512f" in has else 4 if "+avx" in has else 2


def full_vectors_are_fast() -> bool:
    """Has the host vectors of 512 bits that LLVM would avoid for no reason?"""
    return "+avx512fp16" in features().split(",")  # Intel's, since Sapphire Rapids


def new_target_machine(level: int = 3, full_vectors: bool = False) -> llvm.TargetMachine:
    """Target machine of the host for in-process code, at optimisation level `level`.

    With `full_vectors`, which is for hosts that have them, LLVM does not halve its vectors. An execution engine
    takes its machine over, so each needs one of its own.
    """
    initialise()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    reloc = "static" if target.name.startswith("x86") else "default"
    return target.create_target_machine(
        cpu=cpu(),
        features=features() + ",-prefer-256-bit" * full_vectors,
        opt=level,
        reloc=reloc,
        codemodel="jitdefault",
        jit=True,
    )


@functools.cache
def target_machine(level: int = 3, full_vectors: bool = False) -> llvm.TargetMachine:
    """A target machine to share, for pass pipelines and printing."""
    return new_target_machine(level, full_vectors)


def triple() -> str:
    initialise()
    return llvm.get_process_triple()


@functools.cache
def data_layout() -> str:
    return str(target_machine().target_data)

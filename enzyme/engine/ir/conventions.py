"""Calling conventions, which a call and what it calls must agree on: LLVM takes a mismatch for unreachable code."""

from __future__ import annotations

CONVENTIONS = frozenset(
    """
    cc ccc fastcc coldcc ghccc swiftcc swifttailcc tailcc webkit_jscc anyregcc preserve_mostcc
    preserve_allcc preserve_nonecc cfguard_checkcc cxx_fast_tlscc x86_stdcallcc x86_fastcallcc
    x86_thiscallcc x86_vectorcallcc x86_regcallcc x86_intrcc x86_64_sysvcc win64cc intel_ocl_bicc
    arm_apcscc arm_aapcscc arm_aapcs_vfpcc aarch64_vector_pcs aarch64_sve_vector_pcs
    aarch64_sme_preservemost_from_x0 aarch64_sme_preservemost_from_x1 aarch64_sme_preservemost_from_x2
    msp430_intrcc avr_intrcc avr_signalcc ptx_kernel ptx_device spir_func spir_kernel hhvmcc hhvm_ccc
    amdgpu_vs amdgpu_gs amdgpu_ps amdgpu_cs amdgpu_ls amdgpu_hs amdgpu_es amdgpu_gfx amdgpu_kernel
    amdgpu_cs_chain amdgpu_cs_chain_preserve amdgpu_gfx_whole_wave m68k_rtdcc graalcc riscv_vector_cc
    riscv_vls_cc cheriot_compartmentcallcc cheriot_compartmentcalleecc cheriot_librarycallcc
    """.split()
)


def convention_of(words: str) -> str:
    """The calling convention among the words before the type of a function's result, "" for that of C.

    >>> convention_of("internal fastcc noundef"), convention_of("cc 10"), convention_of("dso_local ccc")
    ('fastcc', 'cc 10', '')
    """
    split = words.split()
    for position, word in enumerate(split):
        if word == "cc":
            return " ".join(split[position : position + 2])
        if word in CONVENTIONS:
            return "" if word == "ccc" else word
    return ""

"""Numba's linear algebra as the engine knows it, and back.

Numba calls `numba_xxgemm` and its like with scalars and results behind pointers and the kind as a
character. Before optimisation the program gets functions of these names that call the engine's
routines (`engine.derivatives.routines`); inlined, they leave one call with plain operands. For
derivatives there is one module per process that defines the routines by numba's functions.

Routines are `nomerge`: numba chooses between them by shape, and LLVM would join two calls into one
whose operands are chosen, constant and active ones mixed.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

import llvmlite.binding as llvm

from enzyme.backend.emit import called_by, defined_by, object_of, optimised
from enzyme.engine.derivatives import lu_kernels
from enzyme.engine.derivatives.linear_calls import KINDS, PREFIX, in_complex
from enzyme.engine.derivatives.linear_kernels import for_kind, kernels_text
from enzyme.engine.derivatives.routines import ROUTINES
from enzyme.frontend import fortran, pieces
from enzyme.frontend.numba_compat.code import LAPACK_ILP64


@dataclass(frozen=True)
class _Library:
    """One of numba's functions: its parameters behind the kind, how it calls routines, and how they call it."""

    parameters: str
    program: str
    routines: dict[str, str]


_DOT = """
  %result = alloca T
  %status = call i32 @numba_xxdot(i8 LETTER, i8 CONJUGATE, i64 %n, ptr %x, ptr %y, ptr %result)
  call void @enzyme_check_status(i32 %status)
  %value = load T, ptr %result
  ret T %value"""
_FACTORS = """
  %alpha.at = alloca T
  %beta.at = alloca T
  store T %alpha, ptr %alpha.at
  store T %beta, ptr %beta.at"""
_CHECK = """
  call void @enzyme_check_status(i32 %status)
  ret void"""
_IN = "ptr readonly captures(none)"
_OUT = "ptr captures(none)"

_LIBRARY = {
    "numba_xxdot": _Library(
        "i8 %conjugate, i64 %n, ptr %x, ptr %y, ptr %result",
        """
  %conjugates = icmp ne i8 %conjugate, 0
  br i1 %conjugates, label %conj, label %plain
conj:
  %c = call T @enzyme_dotc_K(i64 %n, ptr %x, ptr %y)
  store T %c, ptr %result
  ret i32 0
plain:
  %u = call T @enzyme_dotu_K(i64 %n, ptr %x, ptr %y)
  store T %u, ptr %result
  ret i32 0""",
        {
            f"T @enzyme_dotu_K(i64 %n, {_IN} %x, {_IN} %y)": _DOT.replace("CONJUGATE", "0"),
            f"T @enzyme_dotc_K(i64 %n, {_IN} %x, {_IN} %y)": _DOT.replace("CONJUGATE", "1"),
        },
    ),
    "numba_xxgemv": _Library(
        "i8 %trans, i64 %m, i64 %n, ptr %alpha, ptr %a, i64 %lda, ptr %x, ptr %beta, ptr %y",
        """
  %alpha.v = load T, ptr %alpha
  %beta.v = load T, ptr %beta
  call void @enzyme_gemv_K(i8 %trans, i64 %m, i64 %n, T %alpha.v, ptr %a, i64 %lda, ptr %x, T %beta.v, ptr %y)
  ret i32 0""",
        {
            f"void @enzyme_gemv_K(i8 %trans, i64 %m, i64 %n, T %alpha, {_IN} %a, i64 %lda, {_IN} %x,"
            f" T %beta, {_OUT} %y)": _FACTORS
            + """
  %status = call i32 @numba_xxgemv(i8 LETTER, i8 %trans, i64 %m, i64 %n, ptr %alpha.at, ptr %a, i64 %lda,
                                   ptr %x, ptr %beta.at, ptr %y)"""
            + _CHECK
        },
    ),
    "numba_xxgemm": _Library(
        "i8 %transa, i8 %transb, i64 %m, i64 %n, i64 %k, ptr %alpha, ptr %a, i64 %lda, ptr %b, i64 %ldb,"
        " ptr %beta, ptr %c, i64 %ldc",
        """
  %alpha.v = load T, ptr %alpha
  %beta.v = load T, ptr %beta
  call void @enzyme_gemm_K(i8 %transa, i8 %transb, i64 %m, i64 %n, i64 %k, T %alpha.v, ptr %a, i64 %lda,
                           ptr %b, i64 %ldb, T %beta.v, ptr %c, i64 %ldc)
  ret i32 0""",
        {
            f"void @enzyme_gemm_K(i8 %transa, i8 %transb, i64 %m, i64 %n, i64 %k, T %alpha, {_IN} %a,"
            f" i64 %lda, {_IN} %b, i64 %ldb, T %beta, {_OUT} %c, i64 %ldc)": _FACTORS
            + """
  %status = call i32 @numba_xxgemm(i8 LETTER, i8 %transa, i8 %transb, i64 %m, i64 %n, i64 %k,
                                   ptr %alpha.at, ptr %a, i64 %lda, ptr %b, i64 %ldb, ptr %beta.at,
                                   ptr %c, i64 %ldc)"""
            + _CHECK
        },
    ),
}

_NORM = """
  %result = alloca P
  %status = call i32 @numba_xxnrm2(i8 LETTER, i64 %n, ptr %x, i64 %incx, ptr %result)
  call void @enzyme_check_status(i32 %status)
  %value = load P, ptr %result
  ret P %value"""
_LIBRARY["numba_xxnrm2"] = _Library(
    "i64 %n, ptr %x, i64 %incx, ptr %result",
    """
  %r = call P @enzyme_nrm2_K(i64 %n, ptr %x, i64 %incx)
  store P %r, ptr %result
  ret i32 0""",
    {
        f"P @enzyme_nrm2_K(i64 %n, {_IN} %x, i64 %incx)": _NORM,
        f"P @enzyme_sumsq_K(i64 %n, {_IN} %x, i64 %incx)": _NORM.replace(
            "  ret P %value", "  %square = fmul P %value, %value\n  ret P %square"
        ),
    },
)


def _solver(name: str, routine: str, parameters: str) -> None:
    """A function of LAPACK is called as it is: its status belongs to the program."""
    passed = ", ".join(re.findall(r"\w+ %\w+", parameters))
    names = filter(None, (routine, ROUTINES[routine].readable))
    _LIBRARY[name] = _Library(
        parameters,
        f"\n  %r = call i32 @enzyme_{routine}_K({passed})\n  ret i32 %r",
        {
            f"i32 @enzyme_{each}_K({parameters.replace('ptr', _OUT)})": f"""
  %r = call i32 @{name}(i8 LETTER, {passed})
  ret i32 %r"""
            for each in names
        },
    )


if not LAPACK_ILP64:  # the engine's pivots have 32 bits
    _solver(
        "numba_xgesv", "gesv", "i64 %n, i64 %nrhs, ptr %a, i64 %lda, ptr %ipiv, ptr %b, i64 %ldb"
    )
    _solver("numba_xxgetrf", "getrf", "i64 %m, i64 %n, ptr %a, i64 %lda, ptr %ipiv")
    _solver("numba_ez_xxgetri", "getri", "i64 %n, ptr %a, i64 %lda, ptr %ipiv")

# The program's and the routines' sides of one function never meet in a module.
_ATTRIBUTES = "nounwind willreturn nomerge memory(argmem: readwrite)"
_STATUS = """
declare void @numba_fatal_error()

define internal void @enzyme_check_status(i32 %status) {
  %bad = icmp ne i32 %status, 0
  br i1 %bad, label %fail, label %fine
fail:
  call void @numba_fatal_error()
  unreachable
fine:
  ret void
}
"""
_NAME = re.compile(r"%[\w.]+")


def _types(parameters: str) -> str:
    return _NAME.sub("", parameters)


def _declared(name: str, kind: str) -> str:
    """Declarations of the routines behind one of numba's functions."""
    heads = _LIBRARY[name].routines
    return "".join(for_kind(f"declare {_types(head)} {_ATTRIBUTES}\n", kind) for head in heads)


@functools.cache
def _program_text(name: str) -> str:
    """`name` by kind, in terms of the routines."""
    library = _LIBRARY[name]
    passed = ", ".join(re.findall(r"\w+ %[\w.]+", library.parameters))
    cases, parts = "", ""
    for kind in KINDS:
        cases += f" i8 {ord(kind)}, label %kind.{kind}"
        parts += (
            f"kind.{kind}:\n  %r.{kind} = call i32 @{name}_{kind}({passed})\n  ret i32 %r.{kind}\n"
        )
    text = (
        f"define linkonce_odr i32 @{name}(i8 %kind, {library.parameters}) alwaysinline {{\n"
        f"  switch i8 %kind, label %unknown [{cases} ]\n{parts}unknown:\n  ret i32 -1\n}}\n"
    )
    for kind in KINDS:
        text += _declared(name, kind)
        body = f"define internal i32 @{name}_K({library.parameters}) alwaysinline {{{library.program}\n}}\n"
        text += for_kind(body, kind)
    return text


def define_in(program: llvm.ModuleRef) -> None:
    """Let the program's calls of numba's linear algebra end in the engine's routines."""
    for name in [f.name for f in program.functions if f.name in _LIBRARY and f.is_declaration]:
        fortran.link(program, _program_text(name))
    fortran.define_in(program)


def _make(kind: str, solvers: bool) -> pieces.Piece:
    text = _STATUS + kernels_text(kind) + (lu_kernels.lu_kernels_text(kind) if solvers else "")
    for name, library in _LIBRARY.items():
        text += f"declare i32 @{name}(i8, {_types(library.parameters)})\n"
        for head, body in library.routines.items():
            body = body.replace("LETTER", str(ord(kind)))
            text += for_kind(f"define {head} {{{body}\n}}\n", kind)
    module = optimised(text)
    return pieces.Piece(object_of(module), defined_by(module), called_by(module))


_CALLED = re.compile(rf"@{PREFIX}(\w+)_([{''.join(KINDS)}])\(")
_SOLVERS = {*(r.name for r in ROUTINES.values() if r.factored), *lu_kernels.KERNELS}


def _called_in(derivative: str) -> dict[str, set[str]]:
    """The routines and kernels that the text of a derivative calls, by kind."""
    called: dict[str, set[str]] = {}
    for name, kind in _CALLED.findall(derivative):
        called.setdefault(kind, set()).add(name)
    return called


def pieces_for(derivative: str) -> tuple[str, ...]:
    """The names of the pieces that have what the text of a derivative calls."""
    called = _called_in(derivative)
    decomposed = [k for k, names in called.items() if not names.isdisjoint(fortran.DECOMPOSITIONS)]
    for kind in decomposed:  # eigenvalues of real matrices are complex
        called.setdefault(in_complex(kind), set())
    products = [
        f"linear {kind}{' solvers' * (not names.isdisjoint(_SOLVERS))}"
        for kind, names in sorted(called.items())
    ]
    return *products, *(f"decompositions {kind}" for kind in sorted(decomposed))


def make_piece(name: str) -> pieces.Piece:
    """The routines of a kind, with their kernels."""
    group, kind, *solvers = name.split()
    return fortran.decompositions(kind) if group == "decompositions" else _make(kind, bool(solvers))


def define_kernels_in(derivative: llvm.ModuleRef, text: str) -> None:
    """Give a derivative that is differentiated itself the loops that it calls; routines stay calls."""
    for kind, names in _called_in(text).items():
        solvers = not names.isdisjoint(_SOLVERS)
        loops = kernels_text(kind)
        if solvers:
            loops += _declared("numba_xxgemm", kind) + lu_kernels.lu_kernels_text(kind)
        fortran.link(derivative, loops)
        fortran.define_kernels_in(derivative, names, kind)

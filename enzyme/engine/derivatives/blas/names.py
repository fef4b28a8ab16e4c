"""Names of BLAS and LAPACK, in one table: which formula each is, in Fortran and in CBLAS, and how it calls it.

A row has the names without what stands around them, the letters of the kinds that have it, its parameters, and the
call of a formula for matrices that are stored column by column; `rows`: the call where they are stored row by row.
A name in a program has letters of its kind in front (`s`, `d`, `c`, `z`), perhaps `cblas_` or `scipy_`, and perhaps an
underscore, `64_` or `_64_` behind it; the last two have integers of 64 bits. What a program calls by its address has a
name with `FORTRAN` in front.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

# In front of the name of a routine of Fortran's that is called by its address.
FORTRAN = "fortran."

# Parameters by name; what is not here is an integer. `out` is written.
TYPES: dict[str, str] = {
    **dict.fromkeys("trans transa transb uplo diag side".split(), "Letter"),
    **dict.fromkeys("jobz jobu jobvt jobvl jobvr".split(), "Letter"),
    **dict.fromkeys("a b c x y tau work out".split(), "Numbers"),
    **dict.fromkeys("u vt vl vr wr wi values".split(), "Numbers"),
    **dict.fromkeys("w s rwork".split(), "Reals"),
    **dict.fromkeys("ipiv info iwork".split(), "Integers"),
    **dict.fromkeys("alpha beta".split(), "Number"),
    **dict.fromkeys("ralpha rbeta".split(), "Real"),
    "salpha": "Single",
    **dict.fromkeys("sx sy".split(), "Singles"),
}


@dataclass(frozen=True, slots=True)
class Row:
    """`kinds` maps a name as it stands in programs to the kind of its numbers."""

    group: str
    kinds: dict[str, str]
    parameters: tuple[str, ...]
    columns: str
    rows: str
    result: str
    cblas: bool
    fortran: bool


ROWS: list[Row] = []


def _row(
    group: str,
    names: str,
    parameters: str,
    columns: str,
    rows: str = "",
    result: str = "None",
    cblas: bool = True,
    fortran: bool = True,
) -> None:
    """`names` as `sd:gemv`: one name for each letter; `c>scnrm2`: the whole name, with its kind in front."""
    kinds: dict[str, str] = {}
    for word in names.split():
        if ">" in word:
            kind, name = word.split(">")
            kinds[name] = kind
        else:
            letters, stem = word.split(":")
            kinds.update({letter + stem: letter for letter in letters})
    ROWS.append(Row(group, kinds, tuple(parameters.split()), columns, rows, result, cblas, fortran))


_L1 = "level 1"
_row(_L1, "sdcz:axpy", "n alpha x incx y incy", "axpy(n, alpha, x, incx, y, incy)")
_row(
    _L1,
    "sdcz:axpby",
    "n alpha x incx beta y incy",
    "axpby(n, alpha, x, incx, beta, y, incy)",
)
_row(_L1, "sdcz:scal", "n alpha x incx", "scal(n, alpha, x, incx)")
_row(_L1, "c>csscal z>zdscal", "n ralpha x incx", "rscal(n, ralpha, x, incx)")
_row(_L1, "sdcz:copy", "n x incx y incy", "copy(n, x, incx, y, incy)")
_row(_L1, "sdcz:swap", "n x incx y incy", "swap(n, x, incx, y, incy)")
_row(_L1, "sd:dot", "n x incx y incy", "dot(False, n, x, incx, y, incy)", result="Number")
for _name, _conj in (("dotu", "False"), ("dotc", "True")):
    _call = f"dot({_conj}, n, x, incx, y, incy)"
    _row(_L1, f"cz:{_name}", "n x incx y incy", _call, result="Number", cblas=False)
    _row(
        _L1,
        f"c>c{_name}_sub z>z{_name}_sub",
        "n x incx y incy out",
        f"out[0] = {_call}",
        fortran=False,
    )
_row(_L1, "d>dsdot", "n sx incx sy incy", "dsdot(n, sx, incx, sy, incy)", result="Double")
_row(
    _L1,
    "s>sdsdot",
    "n salpha sx incx sy incy",
    "sdsdot(n, salpha, sx, incx, sy, incy)",
    result="Single",
)
_row(_L1, "s>snrm2 d>dnrm2 c>scnrm2 z>dznrm2", "n x incx", "nrm2(n, x, incx)", result="Real")
_row(_L1, "s>sasum d>dasum c>scasum z>dzasum", "n x incx", "asum(n, x, incx)", result="Real")
_IAMAX = "s>isamax d>idamax c>icamax z>izamax"
_row(_L1, _IAMAX, "n x incx", "1 + iamax(n, x, incx)", result="int", cblas=False)
_row(_L1, _IAMAX, "n x incx", "max(iamax(n, x, incx), 0)", result="int", fortran=False)

_L2 = "level 2"
_row(
    _L2,
    "sdcz:gemv",
    "trans m n alpha a lda x incx beta y incy",
    "band_times_vector(trans, m, n, m, n, alpha, a, lda, x, incx, beta, y, incy)",
    "band_times_vector(turned(trans), n, m, n, m, alpha, a, lda, x, incx, beta, y, incy)",
)
_row(
    _L2,
    "sdcz:gbmv",
    "trans m n kl ku alpha a lda x incx beta y incy",
    "band_times_vector(trans, m, n, kl, ku, alpha, a + ku, lda - 1, x, incx, beta, y, incy)",
    "band_times_vector(turned(trans), n, m, ku, kl, alpha, a + kl, lda - 1, x, incx, beta, y, incy)",
)
for _names, _x, _y in (("sd:ger cz:geru", "False", "False"), ("cz:gerc", "False", "True")):
    _row(
        _L2,
        _names,
        "m n alpha x incx y incy a lda",
        f"outer({_x}, {_y}, m, n, alpha, x, incx, y, incy, a, lda)",
        f"outer({_y}, {_x}, n, m, alpha, y, incy, x, incx, a, lda)",
    )
# Storage of half of a matrix: letters of names, parameters, how it begins, k, b and c of `matrices`.
_STORED = (
    ("", "", "lda", "a", "n", "lda", "0"),
    ("b", "k ", "lda", "a + band_place(UPLO, k)", "k", "lda - 1", "0"),
    ("p", "", "", "a", "n", "packed_b(UPLO, n)", "packed_c(UPLO)"),
)


def _both(call: str) -> tuple[str, str]:
    """The call for columns, and for rows: there the other triangle of the transpose stands in memory."""
    return (
        call.replace("UPLO", "uplo").replace("TURN", "False").replace("TRANS", "trans"),
        call.replace("UPLO", "opposite(uplo)")
        .replace("TURN", "True")
        .replace("TRANS", "turned(trans)"),
    )


for _s, _k, _ld, _a, _kk, _b, _c in _STORED:
    for _letters, _kinds, _hermitian in (("sy", "sd", "False"), ("he", "cz", "True")):
        _word = {"": _letters, "b": _letters[0] + "b", "p": _letters[0] + "p"}[_s]

        _h = _hermitian
        _mv = f"half_times_vector({_h}, TURN, UPLO, n, {_kk}, alpha, {_a}, {_b}, {_c}, x, incx, beta, y, incy)"
        _parameters = f"uplo n {_k}alpha a {_ld} x incx beta y incy"

        _row(_L2, f"{_kinds}:{_word}mv", _parameters, *_both(_mv))
        if _s == "b":
            continue
        _alpha = "alpha" if _h == "False" else "ralpha"
        _square = f"half_plus_square({_h}, TURN, UPLO, n, {_alpha}, x, incx, {_a}, {_b}, {_c})"
        _row(_L2, f"{_kinds}:{_word}r", f"uplo n {_alpha} x incx a {_ld}", *_both(_square))
        _two = f"half_plus_two({_h}, TURN, UPLO, n, alpha, x, incx, y, incy, {_a}, {_b}, {_c})"
        _row(_L2, f"{_kinds}:{_word}r2", f"uplo n alpha x incx y incy a {_ld}", *_both(_two))
    for _what, _formula in (("mv", "triangle_times_vector"), ("sv", "triangle_solve_vector")):
        _call = f"{_formula}(UPLO, TRANS, diag, n, {_kk}, {_a}, {_b}, {_c}, x, incx)"
        _row(
            _L2,
            f"sdcz:t{_s or 'r'}{_what}",
            f"uplo trans diag n {_k}a {_ld} x incx",
            *_both(_call),
        )

_L3 = "level 3"
_row(
    _L3,
    "sdcz:gemm",
    "transa transb m n k alpha a lda b ldb beta c ldc",
    "gemm(transa, transb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc)",
    "gemm(transb, transa, n, m, k, alpha, b, ldb, a, lda, beta, c, ldc)",
)
for _names, _h in (("sdcz:symm", "False"), ("cz:hemm", "True")):
    _row(
        _L3,
        _names,
        "side uplo m n alpha a lda b ldb beta c ldc",
        f"symm({_h}, side, uplo, m, n, alpha, a, lda, b, ldb, beta, c, ldc)",
        f"symm({_h}, other_side(side), opposite(uplo), n, m, alpha, a, lda, b, ldb, beta, c, ldc)",
    )
_row(
    _L3,
    "sdcz:syrk",
    "uplo trans n k alpha a lda beta c ldc",
    "syrk(False, uplo, trans, n, k, alpha, a, lda, beta, c, ldc)",
    'syrk(False, opposite(uplo), "T" if trans == "N" else "N", n, k, alpha, a, lda, beta, c, ldc)',
)
_row(
    _L3,
    "cz:herk",
    "uplo trans n k ralpha a lda rbeta c ldc",
    "syrk(True, uplo, trans, n, k, ralpha, a, lda, rbeta, c, ldc)",
    "syrk(True, opposite(uplo), starred(trans), n, k, ralpha, a, lda, rbeta, c, ldc)",
)
_row(
    _L3,
    "sdcz:syr2k",
    "uplo trans n k alpha a lda b ldb beta c ldc",
    "syr2k(False, uplo, trans, n, k, alpha, a, lda, b, ldb, beta, c, ldc)",
    'syr2k(False, opposite(uplo), "T" if trans == "N" else "N", n, k, alpha, a, lda, b, ldb, beta, c, ldc)',
)
_row(
    _L3,
    "cz:her2k",
    "uplo trans n k alpha a lda b ldb rbeta c ldc",
    "syr2k(True, uplo, trans, n, k, alpha, a, lda, b, ldb, rbeta, c, ldc)",
    "syr2k(True, opposite(uplo), starred(trans), n, k, conj(alpha), a, lda, b, ldb, rbeta, c, ldc)",
)
for _name in ("trmm", "trsm"):
    _row(
        _L3,
        f"sdcz:{_name}",
        "side uplo trans diag m n alpha a lda b ldb",
        f"{_name}(side, uplo, trans, diag, m, n, alpha, a, lda, b, ldb)",
        f"{_name}(other_side(side), opposite(uplo), trans, diag, n, m, alpha, a, lda, b, ldb)",
    )


def _lapack(names: str, parameters: str, formula: str = "") -> None:
    """A routine whose formula has its parameters, and its name if not another."""
    formula = formula or names.split()[0].split(":")[1]
    call = f"{formula}({', '.join(parameters.split())})"
    _row("LAPACK", names, parameters, call, cblas=False)


_lapack("sdcz:potrf", "uplo n a lda info")
_lapack("sdcz:potrs", "uplo n nrhs a lda b ldb info")
_lapack("sdcz:posv", "uplo n nrhs a lda b ldb info")
_lapack("sdcz:potri", "uplo n a lda info")
_lapack("sdcz:getrf", "m n a lda ipiv info")
_lapack("sdcz:getrs", "trans n nrhs a lda ipiv b ldb info")
_lapack("sdcz:gesv", "n nrhs a lda ipiv b ldb info")
_lapack("sdcz:getri", "n a lda ipiv work lwork info")
_lapack("sdcz:trtrs", "uplo trans diag n nrhs a lda b ldb info")
_lapack("sdcz:trtri", "uplo diag n a lda info")
_lapack("sdcz:geqrf", "m n a lda tau work lwork info")
_lapack("sd:orgqr cz:ungqr", "m n k a lda tau work lwork info")
_lapack("sd:ormqr cz:unmqr", "side trans m n k a lda tau c ldc work lwork info")
_lapack("sdcz:gels", "trans m n nrhs a lda b ldb work lwork info")

_lapack("sd:syev", "jobz uplo n a lda w work lwork info")
_lapack("cz:heev", "jobz uplo n a lda w work lwork rwork info")
_lapack("sd:syevd", "jobz uplo n a lda w work lwork iwork liwork info")
_lapack("cz:heevd", "jobz uplo n a lda w work lwork rwork lrwork iwork liwork info")
_lapack("sd:gesdd", "jobz m n a lda s u ldu vt ldvt work lwork iwork info")
_lapack("cz:gesdd", "jobz m n a lda s u ldu vt ldvt work lwork rwork iwork info", "complex_gesdd")
_lapack("sd:gesvd", "jobu jobvt m n a lda s u ldu vt ldvt work lwork info")
_lapack("cz:gesvd", "jobu jobvt m n a lda s u ldu vt ldvt work lwork rwork info", "complex_gesvd")
_lapack("sd:geev", "jobvl jobvr n a lda wr wi vl ldvl vr ldvr work lwork info")
_lapack(
    "cz:geev", "jobvl jobvr n a lda values vl ldvl vr ldvr work lwork rwork info", "complex_geev"
)

_NO_FORMULA = "of the routines that iterate, this one has no formula"

# What has no formula: names without the letter of their kind, why, and the way out.
REFUSED: dict[str, tuple[str, str]] = {
    name: (why, todo)
    for names, why, todo in (
        (
            "rot rotg rotm rotmg srot drot",
            "rotations are chosen by branches on the numbers that they turn",
            "write the rotation as a loop: x = c x + s y",
        ),
        (
            "syevr syevx heevr heevx",
            _NO_FORMULA,
            "call syevd or heevd, which compute the same",
        ),
        (
            "sygv sygvd hegv hegvd",
            _NO_FORMULA,
            "call potrf and trsm, which bring the problem to one matrix, and syevd or heevd",
        ),
        ("gelsd gelss gelsy", _NO_FORMULA, "call gels for full rank, or gesdd and products"),
        ("gesvdx gejsv", _NO_FORMULA, "call gesdd, which computes the same"),
        ("geevx", _NO_FORMULA, "call geev, which computes the same"),
        (
            "gees geesx",
            "Schur vectors depend on the order in which it finds eigenvalues",
            "call geev where eigenvalues are wanted",
        ),
    )
    for name in names.split()
}


@dataclass(frozen=True, slots=True)
class Name:
    """A name of a program, taken apart; `before` and `behind` are what stands around names of this library."""

    row: Row
    kind: str
    cblas: bool
    before: str
    behind: str

    @property
    def bits(self) -> int:
        return 64 if "64" in self.behind else 32


_BEHIND = re.compile(r"(_64_|64_|_64|_)?$")


def _index(cblas: bool) -> dict[str, Row]:
    return {
        name: row for row in ROWS for name in row.kinds if (row.cblas if cblas else row.fortran)
    }


_BY_NAME = {True: _index(True), False: _index(False)}


def _taken_apart(symbol: str) -> tuple[str, bool, str, str]:
    """In front, whether of CBLAS, the name, behind."""
    found = _BEHIND.search(symbol)
    behind = found[0] if found is not None else ""
    rest = symbol[: len(symbol) - len(behind)]
    before = next((b for b in ("scipy_", FORTRAN) if rest.startswith(b)), "")
    rest = rest.removeprefix(before)
    cblas = rest.startswith("cblas_")
    return before, cblas, rest.removeprefix("cblas_"), behind


def parameters_of(name: str) -> tuple[str, ...]:
    """The parameters of a routine of Fortran's, by its name with the letter of its kind."""
    return _BY_NAME[False][name].parameters


def read_name(symbol: str) -> Name | None:
    """The name of a routine that has a formula, taken apart.

    >>> read_name("cblas_dgemm").kind, read_name("scipy_zpotrf_64_").bits, read_name("printf")
    ('d', 64, None)
    """
    before, cblas, name, behind = _taken_apart(symbol)
    row = _BY_NAME[cblas].get(name)
    if row is None or (cblas and behind == "_"):
        return None
    return Name(row, row.kinds[name], cblas, before, behind)


def stem_of(symbol: str) -> str:
    """The name of a routine, with the letter of its kind, and without what stands around it.

    >>> stem_of("scipy_dsyevd_64_")
    'dsyevd'
    """
    return _taken_apart(symbol)[2]


def refusal(symbol: str) -> tuple[str, str] | None:
    """Why a routine of BLAS or LAPACK has no derivative, and the way out; None for other names.

    >>> refusal("cblas_drotg")[1], refusal("memcpy")
    ('write the rotation as a loop: x = c x + s y', None)
    """
    before, _, name, _ = _taken_apart(symbol)
    found = REFUSED.get(name[1:]) if name[:1] in tuple("sdcz") else None
    if found is None and before == FORTRAN:
        found = "it has no formula", "call a routine that has one: docs/llvm.md lists them"
    return found

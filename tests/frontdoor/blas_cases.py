"""Calls of BLAS and LAPACK as programs in LLVM IR, with everything that their derivatives are compared with.

A case is a function of arrays, which it changes in place: a step from one state to the next. Forward mode makes a
tangent of the state before that after, reverse mode an adjoint of the state after that before.
"""

from __future__ import annotations

import ctypes
import glob
import os
from dataclasses import dataclass, field

import numpy as np

from enzyme.backend import symbols
from enzyme.backend.jit import JittedModule
from enzyme.engine.derivatives.blas.entries import expected
from enzyme.engine.derivatives.blas.names import ROWS, TYPES, Name, read_name
from enzyme.engine.derivatives.linear_calls import KINDS, is_complex
from enzyme.frontdoor.lower import lower

CODES = {"N": 111, "T": 112, "C": 113, "U": 121, "L": 122}
DIAG, SIDE = {"N": 131, "U": 132}, {"L": 141, "R": 142}
SMALL = {"m": 4, "n": 3, "k": 2, "kl": 1, "ku": 2, "nrhs": 2, "lwork": 400}
LARGE = {**SMALL, "m": 103, "n": 99, "k": 5}
ARRAYS = ("Numbers", "Reals", "Singles", "Number", "Real", "Single")
OTHERS = ("ipiv", "info", "work", "iwork", "rwork")
ITERATIVE = ("syev", "heev", "syevd", "heevd", "gesdd", "gesvd", "geev")


def register_library() -> None:
    """Let programs in IR find the library that SciPy brings, by the usual names."""
    import scipy

    folder = os.path.dirname(os.path.dirname(scipy.__file__))
    library = ctypes.CDLL(glob.glob(f"{folder}/scipy.libs/libscipy_openblas*.so")[0])
    for row in ROWS:
        for name in row.kinds:
            for symbol in (f"{name}_", f"cblas_{name}"):
                found = getattr(library, f"scipy_{symbol}", None)
                if found is not None:
                    symbols.register(symbol, ctypes.cast(found, ctypes.c_void_p).value or 0)


def eigenvalues_in(state: dict[str, np.ndarray], n: int) -> np.ndarray:
    if "wr" in state:
        return state["wr"][:n] + 1j * state["wi"][:n]
    return state["values"][: 2 * n : 2] + 1j * state["values"][1 : 2 * n : 2]


@dataclass(frozen=True)
class Case:
    """One call: `given` are letters and integers by name, `constant` the factors that are constants of the program."""

    symbol: str
    given: dict[str, str | int] = field(default_factory=dict)
    by_rows: bool = False
    step: int = 1
    gap: int = 0
    large: bool = False
    constant: dict[str, float] = field(default_factory=dict)

    @property
    def name(self) -> Name:
        found = read_name(self.symbol)
        assert found is not None
        return found

    def __str__(self) -> str:
        parts = [self.symbol, *(f"{k}={v}" for k, v in self.given.items())]
        parts += ["rows"] * self.by_rows + ["large"] * self.large
        parts += [f"step{self.step}"] * (self.step != 1) + [f"gap{self.gap}"] * (self.gap != 0)
        parts += [f"{k}={v:g}" for k, v in self.constant.items()]
        return "-".join(parts)

    # Sizes and values -----------------------------------------------------------------------------------

    def integer(self, parameter: str) -> int:
        if parameter in self.given:
            return int(self.given[parameter])
        if parameter.startswith("inc"):
            return -self.step if parameter == "incy" and self.step == 2 else self.step
        sizes = LARGE if self.large else SMALL
        if self.iterates and parameter.startswith("l") and parameter.endswith("work"):
            return 40_000 if self.large else 400
        if parameter.startswith("ld"):
            return max(sizes[p] for p in ("m", "n", "k")) + 1 + self.gap
        if parameter == "k" and self.symbol.strip("_").endswith(("gqr", "mqr")):
            return 2
        if parameter in ("m",) and self.symbol.strip("_").endswith("gqr"):
            return sizes["m"]
        return sizes[parameter]

    @property
    def iterates(self) -> bool:
        return self.symbol.strip("_")[1:] in ITERATIVE

    @property
    def arrays(self) -> list[str]:
        """Parameters that are arrays of numbers in the state, then the result."""
        found = [
            p
            for p in self.name.row.parameters
            if TYPES.get(p, "int") in ARRAYS and p not in (*self.constant, *OTHERS)
        ]
        return found + (["result"] if self.name.row.result not in ("None", "int") else [])

    @property
    def others(self) -> list[str]:
        found = [p for p in self.name.row.parameters if p in OTHERS]
        return found + (["result"] if self.name.row.result == "int" else [])

    def dtype(self, parameter: str) -> type:
        annotation = TYPES.get(parameter, "int")
        if parameter == "result":
            annotation = self.name.row.result
        if annotation in ("Single", "Singles"):
            return np.float32
        if annotation == "Double":
            return np.float64
        return np.float32 if KINDS[self.name.kind].text == "float" else np.float64

    def count(self, parameter: str) -> int:
        """Reals in an array."""
        annotation = self.name.row.result if parameter == "result" else TYPES[parameter]
        numbers = 1
        if parameter in ("a", "b", "c", "u", "vt", "vl", "vr"):
            sizes = LARGE if self.large else SMALL
            numbers = (self.integer("lda") if "lda" in self.name.row.parameters else 7) * (
                max(sizes[p] for p in ("m", "n", "k")) + 2
            )
        elif parameter in ("x", "y", "sx", "sy", "tau", "w", "s", "wr", "wi", "values"):
            numbers = 2 * 104 if self.large else 12
        two = annotation in ("Numbers", "Number") and is_complex(self.name.kind)
        return numbers * (2 if two else 1)

    def state(self, rng: np.random.Generator) -> dict[str, np.ndarray]:
        made = {p: rng.uniform(-1, 1, self.count(p)).astype(self.dtype(p)) for p in self.arrays}
        if "a" in made:
            self._make_regular(made["a"])
        return made

    def _make_regular(self, a: np.ndarray) -> None:
        """What is solved with has a large diagonal."""
        stem = self.symbol.strip("_").removeprefix("cblas_")[1:]
        if stem == "geev":
            self._spread(a)
        if not stem.startswith(("tr", "tb", "tp", "po", "gesv", "getr")) or stem == "getrf":
            return
        n, parts = max(self.integer(p) for p in ("m", "n") if p in self.name.row.parameters), 1
        a *= a.dtype.type(0.3)
        if is_complex(self.name.kind):
            parts = 2
        upper = (self.given.get("uplo") == "U") != self.by_rows
        for j in range(n):
            if stem.startswith("tb"):
                k = self.integer("k")
                at = (k if upper else 0) + self.integer("lda") * j
            elif stem.startswith("tp"):
                at = j + (j * (j + 1) // 2 if upper else n * j - j * (j + 1) // 2)
            else:
                at = j + self.integer("lda") * j
            if at * parts < len(a):
                a[at * parts] = 2.0 + 0.1 * j + (n if stem.startswith("po") else 0)
                if stem == "potri" and parts == 2:
                    a[at * parts + 1] = 0.0

    def _spread(self, a: np.ndarray) -> None:
        """Eigenvalues are apart; some are pairs of complex numbers where there are no gaps in the matrix."""
        n, ld, parts = self.integer("n"), self.integer("lda"), 1 + is_complex(self.name.kind)
        a *= a.dtype.type(0.05 if self.large else 1.0)
        for j in range(n):
            a[(j + ld * j) * parts] += 3.0 * (j - j % 2 * (self.gap == 0))
            if self.gap == 0 and j % 2 == 1:
                a[(j + ld * (j - 1)) * parts] += 2.0
                a[(j - 1 + ld * j) * parts] -= 2.0

    # What LAPACK leaves open -----------------------------------------------------------------------------

    def open_places(self) -> dict[str, np.ndarray]:
        """What is destroyed: places in the arrays."""
        if not self.iterates:
            return {}
        m = self.integer("m") if "m" in self.name.row.parameters else self.integer("n")
        n, ld = self.integer("n"), self.integer("lda")
        rows, columns = np.meshgrid(np.arange(m), np.arange(n), indexing="ij")
        lost = np.ones((m, n), bool)
        if "uplo" in self.given:
            lost = (rows <= columns) if self.given["uplo"] == "U" else (rows >= columns)
            if self.given["jobz"] == "V":
                lost[:] = False
        for job, kept in (
            ("jobz", min(m, n)),
            ("jobu", columns < min(m, n)),
            ("jobvt", rows < min(m, n)),
        ):
            if self.given.get(job) == "O":
                lost &= ~(np.ones((m, n), bool) if job == "jobz" else kept)
        return {"a": self._places(rows[lost] + ld * columns[lost])}

    def _places(self, numbers: np.ndarray) -> np.ndarray:
        if not is_complex(self.name.kind):
            return numbers
        return np.concatenate([2 * numbers, 2 * numbers + 1])

    def free_places(self) -> dict[str, np.ndarray]:
        """Of vectors behind the last singular value only the space is given: places, if there are several of them."""
        jobs = [self.given.get(job) for job in ("jobz", "jobu", "jobvt")]
        if "jobvl" in self.given or not self.iterates or "A" not in jobs:
            return {}
        m, n = self.integer("m"), self.integer("n")
        if abs(m - n) == 1 and not is_complex(self.name.kind):
            return {}
        many, few, array = max(m, n), min(m, n), "u" if m > n else "vt"
        behind, along = np.meshgrid(np.arange(few, many), np.arange(many))
        ld = self.integer(f"ld{array}")
        at = along + ld * behind if array == "u" else behind + ld * along
        return {array: self._places(at.ravel())}

    def align(self, end: dict[str, np.ndarray], base: dict[str, np.ndarray]) -> None:
        """An iteration comes to signs of vectors, and to an order: let those of one end be those of another."""
        n = self.integer("n")
        if "jobvl" in self.given:
            self._reorder(end, base, n)
        m, given = self.integer("m") if "m" in self.name.row.parameters else n, self.given
        found = [(p, p == "vt") for p in ("u", "vt", "vl", "vr") if p in base]
        found += [("a", False)] * (given.get("jobz") == "V" or given.get("jobu") == "O")
        found += [("a", True)] * (given.get("jobvt") == "O")
        found += [("a", m < n)] * (given.get("jobz") == "O")
        for p, by_rows in found:
            shape = (-1, self.integer(f"ld{p}"), 1 + is_complex(self.name.kind))
            one = end[p].reshape(shape)[: n if p in ("a", "vt") else None, : n if p == "vt" else m]
            two = base[p].reshape(shape)[: one.shape[0], : one.shape[1]]
            product = np.einsum("jik,jik->i" if by_rows else "jik,jik->j", one, two)
            sign = np.where(product < 0, -1, 1).astype(one.dtype)
            one *= sign[None, :, None] if by_rows else sign[:, None, None]

    def _reorder(self, end: dict[str, np.ndarray], base: dict[str, np.ndarray], n: int) -> None:
        there, here = (eigenvalues_in(state, n) for state in (end, base))
        order = np.abs(there[None, :] - here[:, None]).argmin(axis=1)
        for p in ("wr", "wi", "values", "vl", "vr"):
            if p in end:
                width = self.integer(f"ld{p}") if p.startswith("v") and p != "values" else 1
                parts = 1 + is_complex(self.name.kind)
                columns = end[p].reshape(-1, width * parts)[:n, : n * parts]
                columns[:] = columns[order]

    def integers(self) -> dict[str, np.ndarray]:
        kind = np.int64 if self.name.bits == 64 else np.int32
        n = self.integer("n") if "n" in self.name.row.parameters else 1
        pivots = [min(n, i + 2) for i in range(n)] + [1] * 110
        lwork = SMALL["lwork"] * 2
        made = {"ipiv": np.array(pivots, kind), "info": np.zeros(1, kind)}
        made["work"] = np.zeros(lwork * (200 if self.large else 1), np.float64)
        made["rwork"] = made["work"].copy()
        made["iwork"] = np.zeros(40_000, kind)
        made["result"] = np.zeros(1, np.int64)
        return {p: made[p] for p in self.others}

    # Text ---------------------------------------------------------------------------------------------

    def text(self, number: int) -> str:
        """The function @case<number>, and requests for its derivatives."""
        name, lines, passed = self.name, list[str](), list[str]()
        wanted = expected(name)
        part = KINDS[name.kind].text
        types = list(wanted.operands)
        if len(types) > len(name.row.parameters):
            passed.append(f"{types.pop(0)} {101 if self.by_rows else 102}")
        for parameter, type_ in zip(name.row.parameters, types, strict=True):
            annotation = TYPES.get(parameter, "int")
            if annotation == "Letter":
                letter = str(self.given[parameter])
                if type_ == "ptr":
                    passed.append(f"ptr @letter.{letter}")
                else:
                    codes = {"diag": DIAG, "side": SIDE}.get(parameter, CODES)
                    passed.append(f"{type_} {codes[letter]}")
            elif annotation == "int":
                value = self.integer(parameter)
                if type_ == "ptr":
                    lines.append(f"  %{parameter} = alloca i{name.bits}")
                    lines.append(f"  store i{name.bits} {value}, ptr %{parameter}")
                    passed.append(f"ptr %{parameter}")
                else:
                    passed.append(f"{type_} {value}")
            elif parameter in self.constant:
                value_text = f"{self.constant[parameter]:e}"
                if type_ == "ptr":
                    lines.append(f"  %{parameter} = alloca [2 x {part}]")
                    lines.append(f"  store [2 x {part}] zeroinitializer, ptr %{parameter}")
                    lines.append(f"  store {part} {value_text}, ptr %{parameter}")
                    passed.append(f"ptr %{parameter}")
                else:
                    passed.append(f"{type_} {value_text}")
            elif type_ == "ptr":
                passed.append(f"ptr %{parameter}")
            else:
                lines.append(f"  %{parameter}.v = load {type_}, ptr %{parameter}")
                passed.append(f"{type_} %{parameter}.v")
        call = f"call {wanted.result} @{self.symbol}({', '.join(passed)})"
        if wanted.result == "void":
            lines.append(f"  {call}")
        else:
            lines.append(f"  %r = {call}")
            lines.append(f"  store {wanted.result} %r, ptr %result")
        given = [*self.arrays, *self.others]
        shown = ", ".join(f"ptr %{p}" for p in given)
        made = f"declare {wanted.result} @{self.symbol}({', '.join(wanted.operands)})\n"
        body = "\n".join([*lines, "  ret void"])
        made += f"define void @case{number}({shown}) noinline {{\n{body}\n}}\n"
        for word, mode, width in (
            ("fwddiff", "forward", 1),
            ("autodiff", "reverse", 1),
            ("fwddiff", "forward2", 2),
            ("autodiff", "reverse2", 2),
        ):
            made += self._request(number, word, mode, width)
        made += self._second(number)
        return made

    def _request(self, number: int, word: str, mode: str, width: int) -> str:
        operands, shown = [f"ptr @case{number}"], []
        if width > 1:
            operands += ['metadata !"enzyme_width"', f"i32 {width}"]
        for p in self.arrays:
            lanes = [f"ptr %{p}", *(f"ptr %{p}.d{k}" for k in range(width))]
            operands += ['metadata !"enzyme_dup"', *lanes]
            shown += lanes
        for p in self.others:
            operands += ['metadata !"enzyme_const"', f"ptr %{p}"]
            shown.append(f"ptr %{p}")
        return (
            f"define void @{mode}.{number}({', '.join(shown)}) {{\n"
            f"  call void (...) @__enzyme_{word}.{mode}({', '.join(operands)})\n  ret void\n}}\n"
        )

    def _second(self, number: int) -> str:
        """The tangent of the reverse derivative."""
        operands, shown = [f"ptr @reverse.{number}"], []
        for p in self.arrays:
            for q in (p, f"{p}.d0"):
                operands += ['metadata !"enzyme_dup"', f"ptr %{q}", f"ptr %{q}.t"]
                shown += [f"ptr %{q}", f"ptr %{q}.t"]
        for p in self.others:
            operands += ['metadata !"enzyme_const"', f"ptr %{p}"]
            shown.append(f"ptr %{p}")
        return (
            f"define void @second.{number}({', '.join(shown)}) {{\n"
            f"  call void (...) @__enzyme_fwddiff.second({', '.join(operands)})\n  ret void\n}}\n"
        )


HEAD = (
    "".join(f'@letter.{c} = private constant [1 x i8] c"{c}"\n' for c in "NTCULRVSAO")
    + "declare void @__enzyme_fwddiff.forward(...)\ndeclare void @__enzyme_autodiff.reverse(...)\n"
    + (
        "declare void @__enzyme_fwddiff.forward2(...)\ndeclare void @__enzyme_autodiff.reverse2(...)\n"
        "declare void @__enzyme_fwddiff.second(...)\n"
    )
)


class Compiled:
    """Several cases in one module."""

    def __init__(self, cases: list[Case], second: bool) -> None:
        texts = [HEAD]
        declared: set[str] = set()
        for number, case in enumerate(cases):
            text = case.text(number)
            if not second:
                text = text[: text.index("define void @second.")]
            lines = text.splitlines()
            if lines[0] in declared:
                lines.pop(0)
            else:
                declared.add(lines[0])
            texts += lines
        self.module = JittedModule(lower("\n".join(texts)))

    def run(self, function: str, *arrays: np.ndarray) -> None:
        kinds = [ctypes.c_void_p] * len(arrays)
        self.module.function(function, None, *kinds)(*(a.ctypes.data for a in arrays))


State = dict[str, np.ndarray]


def copied(state: State) -> State:
    return {p: v.copy() for p, v in state.items()}


def inner(one: State, two: State) -> float:
    return float(sum(np.dot(one[p].astype(float), two[p].astype(float)) for p in one))


class Checked:
    """One case with its derivatives in all modes."""

    def __init__(self, compiled: Compiled, case: Case, number: int, seed: int = 0) -> None:
        rng = np.random.default_rng([seed, len(str(case))])
        self.compiled, self.case, self.number = compiled, case, number
        self.start = case.state(rng)
        self.direction = [self._direction(rng) for _ in range(2)]
        self.weight = [self._direction(rng) for _ in range(2)]

    def _direction(self, rng: np.random.Generator) -> State:
        made = {p: rng.uniform(-1, 1, v.shape).astype(v.dtype) for p, v in self.start.items()}
        if "potri" in self.case.symbol:  # the diagonal that potrf leaves is real
            made["a"][self.start["a"] == 0.0] = 0.0
        return made

    def primal(self, start: State) -> tuple[State, State]:
        made, others = copied(start), self.case.integers()
        self.compiled.run(f"case{self.number}", *made.values(), *others.values())
        return self.without_open(made), others

    def without_open(self, state: State) -> State:
        for p, places in self.case.open_places().items():
            state[p][places] = 0.0
        return state

    def derivative(self, mode: str, shadows: list[State], start: State | None = None) -> State:
        """The state after a derivative, whose shadows are changed in place."""
        made, others = copied(start or self.start), self.case.integers()
        arrays = []
        for p, v in made.items():
            arrays += [v, *(s[p] for s in shadows)]
        self.compiled.run(f"{mode}.{self.number}", *arrays, *others.values())
        self.left = others
        return self.without_open(made)

    def difference(self, direction: State, step: float) -> State:
        """A step is made smaller until rows are exchanged at both ends as they are in between."""
        base, exchanged = self.primal(self.start)
        for _ in range(6):
            ends = []
            for sign in (1, -1):
                moved = {
                    p: v + v.dtype.type(sign * step) * direction[p] for p, v in self.start.items()
                }
                ends.append(self.primal(moved))
            if "ipiv" not in exchanged or all(
                np.array_equal(others["ipiv"], exchanged["ipiv"]) for _, others in ends
            ):
                break
            step /= 3
        if self.case.iterates:
            for end, _ in ends:
                self.case.align(end, base)
        return {p: (ends[0][0][p] - ends[1][0][p]) / (2 * step) for p in base}

    def second(self, direction: State, tangent: State) -> tuple[State, State]:
        """Tangents of the state, and of the adjoint, behind the reverse derivative."""
        made, others = copied(self.start), self.case.integers()
        adjoint = copied(self.weight[0])
        moved, of_adjoint = copied(direction), copied(tangent)
        arrays = []
        for p in made:
            arrays += [made[p], moved[p], adjoint[p], of_adjoint[p]]
        self.compiled.run(f"second.{self.number}", *arrays, *others.values())
        return adjoint, of_adjoint

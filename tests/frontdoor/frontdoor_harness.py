"""Runs a program of `programs/` through the command, and compares its derivatives with differences.

A program holds `@f`, and `@reverse` and `@forward` that call ``__enzyme_autodiff`` and ``__enzyme_fwddiff`` and
store what these return. Its comments say what `@f` returns and at which arguments it is checked:

``1.5`` a double, ``f32:1.5`` a float, ``i64:3`` and ``i32:3`` integers, ``[1 2]`` an array of doubles with a
shadow, ``f32[1 2]`` one of floats, ``const[1 2]`` an array marked ``enzyme_const``, ``i64[1 2]`` one of
integers, also marked.

The function is seen as a map from (numbers, arrays) to (result, arrays afterwards), so that what happens to
memory is checked in both modes like everything else.
"""

from __future__ import annotations

import contextlib
import ctypes
import io
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from enzyme.backend.jit import JittedModule
from enzyme.frontdoor.command import main

PROGRAMS = Path(__file__).parent / "programs"
CTYPES = {
    "f64": ctypes.c_double,
    "f32": ctypes.c_float,
    "i64": ctypes.c_int64,
    "i32": ctypes.c_int32,
}
KINDS = {"double": "f64", "float": "f32"}
DTYPES = {"f64": np.float64, "const": np.float64, "f32": np.float32, "i64": np.int64}
_ARGUMENT = re.compile(r"(const|f32|i64)?\[([^\]]*)\]|(?:(f32|i64|i32):)?(-?[\d.]+)")


@dataclass(frozen=True)
class Argument:
    kind: str
    value: tuple[float, ...]
    is_array: bool

    @property
    def active(self) -> bool:
        return self.kind in ("f64", "f32")


@dataclass(frozen=True)
class Program:
    text: str
    arguments: tuple[Argument, ...]
    returns: str

    @classmethod
    def read(cls, path: Path) -> Program:
        text = path.read_text()
        listed = re.search(r"^; arguments: (.*)$", text, re.M).group(1)
        arguments = []
        for array_kind, items, kind, number in _ARGUMENT.findall(listed):
            is_array = not number
            value = tuple(float(v) for v in (items.split() if is_array else [number]))
            arguments.append(Argument(array_kind or kind or "f64", value, is_array))
        returns = re.search(r"^; returns: (.*)$", text, re.M).group(1)
        return cls(text, tuple(arguments), returns)

    @property
    def single(self) -> bool:
        return any(a.kind == "f32" for a in self.arguments)

    def point(self) -> np.ndarray:
        """All active numbers, in order."""
        return np.concatenate([a.value for a in self.arguments if a.active])


def opt(text: str, *options: str) -> str:
    """Standard output of ``enzyme opt -`` in this process."""
    code, out, err = command(["opt", "-", *options], text)
    assert code == 0, err
    assert err == ""
    return out


def command(arguments: list[str], given: str = "") -> tuple[int, str, str]:
    """Exit code, standard output and standard error of the command."""
    out, err = io.StringIO(), io.StringIO()
    with _standard_input(given), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            code = main(arguments)
        except SystemExit as exit_:
            code = exit_.code
    return code, out.getvalue(), err.getvalue()


@contextlib.contextmanager
def _standard_input(text: str):
    import sys

    before, sys.stdin = sys.stdin, io.StringIO(text)
    try:
        yield
    finally:
        sys.stdin = before


_C = ctypes.CDLL(None)
_C.realloc.restype, _C.realloc.argtypes = ctypes.c_void_p, (ctypes.c_void_p, ctypes.c_size_t)
_SIZE = ctypes.c_size_t
_REALLOC = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, _SIZE, _SIZE, _SIZE)(
    lambda place, before, alignment, size: _C.realloc(place, size)
)
_BYTE = ctypes.create_string_buffer(8)
# What Rust's run time is, in functions of C: more arguments than a function takes do no harm.
RUST = {
    r"__rust_alloc$": _C.malloc,
    r"__rust_dealloc$": _C.free,
    r"__rust_realloc$": _REALLOC,
    r"__rust_no_alloc_shim_is_unstable$": _BYTE,
    r".*(?:panicking|handle_error|rust_eh_personality)": _C.abort,
}
_DECLARED = re.compile(r"^(?:declare [^@]*@|@(?=[\w.$]+ = external ))([\w.$]+)", re.M)


def run_time_of(text: str) -> dict[str, int]:
    """Addresses of functions of Rust's run time that a module declares."""
    return {
        name: ctypes.cast(function, ctypes.c_void_p).value or 0
        for name in _DECLARED.findall(text)
        for form, function in RUST.items()
        if re.match(form, name)
    }


class Runner:
    """The machine code of a lowered program, as functions of vectors."""

    def __init__(self, program: Program, lowered: str, optimise: bool = False) -> None:
        self.program = program
        self.module = JittedModule(
            lowered, optimise=optimise, symbol_addresses=run_time_of(lowered)
        )

    def primal(self, point: np.ndarray) -> np.ndarray:
        """(result, arrays afterwards) at (numbers, arrays)."""
        result = None
        if self.program.returns != "void":
            result = CTYPES[KINDS[self.program.returns]]
        values, arrays, _ = self._arguments(point, None)
        got = self._call("f", result, values)
        return self._outputs([] if result is None else [got], arrays)

    def forward(self, point: np.ndarray, tangent: np.ndarray) -> np.ndarray:
        values, arrays, shadows = self._arguments(point, tangent, scalars=True)
        result = np.zeros(4, np.float32 if self.program.returns == "float" else np.float64)
        self._call("forward", None, [*values, result])
        self._same_primal(point, arrays)
        return self._outputs([] if self.program.returns == "void" else result[:1], shadows)

    def reverse(self, point: np.ndarray, seeds: np.ndarray) -> np.ndarray:
        """Adjoints of (numbers, arrays) for seeds of the arrays; that of the result is 1."""
        tangent = []
        position = 0
        for argument in self.program.arguments:
            if argument.active and argument.is_array:
                tangent.append(seeds[position : position + len(argument.value)])
                position += len(argument.value)
            elif argument.active:
                tangent.append([0.0])
        values, arrays, shadows = self._arguments(point, np.concatenate(tangent))
        kinds = [a.kind for a in self.program.arguments if a.active and not a.is_array]
        layout = ctypes.create_string_buffer(8 * len(kinds) + 8)
        self._call("reverse", None, [*values, layout])
        self._same_primal(point, arrays)
        offset, adjoints = 0, []
        for kind in kinds:
            size = ctypes.sizeof(CTYPES[kind])
            offset = -(-offset // size) * size
            adjoints.append(CTYPES[kind].from_buffer(layout, offset).value)
            offset += size
        numbers, memory = iter(adjoints), iter(shadows)
        return np.concatenate(
            [
                next(memory) if a.is_array else [next(numbers)]
                for a in self.program.arguments
                if a.active
            ]
        )

    def _same_primal(self, point: np.ndarray, arrays: list[np.ndarray]) -> None:
        _, expected, _ = self._arguments(point, None)
        values, expected, _ = self._arguments(point, None)
        result = None
        if self.program.returns != "void":
            result = CTYPES[KINDS[self.program.returns]]
        self._call("f", result, values)
        for mine, theirs in zip(arrays, expected, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-6, err_msg="the primal's memory")

    def _arguments(self, point, tangent, scalars=False):
        """ctypes values; copies of the active arrays; their shadows."""
        values, arrays, shadows = [], [], []
        position = 0
        for argument in self.program.arguments:
            count = len(argument.value)
            here = argument.value
            there = None
            if argument.active:
                here = point[position : position + count]
                there = None if tangent is None else tangent[position : position + count]
                position += count
            if argument.is_array:
                array = np.array(here, DTYPES[argument.kind])
                values.append(array)
                if argument.active:
                    arrays.append(array)
                    if there is not None:
                        shadow = np.array(there, DTYPES[argument.kind])
                        values.append(shadow)
                        shadows.append(shadow)
                continue
            kind = CTYPES[argument.kind]
            values.append(kind(int(here[0]) if argument.kind[0] == "i" else here[0]))
            if argument.active and there is not None and scalars:
                values.append(kind(there[0]))
        return values, arrays, shadows

    def _call(self, name, result, values):
        passed, types = [], []
        for value in values:
            if isinstance(value, np.ndarray):
                passed.append(value.ctypes.data)
                types.append(ctypes.c_void_p)
            elif isinstance(value, ctypes.Array):
                passed.append(ctypes.addressof(value))
                types.append(ctypes.c_void_p)
            else:
                passed.append(value)
                types.append(type(value))
        return self.module.function(name, result, *types)(*passed)

    @staticmethod
    def _outputs(result, arrays) -> np.ndarray:
        return np.concatenate([np.asarray(result, np.float64), *arrays]).astype(np.float64)


def jacobian(function, point: np.ndarray, step: float) -> np.ndarray:
    """Central differences, extrapolated twice."""
    columns = []
    for k in range(len(point)):
        rows = []
        for h in (step, step / 2, step / 4):
            up, down = point.copy(), point.copy()
            up[k] += h
            down[k] -= h
            rows.append((function(up) - function(down)) / (2 * h))
        first = [(4 * rows[1] - rows[0]) / 3, (4 * rows[2] - rows[1]) / 3]
        columns.append((16 * first[1] - first[0]) / 15)
    return np.array(columns).T


def check(program: Program, lowered: str, optimise: bool = False) -> None:
    """Forward and reverse derivatives against differences of the program itself."""
    runner = Runner(program, lowered, optimise)
    point = program.point()
    random = np.random.default_rng(7)
    step, tolerance = (1e-2, 3e-3) if program.single else (1e-3, 1e-6)
    expected = jacobian(runner.primal, point, step)
    has_result = int(program.returns != "void")
    seeds = random.uniform(0.5, 1.5, len(expected) - has_result)
    weights = np.concatenate([np.ones(has_result), seeds])
    near = {"rtol": tolerance, "atol": tolerance}
    np.testing.assert_allclose(
        runner.reverse(point, seeds), weights @ expected, err_msg="reverse", **near
    )
    tangent = random.uniform(-1, 1, len(point))
    got = runner.forward(point, tangent)
    np.testing.assert_allclose(got, expected @ tangent, err_msg="forward", **near)

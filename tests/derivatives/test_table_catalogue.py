"""One entry says all about a function: whatever stage asks, it asks the catalogue, and nothing else knows functions."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import enzyme
from enzyme.backend import symbols
from enzyme.engine.analysis import known_functions
from enzyme.engine.analysis.kinds import Activity, DiffMode
from enzyme.engine.analysis.known_functions import row_of
from enzyme.engine.derivatives.catalogue import (
    CATALOGUE,
    INTRINSIC,
    OWN,
    all_entries,
    define,
    find,
    is_cheap,
    lookup,
    refused,
)
from enzyme.engine.derivatives.decompositions import base_of
from enzyme.engine.derivatives.routines import LIBRARY, ROUTINES
from enzyme.engine.derivatives.scipy.names import PREFIX
from enzyme.engine.differentiate import differentiate
from enzyme.engine.synthesis.request import DiffRequest
from enzyme.errors import EnzymeNoDerivativeError

ENTRIES = sorted(set(all_entries().values()), key=lambda entry: entry.names)
ENGINE = Path(enzyme.__file__).parent


# What an entry says, every stage knows --------------------------------------------------------------


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.names[0])
def test_every_stage_knows_the_function_by_every_name(entry):
    for name in entry.names:
        assert find(name) is entry
        assert lookup(name) is entry.row
        effects = row_of(name)
        assert effects is not None and effects.reexecutable
        assert (effects.reads, effects.writes) == (frozenset(), entry.numbers | entry.integers)
        assert {place for place, _ in effects.pointees} == effects.writes
        assert effects.integers == entry.integers
        # What has no row is of integers, or its active calls are refused.
        assert effects.moves_no_numbers is (entry.row is not None or entry.integral)
        assert is_cheap(name) is (entry.cheap and name.startswith((INTRINSIC, OWN)))


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.names[0])
def test_what_an_entry_says_goes_together(entry):
    assert entry.row is not None or entry.note
    assert not entry.numbers & entry.integers
    assert (entry.expand is not None) is bool(entry.numbers | entry.integers)
    if entry.expand is not None or entry.integral:
        assert entry.row is None and entry.bound is None and not entry.smooth
    if entry.indices:
        assert entry.integral
    if entry.chooses:
        assert entry.indices and abs(entry.chooses) == 1
    if entry.cheap or entry.smooth:
        assert any(name.startswith((INTRINSIC, OWN)) for name in entry.names)
    if entry.is_power or entry.square is not None:
        assert entry.row is not None and len(entry.row.rules) == 2


def test_no_function_is_known_twice():
    assert not all_entries().keys() & known_functions.TABLE.keys()
    with pytest.raises(ValueError, match="two entries for sin"):
        define("sin", lambda d, y, x: d)


def test_functions_of_the_library_can_be_called():
    """Each is there under the name of double at least, but for what is younger than C's library may be, and what
    only some have."""
    young = {"sinpi", "cospi", "tanpi", "fmaximum", "fminimum", "fmaximum_num", "fminimum_num"}
    missing = set()
    for entry in ENTRIES:
        ours = [n for n in entry.names if not n.startswith((INTRINSIC, OWN, PREFIX, "numba_", "_"))]
        if ours and not any(symbols.address_of(name) for name in ours):
            missing.add(ours[0])
    assert missing <= young


def test_a_routine_is_one_row():
    for routine in ROUTINES.values():
        known = known_functions.TABLE[f"enzyme_{routine.name}_d"]
        assert known.writes == routine.positions(routine.writes)
        # The matrix of eigenvalues or singular values is never kept: it is lost, and not needed.
        never = {"a"} if base_of(routine.name) else set()
        numbers = (routine.reads | routine.writes) - routine.integers - never
        assert numbers <= set(routine.shapes) <= set(routine.operands)
        assert {routine.readable, routine.square} <= {"", *ROUTINES}
        held = {word for shape in routine.shapes.values() for word in shape}
        assert held <= {"1", *routine.operands}
    for function in LIBRARY:
        assert known_functions.TABLE[function.name].reads == function.positions(function.reads)


def test_an_entry_comes_and_goes():
    entry = define("newfunction newfunctionf", lambda d, y, x: d * y)
    try:
        assert lookup("newfunctionf") is entry.row
        assert row_of("newfunction").kind == "pure"
    finally:
        CATALOGUE.remove(entry)
    assert find("newfunction") is None and row_of("newfunctionf") is None


# Nothing else lists functions -----------------------------------------------------------------------

# Files with such words that are no knowledge about functions, and why.
ALLOWED = {
    "engine/ir/reading/rare.py": "operations of `atomicrmw`",
    "backend/vectors.py": "what is one instruction on the machine that the code is for",
    "backend/elementary/functions.py": "what we have instructions of our own for, see `vector` of entries",
    "backend/elementary/writing.py": "the instructions that these are written with",
    "backend/symbols.py": "what LLVM's code generator calls on its own",
}
OPCODES = {"trunc"}


def words_of_code(path: Path) -> Iterator[str]:
    """The words of all texts in a file but docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    described = (ast.Module, ast.ClassDef, ast.FunctionDef)
    docstrings = {
        node.body[0].value
        for node in ast.walk(tree)
        if isinstance(node, described) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            if node not in docstrings:
                yield from node.value.split()


def functions_named_in(path: Path) -> set[str]:
    found = set()
    for word in words_of_code(path):
        word = word.strip("@(),").rstrip(".")
        entry = find(word) or find(INTRINSIC + word)
        if entry is not None and word not in OPCODES:
            found.add(entry.names[0])
        elif word in ROUTINES or word in {function.name for function in LIBRARY}:
            found.add(word)
    return found


def files() -> list[Path]:
    found = [*(ENGINE / "engine").rglob("*.py"), *(ENGINE / "backend").rglob("*.py")]
    return sorted(path for path in found if "derivatives" not in path.parts)


def test_functions_are_listed_in_the_catalogue_only():
    """Code may ask for one function by its name; two make a list, which somebody has to keep up."""
    lists = {str(path.relative_to(ENGINE)) for path in files() if len(functions_named_in(path)) > 1}
    assert lists == set(ALLOWED)


# What an entry does not say is refused --------------------------------------------------------------


def gradient_of(text: str) -> str:
    request = DiffRequest(
        "f", DiffMode.REVERSE, (Activity.ACTIVE,), return_activity=Activity.ACTIVE
    )
    return differentiate(text, request).text


def test_a_function_without_derivative_is_refused():
    text = """
declare double @gamma(double)
define double @f(double %x) {
  %y = call double @gamma(double %x)
  ret double %y
}
"""
    with pytest.raises(EnzymeNoDerivativeError, match="gamma"):
        gradient_of(text)


def test_results_behind_pointers_that_cannot_be_rewritten_are_refused():
    """A call that is no plain one, as C++ has them."""
    text = """
declare double @frexp(double, ptr)
declare i32 @personality(...)
define double @f(double %x) personality ptr @personality {
entry:
  %p = alloca i32
  %y = invoke double @frexp(double %x, ptr %p) to label %fine unwind label %bad
fine:
  ret double %y
bad:
  %l = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %l
}
"""
    with pytest.raises(EnzymeNoDerivativeError):
        gradient_of(text)


@pytest.mark.parametrize("name", ["hypot", "j1", "gamma"])
def test_a_function_of_the_program_is_not_the_library_s(name):
    """With a body of its own, or with other operands."""
    body = f"""
define double @{name}(double %x, double %n) noinline {{
  %y = fmul double %x, %n
  ret double %y
}}
define double @f(double %x) {{
  %y = call double @{name}(double %x, double 3.0)
  ret double %y
}}
"""
    assert "fmul" in gradient_of(body).partition("@rev")[2]
    declared = f"declare double @{name}(double, double, double)\n" + body.partition("}\n")[2]
    declared = declared.replace("3.0", "3.0, double 1.0")
    if name != "gamma":
        assert row_of(name) is not None
    with pytest.raises(EnzymeNoDerivativeError):
        gradient_of(declared)


def test_a_refused_function_comes_and_goes():
    entry = refused("oddfunction", "it has two meanings")
    try:
        assert row_of("oddfunction").kind == "numeric"
        assert (lookup("oddfunction"), entry.note) == (None, "it has two meanings")
    finally:
        CATALOGUE.remove(entry)

"""The import layers of the project, by import-linter's contracts and by what is really loaded."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from enzyme.engine.analysis.known_functions import TABLE

ROOT = Path(__file__).resolve().parent.parent
COMPILER = {"numba", "llvmlite", "scipy", "enzyme"}
# Reached only with an instance of a jitclass in hand, so numba is loaded already.
EXCEPTIONS = {("enzymecore.numba_types", "numba")}


def test_contracts():
    """Every contract of pyproject.toml holds; the report names both files of an import that does
    not fit."""
    command = Path(sys.executable).with_name("lint-imports")
    done = subprocess.run(
        [command, "--config", ROOT / "pyproject.toml", "--no-cache"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("package", "allowed"),
    [
        ("enzymecore", {"numpy"}),
        ("enzyme_rules", {"enzymecore"}),
        ("enzyme.support", set()),
        ("enzyme.engine", {"numpy", "enzymecore", "enzyme_rules"}),
        ("enzyme.backend", {"numpy", "llvmlite"}),
        ("enzyme.frontdoor", {"numpy", "llvmlite", "enzymecore", "enzyme_rules"}),
    ],
)
def test_imports_only(package, allowed):
    """Beside the standard library and the layers below, a package imports only these."""
    import grimp

    graph = grimp.build_graph(
        *("enzymecore", "enzyme_rules", "enzyme"),
        include_external_packages=True,
        exclude_type_checking_imports=True,
    )
    modules = {m for m in graph.modules if m == package or m.startswith(package + ".")}
    found = {
        (module, imported)
        for module in modules
        for imported in graph.find_modules_directly_imported_by(module)
        if (top := imported.split(".")[0]) not in sys.stdlib_module_names
        and top not in allowed | {package.split(".")[0]}
    }
    assert not found - EXCEPTIONS


@pytest.mark.parametrize("package", ["enzymecore", "enzyme_rules"])
def test_imports_without_compiler(package):
    """Third parties that define rules must not pay for the compiler."""
    program = f"import {package}, sys; print(*{{m.split('.')[0] for m in sys.modules}})"
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert not COMPILER & set(done.stdout.split())


# Run times ----------------------------------------------------------------------------------------

OF_NUMBA = re.compile(r"NRT|meminfo|numba|objmode", re.IGNORECASE)
# Rows of mathematical functions, which numba has under names of its own.
MATHEMATICS = re.compile(r"\bnumba_\w+")


def words_of(tree: ast.AST) -> Iterator[str]:
    """The names and the strings of a file, but for its documentation."""
    described = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    documents = {
        id(n.body[0].value)
        for n in ast.walk(tree)
        if isinstance(n, described) and ast.get_docstring(n)
    }
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in documents
        ):
            yield node.value
        for field in ("id", "attr", "name", "arg", "module"):
            word = getattr(node, field, None)
            if isinstance(word, str):
                yield word


@pytest.mark.parametrize("package", ["engine", "backend"])
def test_names_no_function_of_a_run_time(package):
    """What numba's run time has comes in with the request (`RuntimeModel`): code of the engine does not name it."""
    found = []
    for path in sorted((ROOT / "enzyme" / package).rglob("*.py")):
        for word in words_of(ast.parse(path.read_text(encoding="utf-8"))):
            if "derivatives" in path.parts:
                word = MATHEMATICS.sub("", word)
            found += [f"{path.relative_to(ROOT)}: {m[0]}" for m in OF_NUMBA.finditer(word)]
    assert not found


def test_the_engine_has_rows_of_its_own_memory_only():
    kinds = {
        "allocate",
        "reallocate",
        "free",
        "retain",
        "release",
        "items",
        "resize",
        "insert",
        "key",
    }
    managing = {
        name for name, row in TABLE.items() if row.kind in kinds or row.data_offset is not None
    }
    assert managing == {"enzyme_allocate", "enzyme_let_go"}  # of the arena

"""The import layers of the project, by import-linter's contracts and by what is really loaded."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

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

"""What is private to numba is touched in one package (`frontend/numba_compat`) and nowhere else."""

from __future__ import annotations

import ast
import importlib.util
import inspect
import pkgutil
import re
import sys
from pathlib import Path

import pytest

import enzyme

ROOT = Path(enzyme.__file__).resolve().parent.parent
PACKAGES = ("enzyme", "enzymecore", "enzyme_rules", "enzyme_testutils")
HOME = ROOT / "enzyme" / "frontend" / "numba_compat"

# What numba's manual tells those to use who extend it, and what it says of its types.
PUBLIC = """
numba numba.extending numba.typed numba.experimental
numba.experimental.structref
numba.core.types numba.core.typing numba.core.typing.templates numba.core.imputils numba.core.cgutils
numba.core.datamodel numba.core.errors numba.core.ir numba.core.ir_utils numba.core.compiler
numba.core.compiler_machinery numba.core.untyped_passes numba.np.numpy_support
""".split()
# Our own implementations of functions stand in a table by numba's; a name that is gone fails there when it is imported.
IMPLEMENTATIONS = ("numba.cpython", "numba.np")
IMPLEMENTED = (
    "enzyme/frontend/functions/",
    "enzyme/frontend/singular_points.py",
    "enzyme/frontend/factorisations.py",
    "enzyme/frontend/small_systems.py",
    "enzyme/frontend/expression_functions.py",
)
# It must not import the compiler, and asks for what a probe knows (`programs.what_enzymecore_asks_for`).
ASKS_BY_NAME = "enzymecore/numba_types.py"
NAMED = re.compile(r"numba(?:\.\w+)+")
# Hosts that need not be there.
HOSTS = tuple(f"enzyme.interop.{name}" for name in "torch jax pytensor tensorflow".split())
# Of what is private to PyTorch, and to JAX.
OF_OTHERS = ("enzyme/interop/torch/", "enzyme/interop/jax/linearized.py")
# Begin with an underscore and are no secret: Python's own, what numba's manual shows, and its protocol for types.
NO_SECRET = {
    *("_make", "_fields", "_replace", "_asdict", "_getframe", "_exit", "_CFuncPtr"),
    *("_getvalue", "_numba_type_"),
}


def _files():
    """(path, its names, the nodes that may touch something) of every file but those of the package."""
    return [(path, *_looked_at(source)) for path, source in _sources()]


def _looked_at(source):
    """The names that a file defines itself, and its nodes that may touch something."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, LOOKED_AT)]
    return set(_defined(nodes)), nodes


LOOKED_AT = (
    *(ast.Import, ast.ImportFrom, ast.Attribute, ast.Call, ast.Constant),
    *(ast.FunctionDef, ast.ClassDef, ast.Name, ast.Assign),
)


def _sources():
    for package in (*PACKAGES, "tests/effort.py", "tests/conftest.py"):
        place = ROOT / package
        for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
            if HOME not in path.parents:
                yield path.relative_to(ROOT).as_posix(), path.read_text()


def _is_private(name):
    return name.startswith("_") and not name.startswith("__")


def _is_numbas(module):
    return module == "numba" or module.startswith("numba.")


def _defined(nodes):
    """What a file defines itself: functions, classes, variables, attributes that it sets, slots."""
    for node in nodes:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.id if isinstance(node, ast.Name) else node.attr
        elif isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "__slots__":
            yield from (n.value for n in ast.walk(node.value) if isinstance(n, ast.Constant))


def _touches(path, names, nodes):
    """Every place of a file that touches what is private to numba; `names` are private ones of the packages."""
    plain = names | NO_SECRET
    numbas = set()  # local names of what was imported from numba
    for node in nodes:
        line = f"{path}:{getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Import | ast.ImportFrom):
            for module, name, bound in _imported(node):
                numbas.add(bound)
                if not _may_import(path, module, name):
                    yield f"{line} imports {module}.{name}"
        elif isinstance(node, ast.Attribute):
            changes = isinstance(node.ctx, ast.Store | ast.Del)
            hidden = _is_private(node.attr) and node.attr not in plain
            if not (changes or hidden):
                continue
            owner = ast.unparse(node.value)
            if changes and owner.partition(".")[0] in numbas:
                yield f"{line} replaces {owner}.{node.attr}"
            if path == ASKS_BY_NAME or path.startswith(OF_OTHERS):
                continue
            if hidden and owner not in ("self", "cls", "super()"):
                yield f"{line} uses {owner}.{node.attr}"
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") in ("setattr", "delattr"):
            if ast.unparse(node.args[0]).partition(".")[0] in numbas:
                yield f"{line} replaces an attribute of {ast.unparse(node.args[0])}"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from (f"{line} has an offset: {found}" for found in OFFSET.findall(node.value))
            if NAMED.fullmatch(node.value) and path != ASKS_BY_NAME:
                if not _may_import(path, node.value, ""):
                    yield f"{line} names {node.value}"


OFFSET = re.compile(
    r"getelementptr (?:inbounds )?i8, ptr %(?:info|list|dict|made|table|small|new|old|entry|from|iterator)\b, i64 \d+"
)


def _imported(node):
    """(module, name, local name) of what an import takes from numba."""
    for alias in node.names:
        if isinstance(node, ast.Import) and _is_numbas(alias.name):
            yield alias.name, "", (alias.asname or alias.name).partition(".")[0]
        elif isinstance(node, ast.ImportFrom) and _is_numbas(node.module or ""):
            yield node.module, alias.name, alias.asname or alias.name


def _may_import(path, module, name):
    if any(map(_is_private, (*module.split("."), name))) or name == "register_rewrite":
        return False
    if name and hasattr(importlib.import_module(module), "__path__"):
        inner = f"{module}.{name}"
        module = inner if importlib.util.find_spec(inner) is not None else module
    return module in PUBLIC or (module.startswith(IMPLEMENTATIONS) and path.startswith(IMPLEMENTED))


def _known(files):
    """Private names that the packages define for each other, but none that a class or a module of numba has too."""
    defined = set()
    for _, names, _ in files:
        defined |= {name for name in names if _is_private(name)}
    modules = [m for n, m in list(sys.modules.items()) if _is_numbas(n) and m is not None]
    classes = [v for m in modules for v in list(vars(m).values()) if isinstance(v, type)]
    numbas = {name for owner in (*modules, *classes) for name in vars(owner)}
    for cls in classes:
        init = vars(cls).get("__init__")
        numbas |= set(getattr(getattr(init, "__code__", None), "co_names", ()))
    return defined - numbas


def test_only_one_package_touches_what_is_private():
    files = _files()
    known = _known(files)
    found = [t for path, own, nodes in files for t in _touches(path, known | own, nodes)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("from numba.core.extending import _Intrinsic", "imports numba.core.extending._Intrinsic"),
        ("from numba import _helperlib", "imports numba._helperlib"),
        ("from numba.core import codegen", "imports numba.core.codegen"),
        ("import numba.core.lowering", "imports numba.core.lowering."),
        (
            "from numba.core.rewrites import register_rewrite",
            "imports numba.core.rewrites.register_rewrite",
        ),
        (
            "from numba.core import types\ntypes.Dispatcher.get_call_type = None",
            "replaces types.Dispatcher",
        ),
        (
            "from numba.core import types\nsetattr(types.Type, 'x', 1)",
            "replaces an attribute of types.Type",
        ),
        ("def f(x):\n    return x._final_module", "uses x._final_module"),
        ("def f(x):\n    return x.codegen()._engine._ee", "uses x.codegen()._engine"),
        ("TEXT = '%at = getelementptr inbounds i8, ptr %list, i64 48'", "has an offset"),
    ],
)
def test_a_touch_is_found(source, said):
    assert any(said in touch for touch in _touches("enzyme/x.py", *_looked_at(source)))


def test_no_other_class_overrides_what_is_private():
    """`self._x` is numba's where a class of numba's has it."""
    found = []
    for package in PACKAGES:
        top = importlib.import_module(package)
        for info in pkgutil.walk_packages(top.__path__, package + ".", onerror=lambda name: None):
            # Of packages that may not be there.
            if info.name.startswith(HOSTS):
                continue
            if info.name.endswith("__main__") or info.name.startswith(
                "enzyme.frontend.numba_compat"
            ):
                continue
            module = importlib.import_module(info.name)
            for cls in vars(module).values():
                if not isinstance(cls, type) or cls.__module__ != info.name:
                    continue
                bases = [b for b in cls.__mro__[1:] if _is_numbas(b.__module__)]
                theirs = {n for b in bases for n in vars(b) if _is_private(n)} - {"_name"}
                written = set(re.findall(r"\w+", inspect.getsource(cls))) if theirs else set()
                found += [f"{cls.__qualname__}.{name}" for name in theirs & written]
    assert not found

"""Jitted functions with ``cache=True`` that call derivatives: another process takes them from numba's files, unless
anything that the derivatives are made of has changed there."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytestmark = pytest.mark.rotating(3)

MODEL = """
import os
import math
import numpy as np
from numba import njit, typed, types
from enzyme import custom_jvp, custom_vjp
from enzyme_rules import easy_rule

FACTOR = 2.0
TABLE = np.array([1.0, 2.0, 3.0])

@njit
def inner(t):
    return t * t * FACTOR

if os.environ.get("WITH_RULE"):
    easy_rule(inner, lambda omega, t: 100.0)

@njit
def f(x):
    s = 0.0
    for i in range(x.size):
        s += inner(x[i]) * TABLE[i] * x[0]
    return s

@njit
def smooth(x):
    return (np.sin(x) * np.exp(-x) + FACTOR * np.tanh(x)).sum()

@njit
def algebra(x):
    a = np.outer(x, x) + np.eye(3) * FACTOR
    return np.linalg.solve(a, x).sum() + np.linalg.norm(a @ x)

@njit
def strict(x):
    for i in range(x.size):
        if x[i] < 0.0:
            raise ValueError("negative", i)
    return FACTOR * (x * x).sum()

@njit
def counts(x):
    d = typed.Dict.empty(types.int64, types.float64)
    for i in range(6):
        d[i % 2] = d.get(i % 2, 0.0) + x[i % 3] * x[0] * FACTOR
    return d[0] * d[1]

@njit
def cube(t):
    return FACTOR * t * t * t

@njit
def many(x):
    return FACTOR * x * x[0]

@custom_jvp
def log1pexp(t):
    return math.log(1.0 + math.exp(t))

@log1pexp.defjvp
def _rule(primals, tangents):
    (t,), (v,) = primals, tangents
    return log1pexp(t), FACTOR * v / (1.0 + math.exp(-t))

@custom_vjp
def through(t):
    return t

through.defvjp(lambda t: (t, None), lambda kept, ct: (FACTOR * ct,))

@njit
def factored(x):
    return FACTOR * np.linalg.cholesky(np.outer(x, x) + np.eye(3)).sum()

@njit
def ruled(x):
    return log1pexp(x[0]) * x[1]

@njit
def pulled(x):
    return through(x[0]) * x[1] * x[2]
"""

CALLERS = """
import json, sys
import numpy as np
from numba import njit, prange
import enzyme
from enzyme import *
from model import *

@njit(cache=True)
def by_grad(x): return grad(f)(x)
@njit(cache=True)
def by_value(x): return value_and_grad(smooth)(x)[1]
@njit(cache=True)
def by_gradient(x): return gradient(Reverse, algebra, x)
@njit(cache=True)
def by_strict(x): return grad(strict)(x)
@njit(cache=True)
def by_counts(x): return grad(counts)(x)
@njit(cache=True)
def by_jacfwd(x): return jacfwd(many)(x)
@njit(cache=True)
def by_jacrev(x): return jacrev(many)(x)
@njit(cache=True)
def by_jacobian(x): return jacobian(Reverse, many, x)
@njit(cache=True)
def by_hessian(x): return hessian(f)(x)
@njit(cache=True)
def by_hvp(x): return hvp(smooth, x, np.ones(3))
@njit(cache=True)
def by_jvp(x): return jvp(smooth, (x,), (np.ones(3),))[1]
@njit(cache=True)
def by_reverse(x):
    dx = np.zeros_like(x)
    autodiff(Reverse, f, Active, Duplicated(x, dx))
    return dx
@njit(cache=True)
def by_forward(x): return autodiff(Forward, f, Duplicated(x, np.ones(3)))[0]
@njit(cache=True)
def by_lanes(x):
    return autodiff(Forward, f, BatchDuplicated(x, (np.ones(3), np.array([1.0, 0.0, 0.0]))))[0]
@njit(cache=True)
def by_batch(x): return batch(grad(cube))(x)
@njit(cache=True)
def in_a_loop(x):
    for _ in range(3):
        x = x - 0.01 * grad(f)(x)
    return x
@njit(cache=True, parallel=True)
def in_parallel(x):
    out = np.zeros((4, 3))
    for k in prange(4):
        out[k] = grad(smooth)(x * (k + 1))
    return out
@njit(cache=True)
def by_cholesky(x): return grad(factored)(x)
@njit(cache=True)
def by_custom_jvp(x): return grad(ruled)(x)
@njit(cache=True)
def by_custom_vjp(x): return grad(pulled)(x)
@njit
def between(x): return grad(smooth)(x) * 2.0
@njit(cache=True)
def by_way_of(x): return between(x)
@njit(cache=True)
def slope(x, i): return grad(f)(x)[i]
@njit(cache=True)
def of_slope(x): return grad(slope)(x, 1)

x = np.array([0.5, 1.5, 0.7])
found = {}
asked = sys.argv[1:]
for name, function in list(globals().items()):
    if name in asked:
        value = np.asarray(function(x.copy())).ravel().tolist()
        found[name] = value, sum(function.stats.cache_hits.values())
try:
    by_strict(-x)
except ValueError as error:
    found["error"] = list(error.args), 0
print(json.dumps(found))
"""
NAMES = [line.split("(")[0][4:] for line in CALLERS.splitlines() if line.startswith("def ")]
EVERY = [name for name in NAMES if name.startswith(("by_", "in_", "of_"))]
FEW = "by_value by_strict by_reverse by_way_of by_custom_jvp of_slope".split()
CHECKED = sorted(EVERY if "EXHAUSTIVE" in os.environ else FEW)


def _run(folder: Path, **environment: str) -> dict[str, Any]:
    path = os.pathsep.join([str(folder), *filter(None, sys.path)])
    done = subprocess.run(
        [sys.executable, "-W", "error::numba.NumbaWarning", "callers.py", *CHECKED],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return json.loads(done.stdout)


def _values(found: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, (value, _) in found.items()}


def _hits(found: dict[str, Any]) -> list[str]:
    return sorted(name for name, (_, hits) in found.items() if hits)


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A folder with a program that has run once, and what it printed."""
    folder = tmp_path_factory.mktemp("callers")
    (folder / "model.py").write_text(MODEL)
    (folder / "callers.py").write_text(CALLERS)
    return folder, _run(folder)


def _change(folder: Path, old: str, new: str) -> None:
    text = (folder / "model.py").read_text()
    assert old in text
    time.sleep(0.01)
    (folder / "model.py").write_text(text.replace(old, new))


def test_taken_by_another_process(filled: tuple[Path, dict[str, Any]]) -> None:
    folder, first = filled
    assert _hits(first) == []
    again = _run(folder)
    assert _values(again) == _values(first)
    assert again["error"][0] == ["negative", 0]
    assert _hits(again) == CHECKED


def test_changes_elsewhere_are_seen(filled: tuple[Path, dict[str, Any]]) -> None:
    """The file of the callers stays; numba alone would not notice."""
    folder, first = filled
    _change(folder, "FACTOR = 2.0", "FACTOR = 3.0")
    changed = _run(folder)
    assert _hits(changed) == []
    same = [n for n in CHECKED if _values(changed)[n] == _values(first)[n]]
    assert same == []
    ruled = _run(folder, WITH_RULE="1")
    of_inner = [n for n in CHECKED if n in ("by_grad", "by_reverse", "by_forward", "in_a_loop")]
    assert all(_values(ruled)[n] != _values(changed)[n] for n in of_inner)
    assert not set(of_inner) & set(_hits(ruled))
    _change(folder, "FACTOR = 3.0", "FACTOR = 2.0")
    again = _run(folder, ENZYME_VECTOR_MATH="0")
    assert _hits(again) == []
    for name in CHECKED:
        np.testing.assert_allclose(_values(again)[name], _values(first)[name], rtol=1e-13)


CHOSEN = """
import lib
from lib import ARG, MODE
from numba import njit
from enzyme import Active, autodiff, grad

@njit
def helper(x, y): return grad(lib.loss, argnums=ARG)(x, y)
@njit(cache=True)
def function(x): return grad(lib.f)(x)
@njit(cache=True)
def argument(x, y): return grad(lib.loss, argnums=ARG)(x, y)
@njit(cache=True)
def mode(x): return len(autodiff(MODE, lib.a, Active, Active(x)))
@njit(cache=True)
def by_way_of(x, y): return helper(x, y)
print(function(1.0), argument(1.0, 1.0), mode(1.0), by_way_of(1.0, 1.0))
"""
LIB = """
from numba import njit
from enzyme import Reverse, ReverseWithPrimal
@njit
def a(x): return 2.0 * x
@njit
def b(x): return 3.0 * x
@njit
def loss(x, y): return 2.0 * x + 3.0 * y
K = {}
f, ARG, MODE = (a, b)[K], K, (Reverse, ReverseWithPrimal)[K]
"""


def test_what_a_caller_asks_for(tmp_path: Path) -> None:
    """Which function, with respect to what, in which mode: said in another file than that of the caller."""
    (tmp_path / "program.py").write_text(CHOSEN)
    path = os.pathsep.join([str(tmp_path), *filter(None, sys.path)])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
    printed = []
    for k in (0, 1, 0):
        (tmp_path / "lib.py").write_text(LIB.replace("{}", str(k)))
        command = [sys.executable, "-W", "error::numba.NumbaWarning", "program.py"]
        done = subprocess.run(
            command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
        )
        printed.append(done.stdout.split())
    assert printed == [["2.0", "2.0", "1", "2.0"], ["3.0", "3.0", "2", "3.0"], printed[0]]


NOT_KEPT = """
import numpy as np
from numba import njit
import enzyme
from enzyme import *

def make(c):
    @njit
    def local(x):
        return c * (x * x).sum()
    return local

local = make(3.0)

@njit(cache=True)
def caller(x): return grad(local)(x)

@njit
def plain(x): return (x * x).sum()
grad(plain)(np.ones(2))

@njit(cache=True)
def late(x): return grad(plain)(x)

print(caller(np.ones(2)), late(np.ones(2)))
"""


def test_what_cannot_be_found_again_is_in_no_file(tmp_path: Path) -> None:
    """A function that its module does not have by its name; one that was compiled before anybody looked at it."""
    (tmp_path / "program.py").write_text(NOT_KEPT)
    path = os.pathsep.join(filter(None, sys.path))
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "program.py"],
            cwd=tmp_path,
            env={**os.environ, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout.split() == "[6. 6.] [2. 2.]".split(), done.stderr
        for name in ("caller", "late"):
            assert f'Cannot cache compiled function "{name}"' in done.stderr

"""The plugin, the decorator, the strategies and the command, as other projects see them."""

from __future__ import annotations

import re
import subprocess
import sys

import hypothesis
import numpy as np
import pytest
from numba import njit

from enzyme import Active, BatchDuplicated, Const, Duplicated
from enzyme_testutils import DerivativeTestError, check_adjoint, test_forward
from enzyme_testutils.__main__ import main
from enzyme_testutils.strategies import activities, arrays, scalars, tangents, with_tangents

MODULE = """
import numpy as np
from numba import njit
import enzyme_rules
from enzyme import Active, Const, Duplicated, DuplicatedNoNeed
from enzyme_testutils import parametrize_activities, test_approx, test_forward, test_msg, test_reverse

@njit
def product(x, y):
    return x * y

@parametrize_activities((Const, Active), x=(Const, Active), y=(Const, Active))
def test_product(ret, x, y):
    test_reverse(product, ret, (2.0, x), (3.0, y))

def test_random(enzyme_rng):
    print("drawn", enzyme_rng.random())

def test_wrong():
    @njit
    def twice(x):
        return 2.0 * x

    @enzyme_rules.forward(twice)
    def rule(func, RT, x):
        return 3.0 * x.dval

    test_forward(twice, DuplicatedNoNeed, (1.0, Duplicated))
"""


def run(folder, *options):
    (folder / "test_product.py").write_text(MODULE)
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-rP", *options]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout


@pytest.mark.rotating(2)
def test_the_plugin(tmp_path):
    out = run(tmp_path, "--enzyme-seed=5")
    assert "enzyme: --enzyme-seed=5" in out
    # The imported testers are not collected.
    assert "1 failed, 9 passed" in out
    assert "reproduce: rng=5, or pytest --enzyme-seed=5" in out
    assert "the derivative of the result disagrees with finite differences" in out
    # The package's own frames are hidden: the traceback ends in the user's file.
    assert "enzyme_testutils/report.py" not in out
    drawn = re.search(r"drawn (\S+)", out)[1]
    again = run(tmp_path, "--enzyme-seed=5", "-k", "random")
    other = run(tmp_path, "--enzyme-seed=6", "-k", "random")
    assert drawn in again and drawn not in other


@pytest.mark.rotating(2)
def test_the_plugin_with_workers(tmp_path):
    out = run(tmp_path, "--enzyme-seed=random", "-n", "2")
    seed = re.search(r"--enzyme-seed=(\d+)", out)[1]
    assert "1 failed, 9 passed" in out
    assert f"reproduce: rng={seed}, or pytest --enzyme-seed={seed}" in out


def test_the_plugin_is_light():
    code = "import sys, enzyme_testutils.plugin; print('numba' in sys.modules, 'enzyme' in sys.modules)"
    command = [sys.executable, "-c", code]
    assert subprocess.run(command, capture_output=True, text=True).stdout == "False False\n"


@njit
def smooth(x, a):
    return a * np.sum(np.tanh(x))


@hypothesis.settings(max_examples=10)
@hypothesis.given(arrays(3), scalars(kinks=[0.0]), hypothesis.strategies.integers(0, 2**32 - 1))
def test_strategies_with_testers(x, a, seed):
    assert abs(a) >= 0.05
    check_adjoint(smooth, Active, (x, Duplicated), (a, Active), rng=seed)


@hypothesis.given(hypothesis.strategies.data())
def test_strategies(data):
    single = data.draw(scalars(dtype=np.float32, low=1.0, high=2.0))
    assert type(single) is np.float32 and 1 <= single <= 2
    z = data.draw(scalars(dtype=np.complex64))
    assert type(z) is np.complex64 and type(data.draw(scalars(dtype=complex))) is complex
    x, dx = data.draw(with_tangents(arrays(dtype=np.complex128)))
    assert x.shape == dx.shape and dx.dtype == np.complex128
    shared = np.ones(2)
    first, second = data.draw(tangents((shared, shared)))
    assert first is second
    chosen = data.draw(activities((Const, Duplicated), (Const, BatchDuplicated)))
    assert chosen != (Duplicated, BatchDuplicated)


def test_strategies_refuse_integers():
    with pytest.raises(ValueError, match="a floating type is needed, not int64"):
        scalars(dtype=np.int64)


SCRIPT = """
import numpy as np
from numba import njit
import enzyme_rules

@njit
def scaled(x, a):
    x *= a
    return np.sin(x).sum()

@njit
def twice(x):
    return 2.0 * x

@enzyme_rules.forward(twice)
def rule(func, RT, x):
    return 3.0 * x.dval
"""


def test_the_command(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    script = tmp_path / "some_functions.py"
    script.write_text(SCRIPT)
    assert main([f"{script}:scaled", "--args", "np.ones(3)", "2.0"]) == 0
    out = capsys.readouterr().out
    assert "test_forward: scaled(x: Duplicated[float64[::1]], a: Duplicated[float64])" in out
    assert "the shadow of argument 0 (x)" in out and "FAILED" not in out
    assert main([f"{script}:scaled", "--args", "np.ones(3):Const", "2.0", "--mode", "reverse"]) == 2
    assert "EnzymeConstStorageError" in capsys.readouterr().out
    arguments = [f"{script}:twice", "--args", "1.0", "--mode", "forward"]
    assert main([*arguments, "--ret", "DuplicatedNoNeed"]) == 1
    assert "FAILED" in capsys.readouterr().out
    for wrong in (
        ["nowhere:f"],
        [f"{script}:missing"],
        ["plain"],
        [f"{script}:twice", "--args", "("],
    ):
        with pytest.raises(SystemExit):
            main(wrong)


def test_failures_are_assertion_errors():
    assert issubclass(DerivativeTestError, AssertionError)
    assert test_forward.__test__ is False

"""The package is light: no compiler, no errors module of the compiler, a few milliseconds."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import enzymecore
from enzymecore.neighbour import check_neighbour

ROOT = Path(enzymecore.__file__).resolve().parents[1]


def run(code, cache):
    environment = dict(os.environ, PYTHONPATH=str(ROOT), PYTHONPYCACHEPREFIX=str(cache))
    # Without stored bytecode the time would be that of the Python compiler.
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_import_is_fast(tmp_path):
    code = (
        "import time, numpy; start = time.process_time(); import enzymecore;"
        "print(time.process_time() - start)"
    )
    times = [float(run(code, tmp_path)) for _ in range(5)]
    assert min(times[1:]) < 0.030, times


def test_import_loads_no_compiler(tmp_path):
    code = (
        "import sys, numpy as np, enzymecore as ec;"
        "ec.Duplicated([np.ones(2)], ec.make_zero([np.ones(2)])); ec.typeof({'a': len});"
        "ec.make_zero_inplace([1.0]);"
        "print([m for m in ('numba', 'llvmlite', 'enzyme', 'enzyme_rules') if m in sys.modules])"
    )
    assert run(code, tmp_path) == "[]"


def test_public_names():
    assert len(enzymecore.__all__) == len(set(enzymecore.__all__))
    for name in enzymecore.__all__:
        public = getattr(enzymecore, name)
        if callable(public) and not isinstance(public, enzymecore.Mode):
            assert public.__doc__, name


@pytest.mark.parametrize("whose", ["ours", "another's"])
def test_another_package_of_the_name(tmp_path, whose):
    """Only files that replaced those of this package matter."""
    package = tmp_path / "enzyme"
    package.mkdir()
    check_neighbour(tmp_path)
    (package / "mkv.py").write_text("")
    (package / "__init__.py").write_text(
        "import enzymecore\n" if whose == "ours" else "__all__ = []\n"
    )
    if whose == "ours":
        check_neighbour(tmp_path)
        return
    with pytest.raises(ImportError, match="pip uninstall enzyme"):
        check_neighbour(tmp_path)

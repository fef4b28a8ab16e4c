"""Versions, and what is missing beside this package."""

import subprocess
import sys

import pytest

import enzyme
from enzyme.versions import version


def test_versions(capsys):
    assert enzyme.__version__ == version("enzyme-autodiff") != "not installed"
    enzyme.show_versions()
    lines = capsys.readouterr().out.splitlines()
    found = dict(line.split(maxsplit=1) for line in lines)
    assert found["enzyme-autodiff"] == enzyme.__version__
    assert found["numba"] == version("numba") and "LLVM" in found and "processor" in found


WITHOUT = {
    "scipy": (
        "import numpy as np; from enzyme import grad; grad(lambda x: x @ x)(np.ones(2))",
        "enzyme-autodiff[linalg]",
    ),
    "rich": (
        "import runpy; runpy.run_module('enzyme_testutils', run_name='__main__')",
        "enzyme-autodiff[testutils]",
    ),
}


@pytest.mark.parametrize("missing", WITHOUT)
def test_what_is_missing_is_named_with_its_extra(missing):
    program, extra = WITHOUT[missing]
    code = f"import sys; sys.modules[{missing!r}] = None; {program}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode and f"pip install '{extra}'" in done.stderr

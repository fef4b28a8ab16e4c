"""The programs in docs/llvm.md print what stands below them, where a compiler for their language is there."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from enzyme.backend.jit import JittedModule
from enzyme.llvm.compilers import find_clang

from .c_programs import Program, run_linked, run_together
from .frontdoor_harness import command

TEXT = (Path(__file__).resolve().parents[2] / "docs" / "llvm.md").read_text()
PROGRAMS = re.findall(r"```(c|cpp)\n(.*?)```\n\n```text\n(.*?)```", TEXT, re.S)
RUST = re.findall(r"```rust\n(.*?)```", TEXT, re.S)


@pytest.mark.skipif(find_clang() is None, reason="there is no clang")
@pytest.mark.parametrize("number", range(len(PROGRAMS)))
def test_program(number, tmp_path):
    language, source, printed = PROGRAMS[number]
    name = f"program.{language}"
    flags = "// flags: -std=c++17\n" if language == "cpp" else ""
    (tmp_path / name).write_text(flags + source)
    made, error = Program(name, "-O1", folder=tmp_path).differentiate(tmp_path)
    assert not error
    found = run_together([made])[made.name]
    if found == "unresolved":
        found = run_linked(made, language == "cpp")
    assert found == printed.strip()


@pytest.mark.skipif(shutil.which("rustc") is None, reason="there is no rustc")
@pytest.mark.parametrize("level", ["0", "2"])
def test_rust(level, tmp_path):
    source, made = tmp_path / "norm.rs", tmp_path / "norm.ll"
    source.write_text(RUST[0])
    options = [
        "--crate-type=lib",
        "--emit=llvm-ir",
        "-C",
        "panic=abort",
        "-C",
        f"opt-level={level}",
    ]
    subprocess.run(["rustc", *options, "-o", str(made), str(source)], check=True)
    code, out, err = command(["opt", str(made)])
    assert (code, err) == (0, "")
    declared = set(re.findall(r"^declare .*@(_R\w+|rust_eh_personality)\(", out, re.M))
    module = JittedModule(out, symbol_addresses=dict.fromkeys(declared, id(declared)))
    x, dx = np.array([3.0, 4.0]), np.zeros(2)
    pointer = ctypes.c_void_p
    gradient = module.function("norm_gradient", None, pointer, pointer, ctypes.c_size_t)
    gradient(x.ctypes.data, dx.ctypes.data, 2)
    np.testing.assert_allclose(dx, [0.6, 0.8])

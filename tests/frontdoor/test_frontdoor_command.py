"""The command itself: streams, files, exit codes, what it imports, what it leaves alone."""

from __future__ import annotations

import ctypes
import re
import shutil
import subprocess
import sys
from pathlib import Path

import llvmlite.binding
import pytest

from enzyme.backend.jit import JittedModule

from .frontdoor_harness import PROGRAMS, command, opt

pytestmark = pytest.mark.rotating(3)

ROOT = Path(__file__).resolve().parents[2]
SQUARE = PROGRAMS / "square_c.ll"
EXPECTED = "square'(3.140000) = 6.280000\n"
RUN_MAIN = """
import ctypes, sys
from enzyme.backend.jit import JittedModule
module = JittedModule(open(sys.argv[1]).read())
code = module.function("main", ctypes.c_int)()
ctypes.CDLL(None).fflush(None)
sys.exit(code)
"""


def enzyme(*arguments, given=None):
    """A real run of the command."""
    return subprocess.run(
        [sys.executable, "-m", "enzyme", *map(str, arguments)],
        cwd=ROOT,
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )


def run_main(path):
    return subprocess.run(
        [sys.executable, "-c", RUN_MAIN, str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def test_square_of_c(tmp_path):
    """From clang's output to the number on the screen."""
    target = tmp_path / "square.ll"
    done = enzyme("opt", SQUARE, "-o", target)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert "__enzyme" not in target.read_text()
    assert run_main(target) == EXPECTED


def test_square_of_c_through_streams(tmp_path):
    done = enzyme("opt", "-", "-O", given=SQUARE.read_text())
    assert (done.returncode, done.stderr) == (0, "")
    target = tmp_path / "square.ll"
    target.write_text(done.stdout)
    assert run_main(target) == EXPECTED


@pytest.mark.skipif(shutil.which("clang") is None, reason="clang is not installed")
def test_square_compiled_by_clang(tmp_path):
    source = tmp_path / "square.c"
    source.write_text(
        "#include <stdio.h>\n"
        "extern double __enzyme_autodiff(void *, double);\n"
        "double square(double x) { return x * x; }\n"
        "int main() { double x = 3.14;\n"
        '  printf("square\'(%f) = %f\\n", x, __enzyme_autodiff((void *)square, x)); }\n'
    )
    plain, derived = tmp_path / "square.ll", tmp_path / "derived.ll"
    subprocess.run(
        ["clang", "-O2", "-S", "-emit-llvm", "-fno-vectorize", source, "-o", plain], check=True
    )
    assert enzyme("opt", plain, "-o", derived).returncode == 0
    program = tmp_path / "square"
    subprocess.run(["clang", "-O2", derived, "-o", program, "-lm"], check=True)
    assert subprocess.run([program], capture_output=True, text=True).stdout == EXPECTED


def test_error_is_one_line_and_a_code():
    done = enzyme("opt", "-", given="define double @f(double %x) {\n  ret doubel %x\n}\n")
    assert done.returncode == 1
    assert done.stdout == ""
    assert done.stderr.startswith("error: line 2: ")
    assert done.stderr.count("\n") == 1


def test_llvm_ends_the_process():
    """An old intrinsic of another type than it ever had: LLVM's reader does not come back."""
    text = (
        "declare <2 x double> @llvm.masked.load.v2f64.p0(ptr, i32, <2 x i16>, <2 x double>)\n"
        "define <2 x double> @f(ptr %p) {\n"
        "  %l = call <2 x double> @llvm.masked.load.v2f64.p0(ptr %p, i32 8, <2 x i16> zeroinitializer, "
        "<2 x double> zeroinitializer)\n"
        "  ret <2 x double> %l\n}\n"
    )
    done = enzyme("opt", "-", given=text)
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(
        r"error: LLVM cannot work on this module: it was ended by SIG\w+\n", done.stderr
    )


def test_llvm_leaves():
    """An old intrinsic whose alignment is zero: LLVM's reader says so, and leaves."""
    text = (
        "define <2 x double> @f(ptr %p) {\n"
        "  %l = call <2 x double> @llvm.masked.load.v2f64.p0(ptr %p, i3 8, <2 x i1> zeroinitializer, "
        "<2 x double> zeroinitializer)\n"
        "  ret <2 x double> %l\n}\n"
    )
    done = enzyme("opt", "-", given=text)
    assert (done.returncode, done.stdout) == (1, "")
    assert re.fullmatch(r"error: LLVM cannot work on this module: [\w ]+\n", done.stderr)


def test_numba_is_not_imported():
    program = (
        "import sys; from enzyme.frontdoor.command import main; code = main(sys.argv[1:]);"
        "sys.exit(code or any(m.split('.')[0] in ('numba', 'scipy', 'numpy') for m in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "opt", str(SQUARE)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_module_without_calls_keeps_its_bodies():
    text = "define double @f(double %x) {\n  %y = fadd double %x, %x\n  ret double %y\n}\n"
    assert text in opt(text)


def test_other_functions_keep_linkage_and_body():
    """Only copies are optimised: what the program calls itself stays as it was compiled."""
    made = opt(SQUARE.read_text())
    assert "define dso_local double @square(double noundef %0)" in made
    assert "store double %0, ptr %2" in made


def test_markers_and_declarations_are_gone():
    made = opt((PROGRAMS / "dot_const.ll").read_text())
    assert "enzyme_const" not in made
    assert "__enzyme" not in made
    assert "@f.primal" not in made


def test_missing_file():
    code, out, err = command(["opt", "/nowhere/at/all.ll"])
    assert (code, out) == (1, "")
    assert err == "error: /nowhere/at/all.ll: No such file or directory\n"


def test_unwritable_target():
    code, _, err = command(["opt", str(SQUARE), "-o", "/nowhere/at/all.ll"])
    assert code == 1
    assert err.startswith("error: /nowhere/at/all.ll: ")


@pytest.mark.parametrize("arguments", [[], ["opt"], ["opt", "a", "--fast"], ["differentiate"]])
def test_usage(arguments):
    code, out, err = command(arguments)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert err.count("\n") == 1


def test_print_activity():
    code, _, err = command(["opt", str(PROGRAMS / "dot_const.ll"), "--print-activity", "f"])
    assert code == 0
    assert err.startswith("activity of @f")
    assert "active  ptr %x" in err
    assert "const   ptr %y" in err


def test_print_types():
    code, _, err = command(["opt", str(PROGRAMS / "gather.ll"), "--print-types", "f"])
    assert code == 0
    assert "%x: {[-1]:Pointer, [-1,-1]:Float@double}" in err
    assert "%k: {[-1]:Pointer, [-1,-1]:Integer}" in err


def test_print_of_an_unknown_function():
    code, _, err = command(["opt", str(SQUARE), "--print-types", "cube"])
    assert (code, err) == (1, "error: no call in the module differentiates @cube\n")


def test_repeated_use_in_one_process():
    """Nothing is kept between runs."""
    text = SQUARE.read_text()
    first = opt(text)
    module = JittedModule(opt(text.replace("@square", "@quadrat")), optimise=False)
    assert module.function("quadrat", ctypes.c_double, ctypes.c_double)(3.0) == 9.0
    assert opt(text) == first


def test_folder_of_the_header():
    code, out, err = command(["include"])
    assert (code, err) == (0, "")
    assert (Path(out.strip()) / "enzyme" / "enzyme").is_file()


def test_bitcode_through_streams(tmp_path):
    bitcode = llvmlite.binding.parse_assembly(SQUARE.read_text()).as_bitcode()
    done = subprocess.run(
        [sys.executable, "-m", "enzyme", "opt", "-"],
        cwd=ROOT,
        input=bitcode,
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    target = tmp_path / "square.ll"
    target.write_bytes(done.stdout)
    assert run_main(target) == EXPECTED

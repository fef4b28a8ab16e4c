"""``python -m enzyme clang``: what a call of clang makes, with derivatives in it."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from enzyme.backend.jit import JittedModule
from enzyme.frontdoor.clang import find_clang
from enzyme.frontdoor.clang_options import read_words

ROOT = Path(__file__).resolve().parents[2]
EXHAUSTIVE = bool(os.environ.get("EXHAUSTIVE"))
# Zig compiles the run times that it links first, which takes longer than all other tests here.
links = pytest.mark.skipif(
    not EXHAUSTIVE and shutil.which("clang") is None, reason="nothing is linked without clang"
)
needs_clang = pytest.mark.skipif(find_clang() is None, reason="there is no clang")

ENERGY = """#include <math.h>
#include "scale.h"
static double half(double x) { return SCALE * x; }
double energy(const double *x, int n) {
  double s = 0;
  for (int i = 0; i < n; i++) s += sin(x[i]) * half(x[i]);
  return s;
}
"""
MAIN = """#include <stdio.h>
double energy(const double *x, int n);
extern void __enzyme_autodiff(void *, ...);
static double half(double x) { return x / 2; }
int main(void) {
  double x[2] = {1.5, half(4)}, d[2] = {0, 0};
  int unused;
  __enzyme_autodiff((void *)energy, x, d, 2);
  printf("%.6f %.6f\\n", d[0], d[1]);
}
"""
PRINTED = "0.551800 0.038502"  # (sin x + x cos x) / 2 at 1.5 and 2
FUNCTIONS = """#include <functional>
#include <vector>
template <class R, class... A> R __enzyme_autodiff(A...);
double f(const double *x, int n) {
  std::vector<std::function<double(double)>> v;
  for (int i = 0; i < n; i++) v.push_back([c = x[i]](double t) { return c * t; });
  double s = 1;
  for (auto &g : v) s = g(s);
  return s;
}
void gradient(double *x, double *d, int n) { __enzyme_autodiff<void>((void *)f, x, d, n); }
"""
WITH_GRADIENT = (
    ENERGY
    + """
extern void __enzyme_autodiff(void *, ...);
void gradient(const double *x, double *d, int n) { __enzyme_autodiff((void *)energy, x, d, n); }
"""
)
CALLER = """#include <stdio.h>
void gradient(const double *x, double *d, int n);
int main(void) {
  double x[2] = {1.5, 2}, d[2] = {0, 0};
  gradient(x, d, 2);
  printf("%.6f %.6f\\n", d[0], d[1]);
}
"""
CUBE = """declare double @__enzyme_autodiff(...)
define double @cube(double %x) {
  %s = fmul double %x, %x
  %r = fmul double %s, %x
  ret double %r
}
define double @slope(double %x) {
  %r = call double (...) @__enzyme_autodiff(ptr @cube, double %x)
  ret double %r
}
"""
CPP = """#include <enzyme/enzyme>
#include <cstdio>
template <class T> struct Spring {
  T stiffness;
  virtual T energy(T x) const { return stiffness * x * x / 2; }
};
double total(double x) {
  Spring<double> spring;
  spring.stiffness = 3;
  return spring.energy(x);
}
extern "C" double force() {
  return enzyme::get<0>(enzyme::get<0>(enzyme::autodiff<enzyme::Reverse>(total, enzyme::active{2.0})));
}
#ifdef PROGRAM
int main() { std::printf("%.6f\\n", force()); }
#endif
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "include").mkdir()
    (tmp_path / "include" / "scale.h").write_text("#define SCALE 0.5\n")
    for name, text in {
        "energy.c": ENERGY,
        "main.c": MAIN,
        "gradient.c": WITH_GRADIENT,
        "caller.c": CALLER,
        "spring.cpp": CPP,
    }.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def call(folder, *words, program="clang"):
    return subprocess.run(
        [sys.executable, "-m", "enzyme", program, *words],
        cwd=folder,
        env=dict(os.environ, PYTHONPATH=str(ROOT)),
        capture_output=True,
        text=True,
        check=False,
    )


def output_of(program):
    return subprocess.run([program], capture_output=True, text=True, check=True).stdout.strip()


@needs_clang
@links
@pytest.mark.parametrize("level", ["-O0", "-O2"])
def test_a_program_of_two_sources(folder, level):
    """A function is differentiated in another file than its own; clang's warning comes through."""
    done = call(folder, level, "-Iinclude", "-Wall", "main.c", "energy.c", "-lm", "-o", "program")
    assert (done.returncode, done.stdout) == (0, "")
    assert "unused variable 'unused'" in done.stderr
    assert output_of(folder / "program") == PRINTED


@needs_clang
@links
def test_an_object_beside_another(folder):
    """An object with derivatives in it, linked with what clang compiles in the same call."""
    assert call(folder, "-O1", "-I", "include", "-c", "gradient.c").returncode == 0
    done = call(folder, "gradient.o", "caller.c", "-lm", "-oprogram")
    assert (done.returncode, done.stderr) == (0, "")
    assert output_of(folder / "program") == PRINTED


@needs_clang
def test_numbers(folder):
    done = call(folder, "-O1", "-Iinclude", "-S", "-emit-llvm", "gradient.c", "-MD")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert (folder / "gradient.d").read_text().startswith("gradient.ll:")
    module = JittedModule((folder / "gradient.ll").read_text(), optimise=False)
    x, d = (ctypes.c_double * 2)(1.5, 2), (ctypes.c_double * 2)()
    kinds = [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int]
    module.function("gradient", None, *kinds)(ctypes.addressof(x), ctypes.addressof(d), 2)
    assert f"{d[0]:.6f} {d[1]:.6f}" == PRINTED


@needs_clang
def test_what_is_emitted(folder):
    """The kind of file that was asked for, under clang's name for it."""
    begins = {
        ("-c",): ("spring.o", b"\x7fELF"),
        ("-S", "-emit-llvm"): ("spring.ll", b"; ModuleID"),
        ("-c", "-emit-llvm"): ("spring.bc", b"BC\xc0\xde"),
        ("-S",): ("spring.s", b"\t."),
    }
    for words, (name, begin) in list(begins.items())[: 4 if EXHAUSTIVE else 1]:
        done = call(folder, *words, "-O1", "-std=c++17", "spring.cpp")
        assert (done.returncode, done.stderr) == (0, ""), words
        made = (folder / name).read_bytes()
        assert made.startswith(begin), words
        assert b"__enzyme_" not in made, words


@needs_clang
def test_standard_input_and_output(folder):
    """What the name `-` stands for, for IR of ours and for each kind of output."""
    (folder / "cube.ll").write_text(CUBE)
    begins = {
        ("-S", "-emit-llvm"): b"; ModuleID",
        ("-c",): b"\x7fELF",
        ("-S",): b"\t.",
        ("-c", "-emit-llvm"): b"BC\xc0\xde",
    }
    for words, begin in list(begins.items())[: 4 if EXHAUSTIVE else 1]:
        for source in ("cube.ll", "-"):
            call_ = [sys.executable, "-m", "enzyme", "clang", "-Wno-override-module", *words]
            done = subprocess.run(
                [*call_, "-x", "ir", source, "-o", "-"],
                cwd=folder,
                env=dict(os.environ, PYTHONPATH=str(ROOT)),
                input=CUBE.encode(),
                capture_output=True,
                check=False,
            )
            assert (done.returncode, done.stderr) == (0, b""), words
            assert done.stdout.startswith(begin), words
            assert b"__enzyme_" not in done.stdout
            assert not (folder / "-").exists()


@needs_clang
@links
def test_a_program_in_cpp(folder):
    done = call(folder, "-DPROGRAM", "-std=c++17", "spring.cpp", "-o", "program", program="clang++")
    assert (done.returncode, done.stderr) == (0, "")
    assert output_of(folder / "program") == "6.000000"


@needs_clang
@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2"] if EXHAUSTIVE else ["-O1"])
def test_debug_information(folder, level):
    """A debugger is told of variables that hold markers: that is no use of a marker."""
    done = call(folder, "-g", level, "-S", "-emit-llvm", "-std=c++17", "spring.cpp", "-o", "-")
    assert (done.returncode, done.stderr) == (0, "")
    assert '!DILocalVariable(name: "spring"' in done.stdout


@needs_clang
@needs_clang
def test_members_of_types_that_have_a_name_in_all_modules(folder):
    """LLVM's tables of debug information stop the process where it meets them twice."""
    (folder / "functions.cpp").write_text(FUNCTIONS)
    done = call(folder, "-g", "-O1", "-S", "-emit-llvm", "-std=c++17", "functions.cpp", "-o", "-")
    assert (done.returncode, done.stderr) == (0, "")
    assert "!DICompositeType" in done.stdout


def test_clangs_errors_are_clangs(folder):
    (folder / "wrong.c").write_text("int main(void) { return missing; }\n")
    done = call(folder, "wrong.c", "-o", "program")
    assert done.returncode == 1
    assert "wrong.c:1:25: error: use of undeclared identifier 'missing'" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (folder / "program").exists()


@needs_clang
def test_our_errors_are_one_line(folder):
    done = call(folder, "main.c", "-c", "-o", "main.o")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == (
        "error: call of @__enzyme_autodiff in @main: @energy is only declared: its body is needed\n"
    )
    assert not (folder / "main.o").exists()
    done = call(folder, "main.c", "energy.c", "-c", "-o", "both.o")
    assert done.returncode == 1
    assert done.stderr.startswith("error: -o with -c and several sources")


@needs_clang
def test_what_does_not_compile_is_clangs(folder):
    done = call(folder, "-E", "-DMINE=17", "-x", "c", "-P", "include/scale.h")
    assert done.returncode == 0
    assert done.stdout.strip() == ""


@pytest.mark.parametrize(
    ("words", "wanted"),
    [
        ("-O2 a.c -lm -o a", {"sources": [("a.c", "c")], "output": "a", "linked": ["a.c", "-lm"]}),
        ("-x c++ a.h -x none b.c", {"sources": [("a.h", "c++"), ("b.c", "c")]}),
        ("-xc++ a.c", {"sources": [("a.c", "c++")], "after": []}),
        ("-I a.c -include b.c c.cpp", {"sources": [("c.cpp", "c++")]}),
        ("-Xclang -fast -mllvm -x.c a.ll b.bc", {"sources": [("a.ll", "ir"), ("b.bc", "ir")]}),
        ("a.o libb.a c.so d.cc", {"linked": ["a.o", "libb.a", "c.so", "d.cc"]}),
        ("-MD -MF d -c a.c", {"dependencies": ["-M", "-MF", "d"], "stage": "-c"}),
        (
            "-fPIC -shared -Wl,-z,now a.c",
            {"linked": ["-shared", "-Wl,-z,now", "a.c"], "after": ["-fPIC"]},
        ),
        ("--version", {"other": True}),
    ],
)
def test_words(words, wanted):
    found = read_words(words.split())
    assert {name: getattr(found, name) for name in wanted} == wanted

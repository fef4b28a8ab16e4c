"""What machine code calls on its own: arithmetic that the processor does not have, from the compiler's runtime."""

import ctypes

import pytest

from enzyme.backend.emit import object_of
from enzyme.backend.jit import JittedModule
from enzyme.backend.objects import UnresolvedSymbolError, undefined
from enzyme.backend.passes import parse
from enzyme.errors import EnzymeError
from enzyme.llvm import autodiff, load
from enzymecore import Active, Const, Forward, Reverse
from enzymecore import Duplicated as Dual

# name: (IR of f(double x, i64 n), slope of f in x at x = 1.5, n = 3)
PROGRAMS = {
    "power": (
        """
        declare double @llvm.powi.f64.i32(double, i32)
        define double @f(double %x, i64 %n) {
          %k = trunc i64 %n to i32
          %r = call double @llvm.powi.f64.i32(double %x, i32 %k)
          ret double %r
        }""",
        3 * 1.5**2,
    ),
    "quotient of 128 bits": (
        """
        define double @f(double %x, i64 %n) {
          %w = zext i64 %n to i128
          %m = mul i128 %w, 1000000000000000000000
          %s = add i128 %w, 2
          %q = sdiv i128 %m, %s
          %d = sitofp i128 %q to double
          %r = fmul double %x, %d
          ret double %r
        }""",
        6e20,
    ),
    "float of 128 bits": (
        """
        define double @f(double %x, i64 %n) {
          %w = fpext double %x to fp128
          %k = sitofp i64 %n to fp128
          %p = fmul fp128 %w, %w
          %q = fdiv fp128 %p, %k
          %r = fptrunc fp128 %q to double
          ret double %r
        }""",
        1.0,
    ),
    "half": (
        """
        define double @f(double %x, i64 %n) {
          %w = fptrunc double %x to half
          %p = fmul half %w, %w
          %r = fpext half %p to double
          ret double %r
        }""",
        3.0,
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_both_modes_find_it(name):
    text, slope = PROGRAMS[name]
    module = load(text)
    (adjoints,) = autodiff(Reverse, module.f, Active, Active(1.5), Const(3))
    assert adjoints[0] == pytest.approx(slope, rel=1e-15)
    (tangent,) = autodiff(Forward, module.f, Dual(1.5, 1.0), Const(3))
    assert tangent == pytest.approx(slope, rel=1e-15)


def test_what_is_nowhere_is_an_error():
    module = load("""
        declare double @nowhere()
        define double @f() {
          %r = call double @nowhere()
          ret double %r
        }""")
    with pytest.raises(EnzymeError, match="not defined in this process: nowhere"):
        module.f()


def test_what_only_the_code_generator_calls_is_an_error_too(monkeypatch):
    """Nothing declares it; without it LLVM would end the process."""
    monkeypatch.setattr(
        "enzyme.backend.symbols.missing", lambda names: [n for n in names if n == "__divti3"]
    )
    text, _ = PROGRAMS["quotient of 128 bits"]
    with pytest.raises(UnresolvedSymbolError, match="__divti3"):
        JittedModule(text)


def test_an_object_tells_what_it_lacks():
    text, _ = PROGRAMS["power"]
    assert "__powidf2" in undefined(object_of(parse(text)))


def test_a_library_that_is_loaded_is_found():
    """As the error says: a library whose names all may see."""
    assert ctypes.CDLL("libm.so.6", mode=ctypes.RTLD_GLOBAL)
    module = load("""
        declare double @logb(double)
        define double @f(double %x) {
          %r = call double @logb(double %x)
          ret double %r
        }""")
    assert module.f(8.0) == 3.0

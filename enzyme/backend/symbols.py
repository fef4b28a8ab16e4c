"""Makes C library functions known to the JIT by name.

MCJIT looks names up in the process first; the mathematics library is not always among what the
process exports. Higher layers register what only they know (numba's runtime) with `register`.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
from collections.abc import Iterable

import llvmlite.binding as llvm

from enzyme.backend.call_sites import CallMismatchError

_REAL = """
acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf erfc exp exp10 exp2 expm1
fabs fdim floor fma fmax fmin fmod frexp hypot ilogb j0 j1 jn ldexp lgamma llrint llround log log10
log1p log2 logb lrint lround modf nearbyint nextafter nexttoward pow remainder remquo rint round
scalbln scalbn sin sincos sinh sqrt tan tanh tgamma trunc y0 y1 yn
""".split()
_COMPLEX = """
cabs cacos cacosh carg casin casinh catan catanh ccos ccosh cexp cimag clog conj cpow cproj creal
csin csinh csqrt ctan ctanh
""".split()
_MEMORY = """
malloc calloc realloc free posix_memalign aligned_alloc memcpy memmove memset memcmp strlen
printf puts putchar abort exit
""".split()


def libm_names() -> tuple[str, ...]:
    """Names of the mathematics library in double, float and long double."""
    return tuple(name + suffix for name in (*_REAL, *_COMPLEX) for suffix in ("", "f", "l"))


@functools.cache
def _libraries() -> tuple[ctypes.CDLL, ...]:
    found = [ctypes.CDLL(None)]
    for stem in ("m", "c"):
        path = ctypes.util.find_library(stem)
        if path:
            try:
                found.append(ctypes.CDLL(path))
            except OSError:
                continue
    return tuple(found)


def address_of(name: str) -> int | None:
    """Address of a C library function in this process; None if there is none."""
    known = llvm.address_of_symbol(name)
    if known:
        return known
    for library in _libraries():
        try:
            function = getattr(library, name)
        except AttributeError:
            continue
        return ctypes.cast(function, ctypes.c_void_p).value
    return None


_shapes: dict[str, str] = {}


def register(name: str, address: int, shape: str = "") -> None:
    """Let every JIT of the process resolve `name`; with the type of the function, calls are compared with it."""
    llvm.add_symbol(name, address)
    if shape:
        _shapes[name] = shape


def register_from(module: llvm.ModuleRef, name: str, address: int) -> None:
    """Let every JIT of the process resolve a function that a loaded module defines."""
    register(name, address, str(module.get_function(name).global_value_type))


def check_shapes(module: llvm.ModuleRef) -> None:
    """Raise `CallMismatchError` unless the module declares registered functions as they are."""
    for function in module.functions:
        shape = _shapes.get(function.name, "") if function.is_declaration else ""
        if shape and shape != str(function.global_value_type):
            raise CallMismatchError(
                f"@{function.name} is {shape}, and declared as {function.global_value_type}"
            )


@functools.cache
def register_libc() -> frozenset[str]:
    """Register C's mathematics and memory functions once; names that the host lacks."""
    missing = set()
    for name in (*libm_names(), *_MEMORY):
        if llvm.address_of_symbol(name):
            continue
        address = address_of(name)
        if address is None:
            missing.add(name)
        else:
            register(name, address)
    return frozenset(missing)


def unresolved(module: llvm.ModuleRef, provided: Iterable[str] = ()) -> tuple[str, ...]:
    """Declarations of `module` for which the JIT would find nothing; loading would abort."""
    register_libc()
    known = set(provided)
    names = []
    for symbol in (*module.functions, *module.global_variables):
        name = symbol.name
        if not symbol.is_declaration or name.startswith("llvm.") or name in known:
            continue
        if address_of(name) is None:
            names.append(name)
    return tuple(names)

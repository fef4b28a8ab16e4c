"""The words that formulas of linear algebra are written in; `compiler` turns such functions into IR.

A formula is a function of Python's with annotations. It is read, never run, and written once for the four kinds of
numbers. What it may use: assignments, `for` over `range` with a constant step, `if`, `return`, arithmetic, comparisons,
subscripts of pointers (`a[i]`), a pointer and a distance (`a + i`), calls of other formulas, and the functions below.
Integers have 64 bits, `/` divides numbers and `//` integers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

Number = Any  # of the kind: a real or a complex number
Real = Any  # a real number of the same precision
Single = Any  # a float, whatever the kind
Double = Any
Numbers = Any  # a pointer to them
Reals = Any
Singles = Any
Doubles = Any
Integers = Any  # to integers of the library: 32 or 64 bits
Letter = str  # a character, or a value of an enumeration of CBLAS, as a capital letter

_F = TypeVar("_F", bound=Callable[..., Any])
FORMULAS: dict[str, Callable[..., Any]] = {}
INLINED: set[str] = set()
DISJOINT: set[str] = set()


def formula(function: _F) -> _F:
    """A formula whose pointers may lead to the same memory."""
    FORMULAS[function.__name__] = function
    return function


def disjoint(function: _F) -> _F:
    """A formula that writes nothing that it reaches through another pointer."""
    DISJOINT.add(function.__name__)
    return formula(function)


def inlined(function: _F) -> _F:
    """A formula that is always put in place, so that letters which are constants there choose."""
    INLINED.add(function.__name__)
    return formula(function)


def _word(*operands: Any) -> Any:
    raise TypeError("formulas are compiled, not called")


is_complex: Any = _word  # is the kind one of complex numbers? known when the formula is compiled
known: Any = _word  # is a number a constant of the program, which has no derivative?
conj: Any = _word  # the conjugate
conj_if: Any = _word  # the conjugate where the first operand holds
real: Any = _word
imag: Any = _word
pair: Any = _word  # a number with these parts, of which a real kind has the first
zero: Any = _word  # of the kind
single: Any = _word  # a float, whatever the kind
double: Any = _word
sqrt: Any = _word
copysign: Any = _word
scratch: Any = _word  # memory for so many numbers, which is not cleared
free: Any = _word
product: Any = _word  # gemm by its operands, as one call: letters are constants
norm: Any = _word  # nrm2 of so many numbers with a positive stride
integer: Any = _word  # the integer behind a pointer of the library's
set_integer: Any = _word  # pointer, place, integer
precision: Any = _word  # the distance from one to the next real number
not_a_number: Any = _word
floor: Any = _word
steep: Any = _word  # of zero, zero, and the derivative of that is infinite
upscale: Any = _word  # a factor that makes all numbers whole but those that are tiny
reals: Any = _word  # as `scratch`, for reals
integers: Any = _word  # and for integers of the library
library: Any = _word  # a routine of the engine's by its name, which calls the program's library
fortran: Any = (
    _word  # a routine of the program's library, by the name behind the letter of the kind
)
in_complex: Any = _word  # a formula for the complex numbers of this precision, by its name

"""`cfunc_address`: compiled functions for those who call by an address, solvers in C above all."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-any-return"

from __future__ import annotations

from collections.abc import Callable, Iterator
from threading import RLock
from typing import Any

import numba
import numpy as np
from numba.core import types
from numba.core.errors import NumbaError

from enzyme.api.places import reason
from enzyme.api.values import closure, jitted
from enzyme.errors import ActivityError
from enzyme.functional.arguments import signature_of
from enzyme.functional.c_prototypes import Parameter, Prototype, is_float, prototype_of


class CAddress(int):
    """The address of a C function, a number; `ctypes` is the same as a function of ctypes."""

    ctypes: Any
    prototype: str

    def __reduce__(self) -> Any:
        raise TypeError("an address means nothing in another process: call cfunc_address there")


# What was compiled for C stays as long as the process does: who was given an address cannot be asked.
_kept: dict[Any, CAddress] = {}
_lock = RLock()


def cfunc_address(f: Callable[..., Any], signature: Any) -> CAddress:
    """The address of a C function that calls a function, derivatives included.

    Parameters
    ----------
    f
        A function that numba compiles, or what `grad`, `value_and_grad`, `hessian` and their relatives return for one.
    signature
        The prototype as text, with the sizes of arrays: ``"double(int n, const double x[n], double slope[n])"``.
        Numbers and ``const`` arrays are the arguments of `f`, in their order. What it returns goes to the return value,
        if that is a float, and then to the other arrays, in their order. See the notes. Of a function of numbers alone
        it may be numba's signature, ``float64(float64, float64)``.

    Returns
    -------
    CAddress
        A number, for ctypes, cffi, Cython or C. Its attribute `ctypes` can be called, and goes into
        `scipy.LowLevelCallable`. The code stays as long as the process does, and is compiled once for each function and
        prototype.

    Raises
    ------
    ActivityError
        If the prototype does not fit the function.
    EnzymeError
        As `gradient`.

    Notes
    -----
    * A size is a number, or the name of a parameter that is a whole number; such a parameter is not passed to `f`.
    * ``double *x`` is a place for one number, ``void *data`` is not passed on, names of numbers may be left out.
    * Matrices lie in memory as in C, ``double a[n][m]`` row by row.
    * If `f` takes as many arguments as there are parameters of both kinds, it gets all arrays and writes to them
      itself.
    * There is nobody to whom a callback could complain. Where `f` raises, or returns an array of another shape, a float
      that is returned is nan, and so are all numbers in the arrays for results. A whole number that is returned says
      whether it succeeded: 0, or -1 where it raised.

    Examples
    --------
    >>> import numpy as np
    >>> from enzyme import cfunc_address, value_and_grad
    >>> def valley(x):
    ...     return (1.0 - x[0]) ** 2 + 100.0 * (x[1] - x[0] ** 2) ** 2
    >>> address = cfunc_address(value_and_grad(valley), "double(int n, const double x[n], double slope[n])")
    >>> x, slope = np.array([0.0, 1.0]), np.empty(2)
    >>> address.ctypes(2, *map(np.ctypeslib.as_ctypes, (x, slope))), slope
    (101.0, array([ -2., 200.]))
    """
    prototype = prototype_of(signature)
    call = _Body(f, prototype)
    key = jitted(f, len(call.arguments)), prototype.text
    with _lock:
        if key not in _kept:
            kept_cfunc(call.made(), prototype.signature, key, prototype.text)
        return _kept[key]


def kept_cfunc(function: Any, signature: Any, key: Any, text: str) -> CAddress:
    """A jitted function as one of C, for as long as the process runs."""
    compiled: Any = numba.cfunc(signature)(function.py_func)
    address = CAddress(compiled.address)
    address.ctypes = compiled.ctypes
    address.ctypes.made_of = compiled
    address.prototype = text
    _kept[key] = address
    return address


class _Body:
    """The function that numba's `cfunc` compiles: what it passes to `f`, and where results go."""

    def __init__(self, f: Any, prototype: Prototype) -> None:
        self.f = f
        self.prototype = prototype
        read = [one for one in prototype.passed if one.is_read or not one.is_pointer]
        written = [one for one in prototype.passed if one not in read]
        self.arguments = read
        self.places = written
        if _takes(f, len(read)):
            return
        if not _takes(f, len(prototype.passed)):
            raise self._misfit(
                f"it does not take {len(read)} arguments, as many as the prototype has numbers and const arrays"
            )
        self.arguments, self.places = prototype.passed, []

    def made(self) -> Any:
        """The jitted function of the parameters."""
        inner = jitted(self.f, len(self.arguments))
        given = tuple(map(_given_type, self.arguments))
        try:
            inner.compile(given)
        except NumbaError as error:
            raise self._misfit(
                f"numba cannot compile it for {', '.join(map(str, given))}: {reason(error)}"
            ) from error
        leaves = list(_leaves(inner.overloads[given].signature.return_type, "r"))
        lines = [
            f"{one.name} = carray({one.name}_at, ({', '.join(one.sizes or ('1',))},))"
            for one in self.prototype.passed
            if one.is_pointer
        ]
        lines += ["try:", f"    r = f({', '.join(map(_passed, self.arguments))})"]
        lines += [f"    {line}" for line in self._results(leaves)]
        lines += ["except Exception:"]
        lines += [f"    {one.name}[...] = np.nan" for one in self.places if is_float(one.number)]
        lines.append(f"    {self._failed()}")
        names = [
            f"{one.name}_at" if one.is_pointer else one.name for one in self.prototype.parameters
        ]
        return closure(
            inner,
            ", ".join(names),
            "\n        ".join(lines),
            "c_function",
            np=np,
            carray=numba.carray,
        )

    def _results(self, leaves: list[tuple[str, Any]]) -> Iterator[str]:
        """The lines that put results where they belong."""
        returns, rest = self.prototype.returns, list(leaves)
        back = "return 0" if returns != types.void else "return"
        if is_float(returns):
            if not rest or isinstance(rest[0][1], types.Array):
                raise self._misfit("what it returns does not begin with a number")
            back = f"return {rest.pop(0)[0]}"
        if len(rest) != len(self.places):
            raise self._misfit(
                f"it returns {len(leaves)} numbers and arrays, and the prototype has places for "
                f"{len(self.places) + is_float(returns)}"
            )
        for one, (source, ty) in zip(self.places, rest, strict=True):
            if isinstance(ty, types.Array):
                if ty.ndim != one.ndim:
                    raise self._misfit(f"{one.name} has another number of axes than {ty}")
                yield f"if {source}.shape != {one.name}.shape:"
                yield "    raise ValueError('another shape')"
                yield f"{one.name}[...] = {source}"
            elif not one.ndim:
                yield f"{one.name}[0] = {source}"
            else:
                raise self._misfit(f"{one.name} is an array, and it returns a number there")
        yield back

    def _failed(self) -> str:
        returns = self.prototype.returns
        if returns == types.void:
            return "return"
        return "return np.nan" if is_float(returns) else "return -1"

    def _misfit(self, why: str) -> ActivityError:
        name = getattr(self.f, "__name__", repr(self.f))
        return ActivityError(
            what=f"{name} as a C function {self.prototype.text!r}",
            why=why,
            todo="numbers and const arrays are arguments, other arrays take what it returns: change the prototype, or "
            "wrap the function in one that fits",
        )


def _takes(f: Any, count: int) -> bool:
    try:
        signature_of(f).bind(*range(count))
    except TypeError:
        return False
    return True


def _is_number(one: Parameter) -> bool:
    """Is it passed as a number, perhaps one that a pointer leads to?"""
    return not one.is_pointer or (one.is_read and not one.ndim)


def _given_type(one: Parameter) -> Any:
    return one.number if _is_number(one) else types.Array(one.number, one.ndim or 1, "C")


def _passed(one: Parameter) -> str:
    return f"{one.name}[0]" if one.is_pointer and _is_number(one) else one.name


def _leaves(ty: Any, source: str) -> Iterator[tuple[str, Any]]:
    """The numbers and arrays in a result of numba's type `ty`, in their order."""
    if isinstance(ty, types.BaseTuple):
        for k, part in enumerate(ty.types):
            yield from _leaves(part, f"{source}[{k}]")
    elif ty != types.none:
        yield source, ty

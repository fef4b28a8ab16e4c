"""Fourier transforms inside of compiled code, which the package ``rocket-fft`` gives numba.

Its code for ``np.fft.fft`` is a call into a library, which the engine cannot see into. Our target calls a function
of the same parameters in its place, jitted and with rules (`enzyme.ruled.transforms`), which computes what the package
computes. Nothing is done before a program has imported the package.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def, no-untyped-call, untyped-decorator"

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from typing import Any

from numba.core import types, typing
from numba.extending import intrinsic

PACKAGE = "rocket_fft"
# Modules and their functions.
_NUMPY = """
    fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn fftshift ifftshift fftfreq rfftfreq
""".split()
_SCIPY = "hfft2 ihfft2 hfftn ihfftn dct idct dst idst dctn idctn dstn idstn".split()
MODULES = {"numpy.fft": _NUMPY, "scipy.fft": [*_NUMPY, *_SCIPY]}

_load: list[Callable[[], Mapping[Any, Any]]] = []
_stand_ins: dict[Any, Any] = {}
_seen: set[str] = set()


def ruled_by(load: Callable[[], Mapping[Any, Any]]) -> None:
    """Say where the functions with rules come from, by the functions that they stand for."""
    _load[:] = [load]


def stand_in(value: Any) -> Any:
    """What our target calls in place of a function: `value` itself, if it is no transform."""
    if PACKAGE not in sys.modules or not _load or not callable(value):
        return value
    for name, functions in MODULES.items():
        if name in sys.modules and name not in _seen:
            _seen.add(name)
            module = sys.modules[name]
            _stand_ins.update((getattr(module, each), (name, each)) for each in functions)
    try:
        found = _stand_ins.get(value)
    except TypeError:  # has no hash
        return value
    return value if found is None else _load[0]()[found]


def original(function: Any, parameters: str, left_out: Mapping[str, Any]) -> Any:
    """In compiled code: what the package computes, of all its parameters but those left out, for defaults."""
    names = parameters.split()
    asked_for = [name for name in names if name not in left_out]

    def in_order(given: Any, omitted: Callable[[Any], Any]) -> list[Any]:
        found = dict(zip(asked_for, given, strict=True))
        return [omitted(left_out[name]) if name in left_out else found[name] for name in names]

    def typed(typingctx, *given):
        # The context of our target would put the function with rules there.
        theirs = typing.Context.resolve_value_type(typingctx, function)
        asked = typingctx.resolve_function_type(theirs, tuple(in_order(given, types.Omitted)), {})

        def emit(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            values = in_order(args, lambda _: context.get_dummy_value())
            return context.get_function(theirs, asked)(builder, values)

        return asked.return_type(*given), emit

    scope: dict[str, Any] = {"typed": typed}
    listed = ", ".join(asked_for)
    exec(f"def original(typingctx, {listed}):\n    return typed(typingctx, {listed})", scope)
    return intrinsic(scope["original"])

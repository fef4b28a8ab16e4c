"""Functions with ``cache=True`` that call derivatives: numba keeps their code, derivatives included, in its own files.

Numba finds a file by the byte code and the source of the caller alone. So a guard goes into the file with the code: it
is made anew when numba reads the file, looks whether what the derivatives were made of and by is still the same, and
says that there is no file where it is not. It also provides what the code calls.
"""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type"

from __future__ import annotations

import hashlib
import logging
import sys
import types as pytypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numba.core import cgutils, types

from enzyme.api.kept import check_unchanged
from enzyme.disk import made_by, switch
from enzyme.disk.fingerprint import Fingerprint, Unknown, of_library
from enzyme.frontend.named_calls import is_known
from enzyme.frontend.numba_compat.callables import FunctionCache, cached_function
from enzyme.frontend.numba_compat.code import ENVIRONMENT, Environment, named_environment
from enzyme.frontend.numba_compat.contents import add_extensions
from enzyme.frontend.thunks import Needs, bound_to_process, needs_of
from enzymecore import Mode

_logger = logging.getLogger("enzyme")
_PLAIN = (type(None), bool, int, float, complex, str, np.generic, np.dtype, Mode, types.Type)
# What numba links or has by itself.
_ALWAYS_THERE = ("_ZN", "NRT_", "Py", "_Py", "llvm.", "numba_")
Path = tuple[str, str]


class StaleFileError(OSError):
    """Tells numba that a file is not there, so that it compiles."""


@dataclass(frozen=True)
class Origin:
    """The functions of the user's that derivatives are made of: module and name of each, and a digest of them all."""

    paths: tuple[Path, ...]
    digest: str

    def is_current(self) -> bool:
        """Are the functions, and what derivatives are made by, still the same?"""
        try:
            return digest_of(self.paths).digest() == self.digest
        except (Unknown, RecursionError):
            return False


@dataclass(frozen=True)
class Guard:
    """What is in the file of a caller."""

    origin: Origin
    needs: Needs

    def __reduce__(self) -> Any:
        # Whoever changed a value between compilation and here gets a file that is never used.
        caller = _digest_of_caller() if self.origin.is_current() else ""
        return _checked, (self.origin.paths, self.origin.digest, caller, self.needs)


def _digest_of_caller() -> str:
    """A digest of the function that numba writes to a file, or reads, at present: also which function it asks the
    derivative of, with respect to what, and in which mode. "" where it cannot be told."""
    frame = sys._getframe(1)
    while frame is not None and not isinstance(frame.f_locals.get("self"), FunctionCache):
        frame = frame.f_back  # type: ignore[assignment]
    if frame is None:
        return ""
    found = Fingerprint()
    try:
        found.add(cached_function(frame.f_locals["self"]))
    except (Unknown, RecursionError) as reason:
        _logger.debug("a caller of derivatives is never taken from a file: it holds %s", reason)
        return ""
    return found.digest()


def _checked(paths: tuple[Path, ...], digest: str, caller: str, needs: Needs) -> Guard:
    """The guard, when numba reads a file; an error that it takes for a missing file if the code is not to be used."""
    origin = Origin(paths, digest)
    shown = ", ".join(name for _, name in paths)
    if not caller or caller != _digest_of_caller() or not origin.is_current():
        _logger.debug("a file of numba's is not used: derivatives of %s would be others now", shown)
        raise StaleFileError(shown)
    missing = needs.provide()
    if missing:
        _logger.debug("a file of numba's is not used: there is no %s", ", ".join(missing))
        raise StaleFileError(shown)
    return Guard(origin, needs)


def origin_of(function: Any) -> Origin | None:
    """What derivatives of a jitted function are made of; None where that cannot be told in another process.

    Comes before anything is compiled for them.
    """
    if not switch.is_allowed():
        return None
    try:
        roots = list(dict.fromkeys(_roots(function)))
        paths = tuple((root.__module__ or "", root.__qualname__) for root in map(_plain, roots))
        for root, path in zip(roots, paths, strict=True):
            if _plain(_find(path)) is not _plain(root):
                raise Unknown(f"{path[1]}, which {path[0]} does not have by this name")
        found = digest_of(paths)
        for root in roots:
            check_unchanged(root, found)
    except (Unknown, RecursionError) as reason:
        _logger.debug("callers of derivatives of %s are in no file: %s", function.__name__, reason)
        return None
    return Origin(paths, found.digest())


def digest_of(paths: Sequence[Path]) -> Fingerprint:
    """A digest of functions as they are now, and of what derivatives are made by."""
    found = Fingerprint()
    found.note("made by", made_by.digest())
    add_extensions(found)
    for path in paths:
        found.note("function", ".".join(path))
        found.add(_find(path))
    return found


def _find(path: Path) -> Any:
    found: Any = sys.modules.get(path[0])
    for part in path[1].split("."):
        found = getattr(found, part, None)
    if found is None:
        raise Unknown(f"{path[1]}, which {path[0]} does not have")
    return found


def _plain(function: Any) -> Any:
    return getattr(function, "py_func", function)


def _roots(function: Any) -> Iterator[Any]:
    """The user's functions in what the library wrote around them."""
    plain = _plain(function)
    if not plain.__code__.co_filename.startswith("<enzyme"):
        yield function
        return
    for cell in plain.__closure__ or ():
        yield from _roots_in(cell.cell_contents)
    for name in plain.__code__.co_names:
        if name in plain.__globals__:
            yield from _roots_in(plain.__globals__[name])


def _roots_in(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for part in value:
            yield from _roots_in(part)
    elif isinstance(value, pytypes.ModuleType):
        if not of_library(value.__name__):
            raise Unknown(f"the module {value.__name__}")
    elif isinstance(_plain(value), pytypes.FunctionType):
        if not of_library(_plain(value).__module__ or ""):
            yield from _roots(value)
    elif not isinstance(value, _PLAIN) and not of_library(getattr(value, "__module__", "") or ""):
        raise Unknown(f"{value!r:.60}")


# In the caller's code -------------------------------------------------------------------------------


def let_cache_file(module: Any, origin: Origin, libraries: Sequence[Any]) -> bool:
    """Let numba write the caller to a file, with a guard for the derivatives in these libraries; False if it must not.

    `module` is the caller's, with the calls in it.
    """
    called = {name for library in libraries for name in library.called}
    called |= {each.name for each in module.functions if each.is_declaration}
    called -= {name for library in libraries for name in library.defined}
    outside = [n for n in called if is_known(n) or not n.startswith(_ALWAYS_THERE)]
    bound = bound_to_process(outside, ()) or next((b.bound for b in libraries if b.bound), "")
    if bound:
        _logger.debug("a caller of derivatives is in no file: it holds %s", bound)
        return False
    pieces = dict.fromkeys(piece for library in libraries for piece in library.pieces)
    guard = Guard(origin, needs_of(outside, pieces))
    told = hashlib.sha256(repr((origin, guard.needs.called, guard.needs.pieces)).encode())
    name = f"{ENVIRONMENT}enzyme{told.hexdigest()[:32]}"
    if name not in module.globals:
        place = cgutils.add_global_variable(module, cgutils.voidptr_t, name)
        place.initializer = cgutils.get_null_value(cgutils.voidptr_t)
        place.linkage = "weak_odr"  # stays, in callers of the caller too
        _guards[name] = named_environment(name, __name__, [guard])
    return True


_guards: dict[str, Environment] = {}

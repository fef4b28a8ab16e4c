"""Where derivatives are kept: a folder for all functions, or the user's own for those with ``cache=True``."""

from __future__ import annotations

import operator
import os
from pathlib import Path

from enzyme.disk.store import MOST_BYTES, Store

VARIABLE = "ENZYME_CACHE_DIR"
_everywhere: Store | bool | None = None  # False: nowhere


def cache(
    path: str | os.PathLike[str] | bool | None = True, *, max_bytes: int = MOST_BYTES
) -> Path | None:
    """Keep the derivatives of all functions on disk, so that other processes need not compile them again.

    Without it, derivatives of functions that are decorated with ``@njit(cache=True)`` are kept. The environment
    variable ``ENZYME_CACHE_DIR`` does the same as a call with its value.

    Parameters
    ----------
    path
        A folder, which is made; True for the user's own (``$XDG_CACHE_HOME/enzyme-autodiff``, where
        ``$XDG_CACHE_HOME`` is ``~/.cache`` unless it is set). False keeps nothing, ``cache=True`` or not; None goes
        back to what the environment and the decorators say.
    max_bytes
        How many bytes the folder may have; what was not used for longest goes first.

    Returns
    -------
    Path or None
        The folder.

    Raises
    ------
    NotADirectoryError
        If there is a file of this name. A folder that cannot be made or written to is none: nothing is kept, and
        ``ENZYME_LOG=1`` says so.
    ValueError
        If `max_bytes` is negative.

    Notes
    -----
    A derivative is found by what it was made from, byte code, global values, captured values, types and rules of the
    function and of all that it calls, and by what it was made by. What cannot be told by its content, as the class
    of a user's own type, is not kept; ``ENZYME_LOG=1`` says why. Files that others could have written are not read.

    Examples
    --------
    >>> import tempfile
    >>> from enzyme import Active, Reverse, autodiff, cache
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     kept = cache(folder)
    ...     autodiff(Reverse, lambda x: x * x, Active, Active(3.0))
    ...     kept.name in folder
    ((6.0,),)
    True
    >>> cache(None)
    """
    global _everywhere
    most = operator.index(max_bytes)
    if most < 0:
        raise ValueError(f"max_bytes is a number of bytes, not {most}")
    if path is None or path is False:
        _everywhere = None if path is None else False
        return None
    folder = _own() if path is True else Path(path).expanduser()
    if folder.exists() and not folder.is_dir():
        raise NotADirectoryError(
            f"{folder} is a file; give a folder, which is made if it is not there"
        )
    _everywhere = Store(folder, most)
    return _everywhere.folder


def store(cached: bool) -> Store | None:
    """Where the derivatives of a function are kept that is decorated with ``cache=True``, or not."""
    if _everywhere is not None:
        return None if isinstance(_everywhere, bool) else _everywhere
    named = os.environ.get(VARIABLE)
    if named:
        return Store(Path(named).expanduser())
    return Store(_own()) if cached else None


def is_allowed() -> bool:
    """May anything be kept at all?"""
    return _everywhere is not False


def _own() -> Path:
    named = os.environ.get(VARIABLE)
    if named:
        return Path(named).expanduser()
    home = os.environ.get("XDG_CACHE_HOME")
    return (Path(home) if home else Path.home() / ".cache") / "enzyme-autodiff"

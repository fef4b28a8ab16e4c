"""Notes on errors of numba's that it says without a way out: what users of derivatives meet in their first hour."""

from __future__ import annotations

import re

from numba.core.errors import NumbaError, UnsupportedBytecodeError

_SPECIAL = (
    "numba knows functions of scipy.special by numba-scipy (pip install numba-scipy) or by their addresses in"
    " scipy.special.cython_special; docs/functions.md says how, and which have derivatives"
)
# What the message says, and what to do.
HINTS = (
    (
        r"Cannot determine Numba type of <class 'numpy\.ufunc'>|Module\(<module 'scipy\.special'",
        _SPECIAL,
    ),
    (
        r"Module\(<module 'scipy\.linalg'",
        "numba compiles the functions of numpy.linalg, and none of scipy.linalg",
    ),
    (
        r"No implementation of function .*\n(.*\n)*? *>>> \w+\(.*(ListType|reflected list)\[",
        "a list has no arithmetic: pass an array, np.array(x)",
    ),
    (r"\(IMPORT_NAME\)", "move the import out of the function, to the top of the file"),
)


def add_hints(error: BaseException) -> None:
    """Add a note to an error of numba's that it belongs to."""
    if not isinstance(error, NumbaError | UnsupportedBytecodeError) or getattr(
        error, "__notes__", None
    ):
        return
    text = str(error)
    for pattern, hint in HINTS:
        if re.search(pattern, text):
            error.add_note(f"what to do: {hint}")


__all__ = ["HINTS", "add_hints"]

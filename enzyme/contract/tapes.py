"""The life of a tape, which split reverse mode hands from its first call to the second.

The first call makes it, with the storage of what it keeps, and the annotations of the call.  The second call takes
the storage, once: it must get the memory of the first, and frees the storage.  A tape that is dropped frees what
it has still.  It belongs to its thunk: there is a class, or type, of tapes for each.
"""

from __future__ import annotations

from enzyme.errors import EnzymeRuntimeException, ShadowLayoutError, ThunkCallError


def used_tape() -> EnzymeRuntimeException:
    """The error of the second call for a tape without its storage."""
    return EnzymeRuntimeException(
        what="this tape has been used already",
        why="the reverse call frees what the tape keeps",
        todo="call forward again for another tape",
    )


def other_tape(found: str) -> ThunkCallError:
    """The error for what is no tape of this thunk."""
    return ThunkCallError(
        what=f"{found} is not the tape of a call of this thunk",
        todo="pass the tape that forward gave",
    )


def other_shadow(what: str = "an argument has other memory") -> ShadowLayoutError:
    """The error for annotations other than those of the first call."""
    return ShadowLayoutError(
        what=f"{what} than in the forward call of this tape",
        why="the reverse call goes on with the memory of the forward call",
        todo="pass the same annotations to both calls",
    )


def no_travelling() -> TypeError:
    """The error where a tape is pickled or copied: of the class that packages which send things expect."""
    return TypeError(
        "a tape cannot be pickled or copied: it is memory of this process, to be used once. "
        "Make both calls where it is made: send the function and its arguments, or a function that makes both calls"
    )

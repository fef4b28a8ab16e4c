"""Stages are printed by the names that functions have in Python."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from enzyme.engine.synthesis import printing
from enzyme.engine.synthesis.printing import printer
from enzyme.frontend.names import spelled
from enzyme.support.watching import watch


@contextmanager
def print_after(stage: str, function: str | None = None) -> Iterator[None]:
    """Show the IR, or the facts, after a stage of every compilation inside the block, on standard error.

    The stages are listed in ``docs/architecture.md``. A derivative that was compiled before is not compiled again,
    so there is nothing to see of it; `enzyme.compile_report` compiles afresh. The environment variable
    ``ENZYME_PRINT_AFTER`` (``stage`` or ``stage:function``, several with commas between them) does the same for
    the whole life of a process.

    Parameters
    ----------
    stage
        The name of the stage.
    function
        Show this function only, and its derivatives; by default all that are differentiated.

    Raises
    ------
    ValueError
        If there is no such stage; the message lists all.

    Examples
    --------
    >>> import contextlib, sys
    >>> from enzyme import Active, Reverse, autodiff
    >>> from enzyme.api import print_after
    >>> def scaled(x, a):
    ...     return a * (x * x)
    >>> with contextlib.redirect_stderr(sys.stdout), print_after("cache_plan", "scaled"):
    ...     slope = autodiff(Reverse, scaled, Active, Active(3.0), Active(2.0))
    ; after cache_plan of @...scaled...
    cache plan of @...
      ...
      %... = fmul double %arg.x, %arg.x ...; recomputed
      ...
    """
    with watch(printer(stage, None if function is None else spelled(function))):
        yield


def print_as_asked() -> None:
    """From now on, do what the environment variable says."""
    printing.print_as_asked(spelled)

"""What numba must know before it compiles anything, imported then: most programs ask it for much less than that."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, method-assign"

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numba.core.registry import cpu_target

from enzyme.frontend.numba_compat.probes import expect_attributes, probe

_waiting: list[Callable[[], None]] = []


def before_compiling(load: Callable[[], None]) -> None:
    """Run `load` before numba compiles, or looks up how something is compiled, for the first time from now on."""
    if not _waiting:
        for context in (cpu_target.target_context, cpu_target.typing_context):
            context.refresh = _loading(context)
    _waiting.append(load)


def _loading(context: Any) -> Callable[[], None]:
    def refresh() -> None:
        load_now()
        context.refresh()

    return refresh


def load_now() -> None:
    """Run what waits."""
    if not _waiting:
        return
    found = _waiting[:]
    _waiting.clear()
    for context in (cpu_target.target_context, cpu_target.typing_context):
        vars(context).pop("refresh", None)
    for load in found:
        load()


@probe
def refreshing() -> None:
    """Numba refreshes its contexts before it compiles."""
    expect_attributes(type(cpu_target.target_context), "refresh")
    expect_attributes(type(cpu_target.typing_context), "refresh")

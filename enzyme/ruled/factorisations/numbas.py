"""Numba's own implementations as functions, which our target has others in place of."""

# numba is typed only at its public surface
# mypy: disable-error-code="attr-defined, name-defined, has-type, no-untyped-def"

from __future__ import annotations

from typing import Any

from numba.extending import overload

from enzyme.frontend.factorisations import IMPLEMENTED
from enzyme.frontend.numba_compat.releasing import ReleasingCompiler


def original(name: str, parameters: str) -> Any:
    """In compiled code: what numba computes for a function of these parameters."""
    scope: dict[str, Any] = {}
    exec(f"def {name}({parameters}): pass", scope)
    options: Any = {"pipeline_class": ReleasingCompiler}
    overload(scope[name], jit_options=options)(IMPLEMENTED[name])
    return scope[name]

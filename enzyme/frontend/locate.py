"""Line numbers for errors.

They exist only in modules compiled with `debug=True`, and the usual path pays nothing for them: when the engine
refuses a construct, the primal is compiled again with debug information and the engine is run on that.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

from numba.core.errors import NumbaDebugInfoWarning

if TYPE_CHECKING:
    from enzyme.frontend.target import PrimalModule


def recompile_with_debug(primal: PrimalModule) -> PrimalModule:
    """The same primal with line numbers. Instruction names differ from those of `primal.text`."""
    from enzyme.frontend.target import compile_primal

    with warnings.catch_warnings():  # of array expressions, which have no source
        warnings.simplefilter("ignore", NumbaDebugInfoWarning)
        return compile_primal(
            primal.function,
            primal.requested,
            debug=True,
            fastmath=primal.fastmath,
            functions=primal.functions,
            stays=primal.stays,
        )

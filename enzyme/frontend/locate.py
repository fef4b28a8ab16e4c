"""Line numbers for errors.

They exist only in modules compiled with `debug=True`, and the usual path pays nothing for them: when the engine
refuses a construct, the primal is compiled again with debug information and the engine is run on that.
"""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any

from numba.core.errors import NumbaDebugInfoWarning

from enzyme.frontend.numba_compat.compilers import Lines

if TYPE_CHECKING:
    from enzyme.frontend.target import PrimalModule


class LinesOfFiles(Lines):
    """Line numbers of functions that numba has inlined itself (`inline="always"`): they may be of other files.

    Numba describes a whole function as lines of one file. `at` is the file of the statement that is lowered next.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.at = self.filepath

    def at_file(self, filename: str) -> None:
        """The next statement is in this file."""
        self.at = filename

    def location(self, line: int) -> Any:
        scope = self.subprograms[-1]
        if self.at != self.filepath:
            directory, filename = os.path.split(self.at)
            file = self.module.add_debug_info(
                "DIFile", {"directory": directory, "filename": filename}
            )
            scope = self.module.add_debug_info(
                "DILexicalBlockFile", {"scope": scope, "file": file, "discriminator": 0}
            )
        return self.module.add_debug_info("DILocation", {"line": line, "column": 1, "scope": scope})


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

"""Line numbers for errors.

They exist only in modules compiled with `debug=True`, and the usual path pays nothing for them: when the engine
refuses a construct, the primal is compiled again with debug information and the engine is run on that.
"""

from __future__ import annotations

import os
from typing import Any

import numba

from enzyme.frontend.numba_compat.compilers import Lines

_ARRAY_EXPRESSION = "__numba_array_expr"


class LinesOfFiles(Lines):
    """Line numbers of functions that numba has inlined itself (`inline="always"`): they may be of other files.

    Numba describes a whole function as lines of one file. `at` is the file of the statement that is lowered next.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.at = self.filepath

    def mark_subprogram(
        self, function: Any, qualname: str, argnames: Any, argtypes: Any, line: int
    ) -> None:
        """An array expression is a function of numba's own: its lines are none of the user's file."""
        if qualname.startswith(_ARRAY_EXPRESSION):
            described = {
                "directory": os.path.dirname(numba.__file__),
                "filename": "array expression",
            }
            self.difile = self.module.add_debug_info("DIFile", described)
        super().mark_subprogram(function, qualname, argnames, argtypes, line)

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

"""Output streams of C++ in copies of primals: what is written has no derivative.

``out << x`` ends in functions of the library, of which some are in the module and others not. All give back the
stream, their first operand. Reading from streams is not here: it writes to the program's memory.
"""

from __future__ import annotations

import re

from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Function

# Members of std::ostream, operator<<, std::endl and what these call; of GNU's library, and of LLVM's.
_OUTPUT = re.compile(
    r"_ZNK?S(?:o|t3__113basic_ostreamIcNS_11char_traitsIcEEE)(?:\d+[a-z_]\w*|ls\w+)$"
    r"|_ZSt(?:lsI\w*char_traits|ls\w*St11char_traits|4endlI|5flushI|4endsI|16__ostream_insertI)\w*$"
    r"|_ZNSt3__1(?:lsB?\w*char_traits|4endlB?\w*char_traits|5flushB?\w*char_traits|4endsB?\w*char_traits"
    r"|24__put_character_sequence)\w*$"
)


def writes_to_stream(function: Function) -> bool:
    """Is it a function of the library that only writes to a stream, which it gives back?"""
    kinds = function.function_type.params
    return (
        function.function_type.ret.is_pointer
        and bool(kinds)
        and kinds[0].is_pointer
        and _OUTPUT.match(function.name) is not None
    )


def give_back_streams(function: Function) -> None:
    """Let what goes on with the result of such a function go on with the stream itself."""
    for call in [i for i in function.instructions() if isinstance(i, Call)]:
        callee = call.callee
        if isinstance(callee, Function) and call.users and writes_to_stream(callee):
            call.replace_uses_with(call.arguments[0])

"""Output streams and strings of C++ in copies of primals: what is written, and characters, have no derivative.

``out << x`` ends in functions of the library, of which some are in the module and others not, and so do
``s += "text"`` and ``s.insert(0, t)``. Most of them give back the stream or the string, their first operand. Reading
from streams is not here: it writes to the program's memory. Nor are numbers read from texts.
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
_STRING = (
    r"_ZN(?:St3__112basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEE"
    r"|St7__cxx1112basic_stringIcSt11char_traitsIcESaIcEE)"
)
# append, assign, replace, =, +=, insert and erase by numbers, and what they call.
_GIVEN_BACK = re.compile(
    _STRING
    + r"(?:6append|6assign|7replace|aS|pL|6insertEm|5eraseEm|\d+__assign_|9_M_append|10_M_replace)"
)
# Members, and std::to_string, which makes one.
_OF_STRING = re.compile(_STRING + r"|_ZNSt(?:3__1|7__cxx11)9to_stringE[a-z]$")


def gives_back(function: Function) -> bool:
    """Is it a function of the library that only writes to a stream or a string, which it gives back?"""
    kinds = function.function_type.params
    return (
        function.function_type.ret.is_pointer
        and bool(kinds)
        and kinds[0].is_pointer
        and bool(_OUTPUT.match(function.name) or _GIVEN_BACK.match(function.name))
    )


def writes_text(function: Function) -> bool:
    """Is it a function of the library that has to do with nothing but characters?"""
    if gives_back(function):
        return True
    of_string = function.is_declaration and _OF_STRING.match(function.name) is not None
    return of_string and not function.function_type.ret.is_pointer


def give_back_texts(function: Function) -> None:
    """Let what goes on with the result of such a function go on with the stream or the string itself."""
    for call in [i for i in function.instructions() if isinstance(i, Call)]:
        callee = call.callee
        if isinstance(callee, Function) and call.users and gives_back(callee):
            call.replace_uses_with(call.arguments[0])

"""LLVM IR in bytes: as text, or as bitcode."""

from __future__ import annotations

import re

from enzyme.frontdoor.failures import FrontDoorError

_BITCODE = (b"BC\xc0\xde", b"\xde\xc0\x17\x0b")
_IDENTIFIER = re.compile(
    r'^(!\d+ = (?:distinct )?!DICompositeType\(.*), identifier: "[^"]*"', re.MULTILINE
)


def text_of(content: bytes) -> str:
    """The text of a module.

    >>> text_of(b"define void @f() { ret void }")
    'define void @f() { ret void }'
    """
    if content.startswith(_BITCODE):
        import llvmlite.binding as llvm

        try:
            return str(llvm.parse_bitcode(content, context=llvm.create_context()))
        except RuntimeError as error:
            raise FrontDoorError(
                what="the input is no bitcode that can be read",
                why=str(error),
                todo="give LLVM IR as text (clang -S -emit-llvm): bitcode is read by its own version of LLVM only",
            ) from None
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        raise FrontDoorError(
            what="the input is neither text nor bitcode",
            why=f"{error.reason} at byte {error.start}",
        ) from None


def without_identifiers(text: str) -> str:
    """Without the names by which types of debug information are one type in all modules.

    Members of such types are the same where their names are, and LLVM's table of them can hold one twice when a type
    is read after its members: some builds of LLVM stop the process then.

    >>> without_identifiers('!7 = distinct !DICompositeType(tag: DW_TAG_class_type, name: "P", identifier: "_ZTS1P")')
    '!7 = distinct !DICompositeType(tag: DW_TAG_class_type, name: "P")'
    """
    return _IDENTIFIER.sub(r"\1", text) if "identifier: " in text else text

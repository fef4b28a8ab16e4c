"""LLVM IR in bytes: as text, or as bitcode."""

from __future__ import annotations

from enzyme.frontdoor.failures import FrontDoorError

_BITCODE = (b"BC\xc0\xde", b"\xde\xc0\x17\x0b")


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

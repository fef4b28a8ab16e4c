"""Addresses that go down in steps: `p - 8 i`, as in a slice that is read backwards.

LLVM writes the distance as the product `i * -8`, of which its two models of a vector's cost think differently: one
has it for a shift and a subtraction, the other for a product. Where a loop is known to be short, one unit decides how
wide its vectors are, and LLVM 22 ends the process when the models disagree ("VPlan cost model and legacy cost model
disagreed"). Counted in steps, `p + 8 (-i)`, the address is the same and has no product.
"""

from __future__ import annotations

import re

from enzyme.backend.instructions_in_text import NAME
from enzyme.backend.loops_in_text import FUNCTION

_PRODUCT = re.compile(rf"^  ({NAME}) = mul( nuw)?( nsw)? i64 ({NAME}), -(\d+)\b", re.MULTILINE)
_ADDRESS = re.compile(
    rf"^  ({NAME}) = getelementptr ((?:(?:inbounds|nusw|nuw) )*)i8, ptr ([^,\n]+), i64 ({NAME})",
    re.MULTILINE,
)


def counted_in_steps(text: str) -> str:
    """The module's text without products in addresses that go down by a power of two; `text` itself if it has none."""
    if _PRODUCT.search(text) is None:
        return text
    changed = FUNCTION.sub(lambda found: _counted(found[0]), text)
    return text if changed == text else changed


def _counted(function: str) -> str:
    products = {
        found[1]: (found[4], found[3] or "", int(found[5])) for found in _PRODUCT.finditer(function)
    }

    def written(found: re.Match[str]) -> str:
        factor, flag, step = products.get(found[4], ("", "", 0))
        if step < 2 or step & (step - 1):
            return found[0]
        # Where the product does not wrap, neither does the difference, and the address is as much inside as it was.
        inside = found[2].replace("nuw ", "") if flag else ""
        bare = found[1].lstrip("%").strip('"')
        down = f'%"{bare}.enzyme.down"'
        return (
            f"  {down} = sub{flag} i64 0, {factor}\n"
            f"  {found[1]} = getelementptr {inside}[{step} x i8], ptr {found[3]}, i64 {down}"
        )

    return _ADDRESS.sub(written, function) if products else function

"""LLVM's functions of integers. They have no derivative; the integers may be the bits of floats, or indices."""

from __future__ import annotations

from enzyme.engine.derivatives.catalogue import of_integers

of_integers("llvm.smax", indices=True, cheap=True, chooses=1)
of_integers("llvm.smin", indices=True, cheap=True, chooses=-1)
for _name in "umax umin abs".split():
    of_integers(f"llvm.{_name}", indices=True, cheap=True)
for _name in "ctpop ctlz cttz".split():
    of_integers(f"llvm.{_name}", indices=True)
for _name in "bitreverse bswap fshl fshr scmp ucmp".split():
    of_integers(f"llvm.{_name}")
for _sign in "su":
    for _name in "add sub mul".split():
        of_integers(f"llvm.{_sign}{_name}.with.overflow", multiplies=_name == "mul")
    for _name in "add sub shl".split():
        stops = (_sign, _name) == ("u", "sub")
        of_integers(f"llvm.{_sign}{_name}.sat", stops_at_zero=stops)
for _name in "add mul and or xor smax smin umax umin".split():
    of_integers(f"llvm.vector.reduce.{_name}")

# Questions to the compiler.
of_integers("llvm.objectsize llvm.is.constant llvm.vscale llvm.get.active.lane.mask")

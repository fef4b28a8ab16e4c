"""Compiles one function per (symbol, operand, way) of the derivative table."""

from __future__ import annotations

import ctypes

import llvmlite.binding as llvm

from enzyme.engine.derivatives import catalogue, table
from enzyme.engine.derivatives.operands import Operands, primal_operands
from enzyme.engine.ir.builder import Builder, mangle, scratch_builder
from enzyme.engine.ir.module import Module, new_function
from enzyme.engine.ir.printer import print_module
from enzyme.engine.ir.types import DOUBLE, FLOAT, I32, I64, PTR, VOID
from enzyme.engine.ir.values import Argument

CTYPES = {
    DOUBLE: ctypes.c_double,
    FLOAT: ctypes.c_float,
    I32: ctypes.c_int32,
    I64: ctypes.c_int64,
    PTR: ctypes.c_void_p,
    VOID: None,
}

llvm.initialize_native_target()
llvm.initialize_native_asmprinter()
llvm.load_library_permanently("libgcc_s.so.1")  # __powidf2, to which LLVM lowers llvm.powi


RESULT = "result"


def fetched(row, index, instruction):
    """The primal values that the adjoint of an operand computes with: positions of operands and RESULT."""
    found = set()
    operands = list(primal_operands(instruction))

    def fetch(value):
        found.add(RESULT if value is instruction else operands.index(value))
        return Argument(value.type, "", 0)

    d = Argument(instruction.type, "", 0)
    row.adjoint(scratch_builder(), index, d, Operands(instruction, fetch))
    return found


class Compiled:
    """Functions of scalars in one module; the first call compiles all."""

    def __init__(self):
        self.module = Module()
        self.signatures = {}
        self.engine = None

    def function(self, key, ret, types):
        made = new_function(self.module, key, ret, [(t, "") for t in types])
        made.prefix = ""
        self.signatures[key] = (ret, list(types))
        return made, Builder(made.append_block())

    def add(self, key, symbol, types, index, kind="adjoint", guard="", constants=None):
        """(operands..., d) -> product. `constants` maps positions of operands to numbers."""
        ret = next(t for t in types if t in (DOUBLE, FLOAT))
        function, b = self.function(key, ret, [*types, types[index]])
        *operands, d = function.args
        for position, number in (constants or {}).items():
            operands[position] = b.const(types[position], number)
        row = catalogue.lookup(symbol)
        if row is None:
            row = table.row_for_instruction(symbol)
            primal = b.fneg(*operands) if symbol == "fneg" else b.binary(symbol, *operands)
        else:
            primal = b.call_named(mangled(symbol, types), ret, operands)
            assert catalogue.row_for_call(primal) is row
        made = getattr(row, kind)(b, index, d, Operands(primal), guard=guard)
        b.ret(b.zero(ret) if made is None else made)

    def __call__(self, key, *arguments):
        if self.engine is None:
            parsed = llvm.parse_assembly(print_module(self.module))
            parsed.verify()
            machine = llvm.Target.from_default_triple().create_target_machine(opt=1)
            self.engine = llvm.create_mcjit_compiler(parsed, machine)
            self.engine.finalize_object()
        ret, types = self.signatures[key]
        prototype = ctypes.CFUNCTYPE(CTYPES[ret], *(CTYPES[t] for t in types))
        return prototype(self.engine.get_function_address(key))(*arguments)


def mangled(symbol, types):
    if not symbol.startswith("llvm."):
        return symbol
    tail = [types[0]] + [t for t in types if t is I32]
    return ".".join([symbol, *map(mangle, tail)])

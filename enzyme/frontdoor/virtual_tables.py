"""Which virtual functions a call may be of: those that stand in a table where the call looks.

An object holds the address of a place in the table of its class, and a call loads what stands so many bytes behind it
(Itanium C++ ABI, 2.5). What stands elsewhere is not called, though it be of the same type.
"""

from __future__ import annotations

from collections.abc import Iterator

from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.instructions import Call, Gep, Load
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.types import ArrayType, StructType, Type, VectorType
from enzyme.engine.ir.values import (
    ConstAggregate,
    ConstExpr,
    GlobalAlias,
    GlobalVariable,
    Value,
)

_TABLES = ("_ZTV", "_ZTC")
_FIRST_POINT = 16  # behind the distance to the whole object and the description of the class


class VirtualTables:
    """The tables of a module: where functions stand in them, and which of their places objects refer to."""

    def __init__(self, module: Module) -> None:
        self._layout = DataLayout.of(module)
        self._stands: dict[Function, list[tuple[GlobalVariable, int]]] = {}
        self._points: dict[GlobalVariable, set[int]] = {}
        self._elsewhere: set[Function] = set()
        if any(name.startswith(_TABLES) for name in module.globals):
            self._search(module)

    def _search(self, module: Module) -> None:
        for variable in module.globals.values():
            if not isinstance(variable, GlobalVariable) or variable.initializer is None:
                continue
            for offset, value in self._words(variable.initializer, 0):
                function = _function(value)
                if function is not None and variable.name.startswith(_TABLES):
                    self._stands.setdefault(function, []).append((variable, offset))
                else:
                    self._look(value)
        for function in module.functions.values():
            for i in function.instructions():
                called = i.callee if isinstance(i, Call) else None
                for operand in i.operands:
                    if operand is not called:
                        self._look(operand)

    def may_call(self, call: Call, function: Function) -> bool:
        """May a call by a pointer be of a function?"""
        slot = self._slot(call.callee)
        if slot is None or function in self._elsewhere or function not in self._stands:
            return True
        return any(
            not self._points.get(table) or offset - slot in {_FIRST_POINT, *self._points[table]}
            for table, offset in self._stands[function]
        )

    def _slot(self, called: Value) -> int | None:
        """How many bytes behind the place that an object refers to a call looks."""
        if not isinstance(called, Load):
            return None
        place = called.pointer
        if isinstance(place, Load):
            return 0
        if isinstance(place, Gep) and isinstance(place.operands[0], Load):
            constant, variable = self._layout.gep_offset(place)
            return None if variable else constant
        return None

    def _look(self, value: Value) -> None:
        """Note functions that somebody has the address of, and places of tables that are referred to."""
        function = _function(value)
        if function is not None:
            self._elsewhere.add(function)
        elif isinstance(value, ConstExpr):
            base = value.operands[0]
            if value.opcode == "getelementptr" and isinstance(base, GlobalVariable):
                constant, _ = self._layout.gep_offset(value)
                self._points.setdefault(base, set()).add(constant)
            for operand in value.operands:
                self._look(operand)
        elif isinstance(value, ConstAggregate):
            for operand in value.operands:
                self._look(operand)

    def _words(self, value: Value, offset: int) -> Iterator[tuple[int, Value]]:
        """What a constant consists of, and where it stands."""
        if not isinstance(value, ConstAggregate):
            yield offset, value
            return
        for k, operand in enumerate(value.operands):
            yield from self._words(operand, offset + self._offset(value.type, k))

    def _offset(self, type_: Type, index: int) -> int:
        if isinstance(type_, StructType):
            return self._layout.field_offset(type_, index)
        assert isinstance(type_, ArrayType | VectorType)
        return index * self._layout.size_of(type_.element)


def _function(value: Value) -> Function | None:
    while isinstance(value, GlobalAlias):
        value = value.aliasee
    return value if isinstance(value, Function) else None

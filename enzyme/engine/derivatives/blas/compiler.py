"""Formulas of linear algebra (`language`) as IR text, for a kind of numbers and a width of the library's integers.

A complex number is two values here: nothing but loads and stores knows that it is one in memory. Variables are stack
slots, which LLVM turns into values. Sums may be taken in any order, as libraries do.
"""

from __future__ import annotations

import ast
import inspect
import math
import struct
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from enzyme.engine.derivatives.blas.known import KNOWN
from enzyme.engine.derivatives.blas.language import DISJOINT, FORMULAS, INLINED
from enzyme.engine.derivatives.blas.names import TYPES, parameters_of
from enzyme.engine.derivatives.linear_calls import KINDS, in_complex, is_complex, symbol

PREFIX = "enzyme.formula."
# In front of a routine of the program's library, which has the letter of its kind in its name.
LIBRARY = "enzyme.library."
_EPSILON = {"float": 2.0**-23, "double": 2.0**-52}
# A factor that leaves nothing behind the point of what is not tiny.
_UPSCALE = {"float": 2.0**92, "double": 2.0**700}
_LARGEST = {"float": 2.0**127, "double": 2.0**1023}
_BY_NAME = ("library", "fortran", "in_complex")
Called = tuple[tuple[str, str], ...]
_FLAGS = "reassoc contract"
_POINTERS = {
    "Numbers": "*T",
    "Reals": "*P",
    "Integers": "*I",
    "Singles": "*F",
    "Doubles": "*D",
}
_SCALARS = {
    "int": "I",
    "bool": "B",
    "Letter": "I",
    "Number": "T",
    "Real": "P",
    "None": "",
    "Single": "F",
    "Double": "D",
}
_COMPARED = {
    ast.Eq: ("eq", "oeq"),
    ast.NotEq: ("ne", "une"),
    ast.Lt: ("slt", "olt"),
    ast.LtE: ("sle", "ole"),
    ast.Gt: ("sgt", "ogt"),
    ast.GtE: ("sge", "oge"),
}
_ARITHMETIC = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "div"}


class FormulaError(SyntaxError):
    """A formula uses what the language does not have."""


@dataclass(frozen=True, slots=True)
class V:
    """A value: I integer, B truth, P or F or D a real, T a complex number, *x a pointer; its parts, and a constant."""

    type: str
    parts: tuple[str, ...]
    constant: float | int | None = None

    @property
    def text(self) -> str:
        (only,) = self.parts
        return only


def formula_symbol(name: str, kind: str, bits: int) -> str:
    return f"{PREFIX}{name}.{kind}{bits}"


@cache
def _tree(name: str) -> ast.FunctionDef:
    text = textwrap.dedent(inspect.getsource(FORMULAS[name]))
    tree = ast.parse(text).body[0]
    assert isinstance(tree, ast.FunctionDef)
    return tree


def signature(tree: ast.FunctionDef) -> tuple[list[tuple[str, str]], str]:
    """Names and annotations of the parameters, and the annotation of the result."""
    parameters = [
        (a.arg, ast.unparse(a.annotation)) for a in tree.args.args if a.annotation is not None
    ]
    return parameters, ast.unparse(tree.returns) if tree.returns is not None else "None"


def formula_signature(name: str) -> tuple[list[tuple[str, str]], str]:
    return signature(_tree(name))


@cache
def compiled(name: str, kind: str, bits: int) -> tuple[str, Called]:
    """The text of one formula, and the names and kinds of those that it calls."""
    tree = _tree(name)
    made = _Compiler(kind, bits, FORMULAS[name].__globals__)
    made.function(tree, formula_symbol(name, kind, bits), "internal", name)
    return "\n".join(made.lines) + "\n", tuple(made.called)


def compiled_text(source: str, symbol_: str, kind: str, bits: int) -> tuple[str, Called]:
    """A function that is no formula itself, from its text."""
    tree = ast.parse(source).body[0]
    assert isinstance(tree, ast.FunctionDef)
    made = _Compiler(kind, bits, {})
    made.function(tree, symbol_, "internal", "", inline=True)
    return "\n".join(made.lines) + "\n", tuple(made.called)


class _Compiler:
    """Compiles one function."""

    def __init__(self, kind: str, bits: int, scope: dict[str, Any]) -> None:
        self.kind, self.bits, self.scope = kind, bits, scope
        self.complex = is_complex(kind)
        self.real = KINDS[kind].text
        self.lines: list[str] = []
        self.called: dict[tuple[str, str], None] = {}
        self.slots: dict[str, tuple[str, tuple[str, ...]]] = {}
        self.allocas: list[str] = []
        self.body: list[str] = []
        self.count = 0
        self.ended = False
        self.ret = ""

    # Text ---------------------------------------------------------------------------------------------

    def fresh(self, stem: str = "v") -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def value(self, code: str) -> str:
        name = f"%{self.fresh()}"
        self.body.append(f"  {name} = {code}")
        return name

    def do(self, code: str) -> None:
        self.body.append(f"  {code}")

    def label(self, name: str) -> None:
        self.body.append(f"{name}:")
        self.ended = False

    def jump(self, target: str) -> None:
        if not self.ended:
            self.do(f"br label %{target}")
        self.ended = True

    # Types --------------------------------------------------------------------------------------------

    def kind_of(self, type_: str) -> str:
        """The type, with that of numbers as the reals where they are real."""
        if not self.complex:
            type_ = type_.replace("T", "P")
        double = "P" if self.real == "double" else "D"
        single = "P" if self.real == "float" else "F"
        return type_.replace("D", double).replace("F", single)

    def annotated(self, annotation: str) -> str:
        found = _POINTERS.get(annotation) or _SCALARS.get(annotation)
        if found is None:
            raise FormulaError(f"the annotation {annotation}")
        return self.kind_of(found)

    def ir(self, type_: str) -> tuple[str, ...]:
        """The types in IR of the parts of a value."""
        if type_.startswith("*"):
            return ("ptr",)
        of_reals = {"P": self.real, "F": "float", "D": "double"}
        if type_ in of_reals:
            return (of_reals[type_],)
        return {"I": ("i64",), "B": ("i1",), "T": (self.real, self.real)}[type_]

    def result_type(self, type_: str) -> str:
        if not type_:
            return "void"
        parts = self.ir(type_)
        return parts[0] if len(parts) == 1 else f"{{ {', '.join(parts)} }}"

    # Functions ----------------------------------------------------------------------------------------

    def function(
        self, tree: ast.FunctionDef, name: str, linkage: str, own: str, inline: bool = False
    ) -> None:
        parameters, result = signature(tree)
        self.ret = self.kind_of(_SCALARS[result])
        shown = []
        for parameter, annotation in parameters:
            type_ = self.annotated(annotation)
            kinds = self.ir(type_)
            names = [f"%{parameter}.{k}" for k in range(len(kinds))]
            noalias = " noalias" if own in DISJOINT and type_.startswith("*") else ""
            shown += [f"{kind}{noalias} {n}" for kind, n in zip(kinds, names, strict=True)]
            self.assign(parameter, V(type_, tuple(names)))
        self.block(tree.body)
        if not self.ended:
            self.do("ret void" if not self.ret else "unreachable")
        inline = inline or own in INLINED
        attributes = "alwaysinline nounwind" if inline else "nounwind"
        head = f"define {linkage} {self.result_type(self.ret)} @{name}({', '.join(shown)})"
        self.lines = [f"{head} {attributes} {{", "entry:", *self.allocas, *self.body, "}"]

    def block(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if self.ended:
                raise FormulaError(f"code behind a return: {ast.unparse(statement)}")
            self.statement(statement)

    def statement(self, s: ast.stmt) -> None:
        match s:
            case ast.Assign(targets=[target], value=value):
                self.store(target, self.expression(value))
            case ast.AugAssign(target=target, op=op, value=value):
                self.store(target, self.expression(ast.BinOp(target, op, value)))
            case ast.Expr(value=ast.Constant()):
                pass
            case ast.Expr(value=ast.Call() as call):
                self.call(call)
            case ast.If(test=test, body=body, orelse=other):
                self.branch(test, body, other)
            case ast.For(target=ast.Name(id=name), iter=ast.Call(args=bounds), body=body):
                self.loop(name, bounds, body)
            case ast.Return(value=None):
                self.do("ret void")
                self.ended = True
            case ast.Return(value=value):
                assert value is not None
                self.give_back(self.convert(self.expression(value), self.ret))
            case _:
                raise FormulaError(ast.unparse(s))

    def give_back(self, value: V) -> None:
        type_ = self.result_type(self.ret)
        if len(value.parts) == 1:
            self.do(f"ret {type_} {value.text}")
        else:
            made = "undef"
            for k, part in enumerate(value.parts):
                made = self.value(f"insertvalue {type_} {made}, {self.real} {part}, {k}")
            self.do(f"ret {type_} {made}")
        self.ended = True

    def assign(self, name: str, value: V) -> None:
        known = self.slots.get(name)
        if known is None:
            slots = tuple(f"%{name}.slot{k}" for k in range(len(value.parts)))
            self.slots[name] = known = (value.type, slots)
            for slot, kind in zip(slots, self.ir(value.type), strict=True):
                self.allocas.append(f"  {slot} = alloca {kind}")
        type_, slots = known
        value = self.convert(value, type_)
        for slot, part, kind in zip(slots, value.parts, self.ir(type_), strict=True):
            self.do(f"store {kind} {part}, ptr {slot}")

    def store(self, target: ast.expr, value: V) -> None:
        match target:
            case ast.Name(id=name):
                self.assign(name, value)
            case ast.Subscript(value=pointer, slice=index):
                base = self.expression(pointer)
                to = base.type[1:]
                value = self.convert(value, to)
                places = self.places(base, self.expression(index))
                for place, part, kind in zip(places, value.parts, self.ir(to), strict=True):
                    self.do(f"store {kind} {part}, ptr {place}")
            case _:
                raise FormulaError(ast.unparse(target))

    def places(self, base: V, index: V) -> list[str]:
        """Addresses of the parts of an item."""
        if base.type == "*T":
            first = self.value(
                f"getelementptr {{ {self.real}, {self.real} }}, ptr {base.text}, i64 {index.text}"
            )
            return [first, self.value(f"getelementptr {self.real}, ptr {first}, i64 1")]
        (kind,) = self.item(base.type)
        return [self.value(f"getelementptr {kind}, ptr {base.text}, i64 {index.text}")]

    def item(self, pointer: str) -> tuple[str, ...]:
        return (f"i{self.bits}",) if pointer == "*I" else self.ir(pointer[1:])

    def branch(self, test: ast.expr, body: list[ast.stmt], other: list[ast.stmt]) -> None:
        condition = self.expression(test)
        if condition.constant is not None:
            self.block(body if condition.constant else other)
            return
        yes, no, after = self.fresh("yes"), self.fresh("no"), self.fresh("after")
        self.do(f"br i1 {condition.text}, label %{yes}, label %{no}")
        ends = []
        for name, part in ((yes, body), (no, other)):
            self.label(name)
            self.block(part)
            ends.append(self.ended)
            self.jump(after)
        if not all(ends):
            self.label(after)

    def loop(self, name: str, bounds: list[ast.expr], body: list[ast.stmt]) -> None:
        values = [self.expression(b) for b in bounds]
        first = values[0] if len(values) > 1 else V("I", ("0",), 0)
        last = values[1] if len(values) > 1 else values[0]
        step = values[2].constant if len(values) > 2 else 1
        assert isinstance(step, int)
        if step == 0:
            raise FormulaError("a loop with a step of zero")
        head, inside, latch, after = (self.fresh(w) for w in ("head", "body", "latch", "exit"))
        slot = f"%{self.fresh(name + '.at')}"
        self.allocas.append(f"  {slot} = alloca i64")
        self.do(f"store i64 {first.text}, ptr {slot}")
        self.jump(head)
        self.label(head)
        at = self.value(f"load i64, ptr {slot}")
        compared = "slt" if step > 0 else "sgt"
        more = self.value(f"icmp {compared} i64 {at}, {last.text}")
        self.do(f"br i1 {more}, label %{inside}, label %{after}")
        self.label(inside)
        self.assign(name, V("I", (at,)))
        self.block(body)
        self.jump(latch)
        self.label(latch)
        again = self.value(f"load i64, ptr {slot}")
        following = self.value(f"add nsw i64 {again}, {step}")
        self.do(f"store i64 {following}, ptr {slot}")
        self.jump(head)
        self.label(after)

    # Expressions --------------------------------------------------------------------------------------

    def constant(self, value: Any) -> V:
        if isinstance(value, bool):
            return V("B", (str(value).lower(),), value)
        if isinstance(value, str):
            return V("I", (str(ord(value)),), ord(value))
        if isinstance(value, int):
            return V("I", (str(value),), value)
        return V("P", (self.float_text(value, self.real),), value)

    def float_text(self, value: float, type_: str) -> str:
        if type_ == "float":
            (value,) = struct.unpack("f", struct.pack("f", value))
        (bits,) = struct.unpack("<Q", struct.pack("<d", value))
        return f"0x{bits:016X}"

    def expression(self, e: ast.expr) -> V:
        match e:
            case ast.Constant(value=value):
                return self.constant(value)
            case ast.Name(id=name):
                return self.name(name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self.minus(self.expression(operand))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                v = self.expression(operand)
                if v.constant is not None:
                    return self.constant(not v.constant)
                return V("B", (self.value(f"xor i1 {v.text}, true"),))
            case ast.BoolOp(op=op, values=values):
                return self.joined(isinstance(op, ast.And), values)
            case ast.BinOp(left=left, op=op, right=right):
                return self.arithmetic(op, self.expression(left), self.expression(right))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self.compare(op, self.expression(left), self.expression(right))
            case ast.Subscript(value=pointer, slice=index):
                base = self.expression(pointer)
                places = self.places(base, self.expression(index))
                kinds = self.ir(base.type[1:])
                loads = [
                    self.value(f"load {kind}, ptr {place}")
                    for kind, place in zip(kinds, places, strict=True)
                ]
                return V(base.type[1:], tuple(loads))
            case ast.IfExp(test=test, body=body, orelse=other):
                return self.choose(test, body, other)
            case ast.Call():
                made = self.call(e)
                assert made is not None
                return made
            case _:
                raise FormulaError(ast.unparse(e))

    def name(self, name: str) -> V:
        if name in self.slots:
            type_, slots = self.slots[name]
            loads = [
                self.value(f"load {kind}, ptr {slot}")
                for slot, kind in zip(slots, self.ir(type_), strict=True)
            ]
            return V(type_, tuple(loads))
        if name in self.scope:
            return self.constant(self.scope[name])
        raise FormulaError(f"the name {name}")

    def joined(self, conjunction: bool, values: list[ast.expr]) -> V:
        """Both sides are computed: none may load what the other guards."""
        parts = [self.expression(v) for v in values]
        if any(p.constant is not None and bool(p.constant) is not conjunction for p in parts):
            return self.constant(not conjunction)
        parts = [p for p in parts if p.constant is None]
        if not parts:
            return self.constant(conjunction)
        total = parts[0].text
        for part in parts[1:]:
            total = self.value(f"{'and' if conjunction else 'or'} i1 {total}, {part.text}")
        return V("B", (total,))

    def choose(self, test: ast.expr, body: ast.expr, other: ast.expr) -> V:
        condition = self.expression(test)
        if condition.constant is not None:
            return self.expression(body if condition.constant else other)
        one, two = self.expression(body), self.expression(other)
        if one.type != two.type:
            wide = "T" if "T" in (one.type, two.type) else "P"
            one, two = self.convert(one, wide), self.convert(two, wide)
        parts = [
            self.value(f"select i1 {condition.text}, {kind} {a}, {kind} {b}")
            for a, b, kind in zip(one.parts, two.parts, self.ir(one.type), strict=True)
        ]
        return V(one.type, tuple(parts))

    def convert(self, v: V, to: str) -> V:
        if v.type == to:
            return v
        if v.type == "I" and to in "PTFD":
            kind = self.ir("P" if to == "T" else to)[0]
            if v.constant is not None:
                made = self.float_text(float(v.constant), kind)
            else:
                made = self.value(f"sitofp i64 {v.text} to {kind}")
            return self.convert(V("P" if to == "T" else to, (made,)), to)
        if v.type == "P" and to == "T":
            return V("T", (v.text, self.float_text(0.0, self.real)), v.constant)
        if v.type in "PFD" and to in "PFD":
            have, want = self.ir(v.type)[0], self.ir(to)[0]
            if v.constant is not None:
                return V(to, (self.float_text(float(v.constant), want),), v.constant)
            word = "fpext" if want == "double" else "fptrunc"
            return V(to, (self.value(f"{word} {have} {v.text} to {want}"),))
        raise FormulaError(f"a value of type {v.type} where one of type {to} is wanted")

    def minus(self, v: V) -> V:
        if v.type == "I":
            if v.constant is not None:
                return self.constant(-v.constant)
            return V("I", (self.value(f"sub i64 0, {v.text}"),))
        if v.constant is not None and len(v.parts) == 1:
            return self.constant(-float(v.constant))
        kind = self.ir(v.type)[0]
        return V(v.type, tuple(self.value(f"fneg {kind} {part}") for part in v.parts))

    def integers(self, op: ast.operator, a: V, b: V) -> V:
        if a.constant is not None and b.constant is not None:
            x, y = int(a.constant), int(b.constant)
            table = {ast.Add: x + y, ast.Sub: x - y, ast.Mult: x * y}
            if type(op) in table:
                return self.constant(table[type(op)])
        word = {ast.Add: "add nsw", ast.Sub: "sub nsw", ast.Mult: "mul nsw", ast.FloorDiv: "sdiv"}
        if type(op) not in word:
            raise FormulaError("this arithmetic of integers")
        return V("I", (self.value(f"{word[type(op)]} i64 {a.text}, {b.text}"),))

    def arithmetic(self, op: ast.operator, a: V, b: V) -> V:
        if a.type.startswith("*"):
            if not isinstance(op, ast.Add):
                raise FormulaError("pointers can only be moved on")
            return V(a.type, (self.places(a, b)[0],))
        if a.type == b.type == "I":
            return self.integers(op, a, b)
        word = _ARITHMETIC.get(type(op))
        if word is None:
            raise FormulaError("this arithmetic of numbers")
        if "T" in (a.type, b.type):
            return self.complex_arithmetic(word, a, b)
        wide = max((t for t in (a.type, b.type) if t != "I"), key=lambda t: self.ir(t)[0])
        if {self.ir(a.type)[0], self.ir(b.type)[0]} == {"double", "float"}:
            wide = a.type if self.ir(a.type)[0] == "double" else b.type
        a, b = self.convert(a, wide), self.convert(b, wide)
        return V(wide, (self.op(word, a.text, b.text, self.ir(wide)[0]),))

    def op(self, word: str, a: str, b: str, kind: str = "") -> str:
        return self.value(f"f{word} {_FLAGS} {kind or self.real} {a}, {b}")

    def complex_arithmetic(self, word: str, a: V, b: V) -> V:
        if word == "div" and b.type == "T":
            made = self.call_formula("quotient", [a, b])
            assert made is not None
            return made
        if word in ("mul", "div") and b.type != "T":
            by = self.convert(b, "P").text
            return V("T", tuple(self.op(word, part, by) for part in a.parts))
        if word == "mul" and a.type != "T":
            return self.complex_arithmetic(word, b, a)
        (ar, ai), (br, bi) = self.convert(a, "T").parts, self.convert(b, "T").parts
        if word != "mul":
            return V("T", (self.op(word, ar, br), self.op(word, ai, bi)))
        re = self.op("sub", self.op("mul", ar, br), self.op("mul", ai, bi))
        im = self.op("add", self.op("mul", ar, bi), self.op("mul", ai, br))
        return V("T", (re, im))

    def compare(self, op: ast.cmpop, a: V, b: V) -> V:
        integer, number = _COMPARED[type(op)]
        if a.type == b.type == "B":
            return V("B", (self.value(f"icmp {integer} i1 {a.text}, {b.text}"),))
        if a.type == b.type == "I":
            if a.constant is not None and b.constant is not None:
                x, y = a.constant, b.constant
                found = {"eq": x == y, "ne": x != y, "slt": x < y, "sle": x <= y}
                found |= {"sgt": x > y, "sge": x >= y}
                return self.constant(found[integer])
            return V("B", (self.value(f"icmp {integer} i64 {a.text}, {b.text}"),))
        wide = "T" if "T" in (a.type, b.type) else "P"
        a, b = self.convert(a, wide), self.convert(b, wide)
        tests = [
            self.value(f"fcmp {number} {self.real} {x}, {y}")
            for x, y in zip(a.parts, b.parts, strict=True)
        ]
        if len(tests) == 1:
            return V("B", (tests[0],))
        word = {"oeq": "and", "une": "or"}[number]
        return V("B", (self.value(f"{word} i1 {tests[0]}, {tests[1]}"),))

    # Calls --------------------------------------------------------------------------------------------

    def call(self, e: ast.Call) -> V | None:
        assert isinstance(e.func, ast.Name)
        name = e.func.id
        if name in _BY_NAME:
            first, *rest = e.args
            assert isinstance(first, ast.Constant) and isinstance(first.value, str)
            by_name: Callable[..., None] = getattr(self, f"word_{name}")
            by_name(first.value, *(self.expression(a) for a in rest))
            return None
        operands = [self.expression(a) for a in e.args]
        if name in FORMULAS:
            return self.call_formula(name, operands)
        word: Callable[..., V | None] | None = getattr(self, f"word_{name}", None)
        if word is None:
            raise FormulaError(f"the function {name}")
        return word(*operands)

    def call_formula(self, name: str, operands: list[V], kind: str = "") -> V | None:
        kind = kind or self.kind
        parameters, result = formula_signature(name)
        if len(parameters) != len(operands):
            raise FormulaError(f"{name} takes {len(parameters)} operands, not {len(operands)}")
        self.called[name, kind] = None
        passed = []
        for (_, annotation), operand in zip(parameters, operands, strict=True):
            value = operand
            if kind == self.kind or not operand.type.startswith("*"):
                value = self.convert(operand, self.annotated(annotation))
            passed += [f"{k} {p}" for k, p in zip(self.ir(value.type), value.parts, strict=True)]
        type_ = self.kind_of(_SCALARS[result])
        ret = self.result_type(type_)
        code = f"call {ret} @{formula_symbol(name, kind, self.bits)}({', '.join(passed)})"
        if not type_:
            self.do(code)
            return None
        made = self.value(code)
        if type_ != "T":
            return V(type_, (made,))
        return V("T", tuple(self.value(f"extractvalue {ret} {made}, {k}") for k in (0, 1)))

    def word_is_complex(self) -> V:
        return self.constant(self.complex)

    def word_known(self, v: V) -> V:
        tests = [
            self.value(f"call i1 @{KNOWN}{kind}({kind} {part})")
            for kind, part in zip(self.ir(v.type), v.parts, strict=True)
        ]
        total = tests[0]
        for test in tests[1:]:
            total = self.value(f"and i1 {total}, {test}")
        return V("B", (total,))

    def word_conj(self, v: V) -> V:
        if v.type != "T":
            return v
        return V("T", (v.parts[0], self.value(f"fneg {self.real} {v.parts[1]}")))

    def word_conj_if(self, condition: V, v: V) -> V:
        if v.type != "T":
            return v
        if condition.constant is not None:
            return self.word_conj(v) if condition.constant else v
        one, kind = self.float_text(1.0, self.real), self.real
        other = self.float_text(-1.0, self.real)
        sign = self.value(f"select i1 {condition.text}, {kind} {other}, {kind} {one}")
        return V("T", (v.parts[0], self.op("mul", v.parts[1], sign)))

    def word_real(self, v: V) -> V:
        return V("P", (v.parts[0],)) if v.type == "T" else self.convert(v, "P")

    def word_imag(self, v: V) -> V:
        return V("P", (v.parts[1],)) if v.type == "T" else self.constant(0.0)

    def word_pair(self, re: V, im: V) -> V:
        if not self.complex:
            return self.convert(re, "P")
        return V("T", (self.convert(re, "P").text, self.convert(im, "P").text))

    def intrinsic(self, name: str, *operands: V) -> V:
        kind = self.real
        suffix = "f64" if kind == "double" else "f32"
        shown = ", ".join(f"{kind} {self.convert(o, 'P').text}" for o in operands)
        return V("P", (self.value(f"call {kind} @llvm.{name}.{suffix}({shown})"),))

    def word_zero(self) -> V:
        return self.convert(self.constant(0.0), self.kind_of("T"))

    def word_single(self, v: V) -> V:
        return self.convert(v, self.kind_of("F"))

    def word_double(self, v: V) -> V:
        return self.convert(v, self.kind_of("D"))

    def word_precision(self) -> V:
        return self.constant(_EPSILON[self.real])

    def word_upscale(self) -> V:
        return self.constant(_UPSCALE[self.real])

    def word_steep(self, v: V) -> V:
        """Two products that LLVM must not make one."""
        largest = self.float_text(_LARGEST[self.real], self.real)
        once = self.value(f"fmul {self.real} {v.text}, {largest}")
        return V("P", (self.value(f"fmul {self.real} {once}, {largest}"),))

    def word_floor(self, v: V) -> V:
        return self.intrinsic("floor", v)

    def word_not_a_number(self) -> V:
        return self.constant(math.nan)

    def word_sqrt(self, v: V) -> V:
        return self.intrinsic("sqrt", v)

    def word_abs(self, v: V) -> V:
        return self.intrinsic("fabs", v)

    def word_copysign(self, v: V, sign: V) -> V:
        return self.intrinsic("copysign", v, sign)

    def word_min(self, a: V, b: V) -> V:
        return V("I", (self.value(f"call i64 @llvm.smin.i64(i64 {a.text}, i64 {b.text})"),))

    def word_max(self, a: V, b: V) -> V:
        return V("I", (self.value(f"call i64 @llvm.smax.i64(i64 {a.text}, i64 {b.text})"),))

    def allocated(self, count: V, bytes_: int, type_: str) -> V:
        size = self.value(f"mul i64 {count.text}, {bytes_}")
        return V(type_, (self.value(f"call noalias ptr @malloc(i64 {size})"),))

    def word_scratch(self, count: V) -> V:
        bytes_ = (4 if self.real == "float" else 8) * (2 if self.complex else 1)
        return self.allocated(count, bytes_, self.kind_of("*T"))

    def word_reals(self, count: V) -> V:
        return self.allocated(count, 4 if self.real == "float" else 8, "*P")

    def word_integers(self, count: V) -> V:
        return self.allocated(count, self.bits // 8, "*I")

    def word_free(self, pointer: V) -> None:
        self.do(f"call void @free(ptr {pointer.text})")

    def word_integer(self, pointer: V, index: V) -> V:
        (place,) = self.places(pointer, index)
        made = self.value(f"load i{self.bits}, ptr {place}")
        if self.bits < 64:
            made = self.value(f"sext i{self.bits} {made} to i64")
        return V("I", (made,))

    def word_set_integer(self, pointer: V, index: V, value: V) -> None:
        (place,) = self.places(pointer, index)
        made = value.text
        if self.bits < 64:
            made = self.value(f"trunc i64 {made} to i{self.bits}")
        self.do(f"store i{self.bits} {made}, ptr {place}")

    def number(self, v: V) -> str:
        """A number as the routines take it."""
        v = self.convert(v, self.kind_of("T"))
        if len(v.parts) == 1:
            return f"{self.real} {v.text}"
        type_ = self.result_type("T")
        made = "undef"
        for k, part in enumerate(v.parts):
            made = self.value(f"insertvalue {type_} {made}, {self.real} {part}, {k}")
        return f"{type_} {made}"

    def word_product(self, *operands: V) -> None:
        names = "transa transb m n k alpha a lda b ldb beta c ldc".split()
        shown = []
        for name, v in zip(names, operands, strict=True):
            if name.startswith("trans"):
                shown.append(f"i8 {v.constant}")
            elif name in ("alpha", "beta"):
                shown.append(self.number(v))
            else:
                shown.append(f"{self.ir(v.type)[0]} {v.text}")
        self.do(f"call void @{symbol('gemm', self.kind)}({', '.join(shown)})")

    def word_norm(self, n: V, x: V, step: V) -> V:
        code = f"call {self.real} @{symbol('nrm2', self.kind)}"
        return V("P", (self.value(f"{code}(i64 {n.text}, ptr {x.text}, i64 {step.text})"),))

    # Calls by name ------------------------------------------------------------------------------------

    def word_in_complex(self, name: str, *operands: V) -> None:
        """The formula for complex numbers: pointers lead to them, whatever they lead to here."""
        self.call_formula(name, list(operands), in_complex(self.kind))

    def word_library(self, name: str, *operands: V) -> None:
        shown = ", ".join(f"{self.ir(v.type)[0]} {v.text}" for v in operands)
        self.do(f"call void @{symbol(name, self.kind)}({shown})")

    def word_fortran(self, name: str, *operands: V) -> None:
        """A call with everything behind pointers."""
        shown = []
        parameters = parameters_of(self.kind + name)
        for parameter, v in zip(parameters, operands, strict=True):
            if v.type.startswith("*"):
                shown.append(f"ptr {v.text}")
                continue
            kind = "i8" if TYPES.get(parameter) == "Letter" else f"i{self.bits}"
            place = f"%{self.fresh(parameter + '.at')}"
            self.allocas.append(f"  {place} = alloca {kind}")
            narrow = v.text if kind == "i64" else self.value(f"trunc i64 {v.text} to {kind}")
            self.do(f"store {kind} {narrow}, ptr {place}")
            shown.append(f"ptr {place}")
        self.do(f"call void @{LIBRARY}{self.kind}{name}({', '.join(shown)})")

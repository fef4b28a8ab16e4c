"""Prints IR as text that LLVM accepts; printing never changes the model.

Names that occur twice in a function get a suffix in the text only, unnamed values are numbered as LLVM
does. A wrapped metadata value whose instruction has been erased prints as poison.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from enzyme.engine.ir.dispatch import Dispatch
from enzyme.engine.ir.instructions import (
    Aggregate,
    Alloca,
    Call,
    Cmp,
    Gep,
    Instruction,
    Load,
    Phi,
    Raw,
    Store,
)
from enzyme.engine.ir.lexer import quote_name
from enzyme.engine.ir.module import Block, Function, Module
from enzyme.engine.ir.opcodes import BINARY_FLOAT, BINARY_INT, CASTS, CONSTANTS, INSTRUCTIONS
from enzyme.engine.ir.types import I1, VOID, PointerType, StructType
from enzyme.engine.ir.values import (
    Argument,
    ConstAggregate,
    ConstExpr,
    ConstFloat,
    ConstInt,
    ConstSimple,
    ConstSplat,
    ConstString,
    GlobalAlias,
    GlobalValue,
    GlobalVariable,
    MetadataOperand,
    RawConstant,
    Value,
)

Names = Mapping[Value, str]

# LLVM takes no longer names of values than 1024 bytes, and blocks of templates of C++ are called after functions.
_LONGEST = 500
_BUNDLE_OPERAND = re.compile(r"%\{(\d+)\}")


def print_module(module: Module) -> str:
    """The whole module."""
    parts: list[str] = list(module.header)
    for struct in module.structs.values():
        parts.append(f"{struct.name} = type {struct.body_text}")
    if parts:
        parts.append("")
    for symbol in module.globals.values():
        parts.append(print_global(symbol))
    for function in module.functions.values():
        parts.append("")
        parts.append(print_function(function))
    parts.append("")
    for number, words in module.attribute_groups.items():
        parts.append(f"attributes #{number} = {{ {words} }}")
    parts.append("")
    for name, text in module.named_metadata.items():
        parts.append(f"!{name} = {text}")
    for number, text in module.metadata.items():
        parts.append(f"!{number} = {text}")
    parts += module.footer
    parts.append("")
    return "\n".join(parts)


def print_global(symbol: GlobalVariable | GlobalAlias) -> str:
    """One line that defines or declares a variable, an alias or an ifunc."""
    prefix = symbol.prefix + " " if symbol.prefix else ""
    suffix = _attached(symbol.suffix)
    if isinstance(symbol, GlobalAlias):
        # LLVM neither prints nor reads the type of an expression here.
        print_target = operand if isinstance(symbol.aliasee, ConstExpr) else typed
        target = print_target(symbol.aliasee, {})
        return f"{symbol_text(symbol)} = {prefix}{symbol.kind} {symbol.value_type.text}, {target}{suffix}"
    kind = "constant" if symbol.is_const else "global"
    value = "" if symbol.initializer is None else " " + operand(symbol.initializer, {})
    return f"{symbol_text(symbol)} = {prefix}{kind} {symbol.value_type.text}{value}{suffix}"


def print_function(function: Function) -> str:
    """One definition or declaration."""
    names = local_names(function)
    declared = function.is_declaration
    params: list[str] = []
    for argument in function.args:
        text = argument.type.text
        if argument.attributes:
            text += " " + argument.attributes
        if not declared or argument.name:
            text += " " + names[argument]
        params.append(text)
    if function.function_type.vararg:
        params.append("...")
    head = "declare " if declared else "define "
    if function.prefix:
        head += function.prefix + " "
    head += f"{function.function_type.ret.text} {symbol_text(function)}({', '.join(params)})"
    if function.suffix:
        head += " " + function.suffix
    if declared:
        return head
    lines = [head + " {"]
    for index, block in enumerate(function.blocks):
        if index:
            lines.append("")
        if index or block.name:
            lines.append(names[block][1:] + ":")
        for instruction in block.instructions:
            lines.append("  " + print_instruction(instruction, names))
    lines.append("}")
    return "\n".join(lines)


def local_names(function: Function) -> dict[Value, str]:
    """The text, with ``%``, of every argument, block and instruction with a result."""
    names: dict[Value, str] = {}
    taken: set[str] = set()
    again: list[Value] = []
    number = 0
    for value in _locals(function):
        name = value.name[:_LONGEST]
        if not name:
            names[value] = f"%{number}"
            number += 1
        elif name in taken:
            again.append(value)
        else:
            taken.add(name)
            names[value] = "%" + quote_name(name)
    counters: dict[str, int] = {}
    for value in again:
        short = value.name[:_LONGEST]
        count = counters.get(short, 0) + 1
        while f"{short}.{count}" in taken:
            count += 1
        counters[short] = count
        name = f"{short}.{count}"
        taken.add(name)
        names[value] = "%" + quote_name(name)
    return names


def _locals(function: Function) -> list[Value]:
    found: list[Value] = list(function.args)
    for block in function.blocks:
        found.append(block)
        found += [i for i in block.instructions if i.type is not VOID]
    return found


def symbol_text(symbol: GlobalValue) -> str:
    name = symbol.name
    if name.isdigit() or (name[:1] == '"' and name[1:-1].isdigit()):
        return "@" + name
    return "@" + quote_name(name)


def operand(value: Value, names: Names) -> str:
    """A value without its type, as it stands after the type of an operand."""
    found = names.get(value)
    if found is not None:
        return found
    printer = _CONSTANTS.get(type(value))
    if printer is not None:
        return printer(value, names)
    if isinstance(value, GlobalValue):
        return symbol_text(value)
    # A value from elsewhere: readable in messages, refused by LLVM and by the verifier.
    return "%" + quote_name(value.name) if value.name else f"%<{type(value).__name__.lower()}>"


def typed(value: Value, names: Names) -> str:
    return f"{value.type.text} {operand(value, names)}"


def _const_int(value: ConstInt, names: Names) -> str:
    if value.type is I1:
        return "true" if value.value else "false"
    return str(value.value)


def _const_aggregate(value: ConstAggregate, names: Names) -> str:
    inner = ", ".join([typed(e, names) for e in value.elements])
    type_ = value.type
    if isinstance(type_, StructType):
        text = f"{{ {inner} }}" if inner else "{}"
        return f"<{text}>" if type_.packed else text
    return f"<{inner}>" if type_.is_vector else f"[{inner}]"


def _const_expr(value: ConstExpr, names: Names) -> str:
    flags = " " + value.flags if value.flags else ""
    inner = ", ".join([typed(o, names) for o in value.operands])
    if value.source_type is not None:
        inner = f"{value.source_type.text}, {inner}"
    elif value.opcode in CASTS:
        inner = f"{inner} to {value.type.text}"
    return f"{value.opcode}{flags} ({inner})"


def _metadata(value: MetadataOperand, names: Names) -> str:
    inner = value.value
    if inner is None:
        return value.text
    if isinstance(inner, (Instruction, Argument)) and inner not in names and names:
        return f"{inner.type.text} poison"
    return typed(inner, names)


def _symbol(value: GlobalValue, names: Names) -> str:
    return symbol_text(value)


_CONSTANTS: dict[type, Callable[..., str]] = {
    ConstInt: _const_int,
    ConstFloat: lambda value, names: value.text,
    ConstSimple: lambda value, names: value.text,
    ConstString: lambda value, names: value.text,
    RawConstant: lambda value, names: value.text,
    ConstAggregate: _const_aggregate,
    ConstSplat: lambda value, names: f"splat ({typed(value.element, names)})",
    ConstExpr: _const_expr,
    MetadataOperand: _metadata,
}

_BY_NAME = {
    **{model.__name__: printer for model, printer in _CONSTANTS.items()},
    **dict.fromkeys(("GlobalVariable", "GlobalAlias", "Function"), _symbol),
}

CONSTANT_PRINTER: Dispatch[Callable[..., str]] = Dispatch(
    "printer",
    "operands become text",
    CONSTANTS,
    {c.name: _BY_NAME[c.model] for c in CONSTANTS.values()},
)


def print_instruction(instruction: Instruction, names: Names | None = None) -> str:
    """One instruction without indentation; names as in the whole function unless given."""
    if names is None:
        parent = instruction.parent
        whole = parent.parent if parent is not None else None
        names = local_names(whole) if whole is not None else {}
    printer = PRINTER.handlers[instruction.opcode]
    assert printer is not None
    text = printer(instruction, names)
    if instruction.metadata:
        for kind, node in instruction.metadata.items():
            text += f", !{kind} {node}"
    if instruction.type is VOID:
        return text
    return f"{operand(instruction, names)} = {text}"


def _flagged(instruction: Instruction) -> str:
    flags = instruction.flags
    return f"{instruction.opcode} {' '.join(flags)}" if flags else instruction.opcode


def _attached(suffix: str) -> str:
    """The words after a global: a comma joins, attributes follow a space."""
    if not suffix:
        return ""
    return suffix if suffix[0] == "," else " " + suffix


def _binary(instruction: Instruction, names: Names) -> str:
    left, right = instruction.operands
    return (
        f"{_flagged(instruction)} {left.type.text} "
        f"{names.get(left) or operand(left, names)}, {names.get(right) or operand(right, names)}"
    )


def _cast(instruction: Instruction, names: Names) -> str:
    return f"{_flagged(instruction)} {typed(instruction.operands[0], names)} to {instruction.type.text}"


def _plain(instruction: Instruction, names: Names) -> str:
    """``opcode flags type a, type b, ...``"""
    inner = ", ".join([typed(o, names) for o in instruction.operands])
    return f"{_flagged(instruction)} {inner}" if inner else _flagged(instruction)


def _raw(instruction: Raw, names: Names) -> str:
    operands = instruction.operands
    return "".join(
        [p if isinstance(p, str) else operand(operands[p], names) for p in instruction.pieces]
    )


def _cmp(instruction: Cmp, names: Names) -> str:
    left, right = instruction.operands
    return (
        f"{_flagged(instruction)} {instruction.predicate} {left.type.text} "
        f"{operand(left, names)}, {operand(right, names)}"
    )


def _phi(instruction: Phi, names: Names) -> str:
    incoming = ", ".join(
        [
            f"[ {operand(v, names)}, {operand(b, names)} ]"
            for v, b in zip(instruction.operands, instruction.blocks)
        ]
    )
    return f"{_flagged(instruction)} {instruction.type.text} {incoming}"


def _gep(instruction: Gep, names: Names) -> str:
    inner = ", ".join([typed(o, names) for o in instruction.operands])
    return f"{_flagged(instruction)} {instruction.source_type.text}, {inner}"


def _load(instruction: Load, names: Names) -> str:
    text = (
        f"{_flagged(instruction)} {instruction.type.text}, {typed(instruction.operands[0], names)}"
    )
    return text + _access(instruction)


def _store(instruction: Store, names: Names) -> str:
    value, pointer = instruction.operands
    return f"{_flagged(instruction)} {typed(value, names)}, {typed(pointer, names)}" + _access(
        instruction
    )


def _access(instruction: Load | Store) -> str:
    suffix = " " + instruction.suffix if instruction.suffix else ""
    return f"{suffix}, align {instruction.align}" if instruction.align else suffix


def _alloca(instruction: Alloca, names: Names) -> str:
    text = f"{_flagged(instruction)} {instruction.allocated_type.text}"
    for count in instruction.operands:
        text += ", " + typed(count, names)
    if instruction.align:
        text += f", align {instruction.align}"
    if isinstance(instruction.type, PointerType) and instruction.type.addrspace:
        text += f", addrspace({instruction.type.addrspace})"
    return text


def _call(instruction: Call, names: Names) -> str:
    words = [instruction.head] if instruction.head else []
    words.append(instruction.opcode)
    words += instruction.flags
    for word in (instruction.cc, instruction.ret_attributes):
        if word:
            words.append(word)
    called = instruction.function_type
    words.append(called.text if called.vararg else called.ret.text)
    arguments: list[str] = []
    operands = instruction.operands
    for value, attributes in zip(operands, instruction.arg_attributes):
        text = value.type.text
        if attributes:
            text += " " + attributes
        arguments.append(f"{text} {operand(value, names)}")
    text = f"{' '.join(words)} {operand(operands[-1], names)}({', '.join(arguments)})"
    if instruction.fn_attributes:
        text += " " + instruction.fn_attributes
    if instruction.bundles:
        first = len(arguments)
        text += " " + _BUNDLE_OPERAND.sub(
            lambda match: operand(operands[first + int(match[1])], names), instruction.bundles
        )
    if instruction.opcode == "invoke":
        normal, unwind = (names[b] for b in instruction.successors())
        return f"{text} to label {normal} unwind label {unwind}"
    if instruction.opcode == "callbr":
        blocks = [f"label {names[b]}" for b in instruction.successors()]
        return f"{text} to {blocks[0]} [{', '.join(blocks[1:])}]"
    return text


def _aggregate(instruction: Aggregate, names: Names) -> str:
    inner = ", ".join([typed(o, names) for o in instruction.operands])
    return f"{instruction.opcode} {inner}, {', '.join(map(str, instruction.indices))}"


def _ret(instruction: Instruction, names: Names) -> str:
    return "ret " + (typed(instruction.operands[0], names) if instruction.operands else "void")


def _switch(instruction: Instruction, names: Names) -> str:
    value, default, *rest = instruction.operands
    cases = " ".join(
        [f"{typed(c, names)}, label {operand(b, names)}" for c, b in zip(rest[::2], rest[1::2])]
    )
    return f"switch {typed(value, names)}, label {operand(default, names)} [ {cases} ]"


def _indirectbr(instruction: Instruction, names: Names) -> str:
    address, *targets = instruction.operands
    return f"indirectbr {typed(address, names)}, [{', '.join([typed(t, names) for t in targets])}]"


def _va_arg(instruction: Instruction, names: Names) -> str:
    return f"va_arg {typed(instruction.operands[0], names)}, {instruction.type.text}"


PRINTER: Dispatch[Callable[..., str]] = Dispatch(
    "printer",
    "instructions become text",
    INSTRUCTIONS,
    {
        **dict.fromkeys(BINARY_INT | BINARY_FLOAT, _binary),
        **dict.fromkeys(CASTS, _cast),
        **dict.fromkeys(("icmp", "fcmp"), _cmp),
        **dict.fromkeys(("call", "invoke", "callbr"), _call),
        **dict.fromkeys(("extractvalue", "insertvalue"), _aggregate),
        **dict.fromkeys(
            "fneg select freeze extractelement insertelement shufflevector br resume"
            " unreachable".split(),
            _plain,
        ),
        **dict.fromkeys((o.name for o in INSTRUCTIONS.values() if o.model == "Raw"), _raw),
        "phi": _phi,
        "getelementptr": _gep,
        "load": _load,
        "store": _store,
        "alloca": _alloca,
        "ret": _ret,
        "switch": _switch,
        "indirectbr": _indirectbr,
        "va_arg": _va_arg,
    },
)


def type_definitions(module: Module) -> str:
    """The lines that define the named structs of a module."""
    return "\n".join([f"{s.name} = type {s.body_text}" for s in module.structs.values()])


__all__ = [
    "Block",
    "local_names",
    "operand",
    "print_function",
    "print_global",
    "print_instruction",
    "print_module",
    "symbol_text",
    "type_definitions",
    "typed",
]

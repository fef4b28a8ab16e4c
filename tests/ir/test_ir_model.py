"""The verifier's refusals, cloning, building, sizes, and removal of what is dead."""

from __future__ import annotations

import llvmlite.binding as llvm
import pytest

from enzyme.engine.ir.builder import Builder
from enzyme.engine.ir.clone import clone_function, clone_instruction
from enzyme.engine.ir.datalayout import DataLayout
from enzyme.engine.ir.instructions import Instruction, Load, Phi
from enzyme.engine.ir.module import Module, new_function
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.printer import print_function, print_instruction, print_module
from enzyme.engine.ir.simplify import remove_dead, remove_unreachable_blocks
from enzyme.engine.ir.types import DOUBLE, I1, I8, I32, I64, PTR, VOID, array_type, vector_type
from enzyme.engine.ir.values import ConstFloat, ConstInt
from enzyme.engine.ir.verifier import verify_function, verify_module
from enzyme.errors import IRVerifyError

LOOP = """
define double @f(ptr %p, i64 %n) {
entry:
  br label %head

head:
  %i = phi i64 [ 0, %entry ], [ %i.next, %head ]
  %s = phi double [ 0.000000e+00, %entry ], [ %s.next, %head ]
  %q = getelementptr inbounds double, ptr %p, i64 %i
  %x = load double, ptr %q, align 8
  %s.next = fadd double %s, %x
  %i.next = add i64 %i, 1
  %go = icmp slt i64 %i.next, %n
  br i1 %go, label %head, label %exit

exit:
  ret double %s.next
}
"""


def accepted(module: Module) -> str:
    verify_module(module)
    parsed = llvm.parse_assembly(print_module(module), context=llvm.create_context())
    parsed.verify()
    return str(parsed)


def loop():
    function = parse_module(LOOP).functions["f"]
    named = {i.name: i for i in function.instructions()}
    return function, named


def refused(function, message):
    with pytest.raises(IRVerifyError) as caught:
        verify_function(function)
    assert any(message in problem for problem in caught.value.problems), caught.value
    assert caught.value.function == function.name


def test_the_loop_is_fine():
    verify_function(loop()[0])


def test_missing_terminator():
    function, _ = loop()
    function.blocks[-1].terminator.erase()
    refused(function, "block %exit has no terminator")


def test_terminator_in_the_middle():
    function, _ = loop()
    function.blocks[1].insert(2, Instruction("unreachable", VOID))
    refused(function, "terminator in the middle of block %head")


def test_phi_after_others():
    function, _ = loop()
    entry, head, _ = function.blocks
    zero = ConstInt(I64, 0)
    head.insert(3, Phi(I64, [(zero, entry), (zero, head)], "late"))
    refused(function, "phi after other instructions")


def test_phi_without_a_predecessor():
    function, named = loop()
    named["i"].remove_incoming(function.entry)
    refused(function, "the predecessors are %entry, %head")


def test_definition_after_use():
    function, named = loop()
    x, block = named["x"], named["x"].parent
    x.remove()
    block.insert(len(block.instructions) - 1, x)
    refused(function, "%x does not dominate this use")


def test_use_beyond_dominance():
    function, named = loop()
    function.entry.insert(0, Instruction("fneg", DOUBLE, (named["x"],), "early"))
    refused(function, "%x does not dominate this use")


def test_phi_operand_from_the_wrong_side():
    function, named = loop()
    named["s"].set_operand(0, named["s.next"])
    refused(function, "%s.next does not dominate this use")


def test_operand_of_another_function():
    function, named = loop()
    _, others = loop()
    named["s.next"].set_operand(1, others["x"])
    refused(function, "is not of this function")


def test_symbol_of_another_module():
    function, named = loop()
    other, _ = loop()
    named["q"].set_operand(0, other)
    refused(function, "symbol @f is not of this module")


def test_entry_with_predecessors():
    function, named = loop()
    terminator = function.blocks[1].terminator
    terminator.set_operand(1, function.entry)
    named["i"].remove_incoming(function.blocks[1])
    named["s"].remove_incoming(function.blocks[1])
    refused(function, "the entry has predecessors")


def test_broken_count_of_users():
    function, named = loop()
    named["x"].users.clear()
    refused(function, "%x: the count of its users is wrong")


def test_wrong_parent():
    function, named = loop()
    named["x"].parent = function.entry
    refused(function, "with another parent")


@pytest.mark.parametrize(
    ("opcode", "type_", "operands", "message"),
    [
        ("fadd", DOUBLE, (ConstFloat.of(DOUBLE, 1), ConstInt(I64, 1)), "one type"),
        ("fadd", I64, (ConstInt(I64, 1), ConstInt(I64, 1)), "float expected"),
        ("add", DOUBLE, (ConstFloat.of(DOUBLE, 1), ConstFloat.of(DOUBLE, 1)), "integer expected"),
        ("zext", I8, (ConstInt(I64, 1),), "zext cannot turn i64 into i8"),
        ("trunc", I64, (ConstInt(I64, 1),), "trunc cannot turn"),
        ("fpext", DOUBLE, (ConstFloat.of(DOUBLE, 1),), "fpext cannot turn"),
        ("sitofp", I64, (ConstInt(I64, 1),), "sitofp cannot turn"),
        ("select", I64, (ConstInt(I1, 1), ConstInt(I64, 1), ConstInt(I8, 1)), "both choices"),
        ("fneg", DOUBLE, (ConstInt(I64, 1),), "operand and result"),
        ("ret", VOID, (), "returns void where double is expected"),
    ],
)
def test_operand_types(opcode, type_, operands, message):
    function, _ = loop()
    made = Instruction(opcode, type_, operands)
    block = function.blocks[-1]
    if opcode == "ret":
        block.terminator.erase()
        block.append(made)
    else:
        block.insert(0, made)
    refused(function, message)


def test_calls_stores_and_loads_are_checked():
    module = parse_module(
        "declare void @g(i32)\ndefine void @f(ptr %p) {\n  call void @g(i32 1)\n  ret void\n}"
    )
    function = module.functions["f"]
    call = function.entry.instructions[0]
    call.set_operand(0, ConstInt(I64, 1))
    refused(function, "an argument of i64 where i32 is expected")
    call.set_operand(0, ConstInt(I32, 1))
    function.entry.insert(0, Load(I32, ConstInt(I64, 5), name="l"))
    refused(function, "the address must be a pointer")


def test_module_counts_users_of_symbols():
    module = parse_module("declare void @g()\ndefine void @f() {\n  call void @g()\n  ret void\n}")
    module.functions["g"].users.clear()
    with pytest.raises(IRVerifyError, match="@g: the count of its users is wrong"):
        verify_module(module)


def test_clone_is_equal_and_independent():
    function, named = loop()
    before = print_function(function)
    copy, mapping = clone_function(function, "copy")
    assert print_function(copy) == before.replace("@f(", "@copy(")
    assert mapping[named["x"]].name == "x" and mapping[function.entry] is copy.entry
    mapping[named["x"]].replace_uses_with(ConstFloat.of(DOUBLE, 2.0))
    mapping[named["x"]].erase()
    assert print_function(function) == before
    accepted(function.module)


def test_clone_with_a_value_in_place_of_an_argument():
    function, _ = loop()
    copy, mapping = clone_function(function, "four", {function.args[1]: ConstInt(I64, 4)})
    assert "icmp slt i64 %i.next, 4" in print_function(copy)
    assert not copy.args[1].users and mapping[function.args[1]].value == 4
    accepted(function.module)


def test_clone_drops_comdat_and_subprogram():
    module = parse_module(
        "$f = comdat any\ndefine void @f() #0 comdat { ret void }\nattributes #0 = { nounwind }"
    )
    copy, _ = clone_function(module.functions["f"], "g")
    assert copy.suffix == "#0"
    accepted(module)


def test_clone_of_one_instruction():
    _, named = loop()
    made = clone_instruction(named["s.next"], {named["x"]: named["s"]})
    assert made.operands == [named["s"], named["s"]] and made.parent is None
    assert named["s"].users[made] == 2
    made.drop_operands()
    assert made not in named["s"].users


def test_builder_makes_what_llvm_takes():
    module = Module()
    function = new_function(module, "f", DOUBLE, [(DOUBLE, "x"), (I64, "n"), (PTR, "p")])
    x, n, p = function.args
    entry, body, end = (function.append_block(name) for name in ("entry", "body", "end"))
    b = Builder(entry, fast=("contract",))
    slot = b.alloca(DOUBLE, "slot", align=8)
    b.store(x, slot, 8)
    b.br(body)
    b.at_end(body)
    i = b.phi(I64, "i")
    y = b.fmul(b.load(DOUBLE, slot, "v", 8), b.intrinsic("sqrt", [x]), "y")
    b.store(y, b.gep(DOUBLE, p, [i], "q"), 8)
    following = b.iadd(i, b.i64(1), "next")
    i.add_incoming(b.i64(0), entry)
    i.add_incoming(following, body)
    b.cond_br(b.icmp("slt", following, n), body, end)
    b.at_end(end)
    pair = b.make_struct(parse_module("%p = type { double, i64 }").structs["%p"], [y, n])
    b.ret(b.select(b.fcmp("olt", y, x), b.extract_value(pair, [0]), b.fneg(y)))
    assert pair.type.text == "%p"
    module.structs["%p"] = pair.type
    text = accepted(module)
    assert "call contract double @llvm.sqrt.f64(double %x)" in text
    assert "fmul contract double" in text


def test_builder_folds():
    b = Builder()
    x = new_function(Module(), "f", I64, [(I64, "x")]).args[0]
    assert b.iadd(x, b.i64(0)) is x and b.imul(b.i64(1), x) is x
    assert b.iadd(b.i64(2), b.i64(3)).value == 5
    assert b.imul(x, b.i64(0)).value == 0


LAYOUT = (
    'target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-'
    'n8:16:32:64-S128"\n'
)


@pytest.mark.parametrize(
    "text",
    [
        "i1", "i7", "i8", "i24", "i32", "i64", "i65", "i128", "i129", "half", "bfloat", "float", "double",
        "x86_fp80", "fp128", "ptr", "ptr addrspace(270)", "[3 x i16]", "[0 x i64]", "<4 x float>",
        "<3 x float>", "<7 x i1>", "<2 x ptr>", "{}", "{ i8, i32 }", "<{ i8, i32 }>",
        "{ i8, i128, i16 }", "{ ptr, ptr, i64, i64, ptr, [2 x i64], [2 x i64] }",
        "{ i1, { x86_fp80, i8 }, [3 x { i8, double }] }", "{ <3 x i32>, i8 }",
    ],
)  # fmt: skip
def test_sizes_agree_with_llvm(text):
    source = LAYOUT + f"@g = external global {text}\n"
    module = parse_module(source)
    type_ = module.globals["g"].value_type
    layout = DataLayout.of(module)
    reference = llvm.parse_assembly(source, context=llvm.create_context())
    target = llvm.create_target_data(reference.data_layout)
    theirs = reference.get_global_variable("g").global_value_type
    assert layout.size_of(type_) == target.get_abi_size(theirs)
    assert layout.abi_align(type_) == target.get_abi_alignment(theirs)


def test_offsets():
    module = parse_module(
        LAYOUT
        + "%s = type { i8, [4 x { i16, double }], ptr }\n"
        + "define void @f(ptr %p, i64 %i, i32 %j) {\n"
        + "  %1 = getelementptr %s, ptr %p, i64 2, i32 1, i64 %i, i32 1\n"
        + "  %2 = getelementptr %s, ptr %p, i32 %j, i32 2\n"
        + "  %3 = getelementptr i8, ptr %p, i64 -8\n"
        + "  ret void\n}"
    )
    function = module.functions["f"]
    layout = DataLayout.of(module)
    one, two, three, _ = function.entry.instructions
    struct = module.structs["%s"]
    assert layout.size_of(struct) == 80 and layout.store_size(struct) == 80
    assert [layout.field_offset(struct, k) for k in range(3)] == [0, 8, 72]
    assert layout.gep_offset(one) == (160 + 8 + 8, [(function.args[1], 16)])
    assert layout.gep_offset(two) == (72, [(function.args[2], 80)])
    assert layout.gep_offset(three) == (-8, [])
    assert DataLayout.of(Module()).size_of(array_type(3, vector_type(2, DOUBLE))) == 48


def test_remove_dead():
    module = parse_module(
        """
declare double @llvm.sin.f64(double)
declare double @unknown(double)
declare double @pure(double) #0
declare double @reads(ptr) nounwind willreturn memory(argmem: read)
declare void @writes(ptr) nounwind willreturn memory(argmem: write)
define double @f(double %x, ptr %p, i1 %c) {
entry:
  %a = fadd double %x, 1.0
  %b = call double @llvm.sin.f64(double %a)
  %d = call double @pure(double %b)
  %e = call double @unknown(double %x)
  %r = call double @reads(ptr %p)
  call void @writes(ptr %p)
  %l = load double, ptr %p
  %v = load volatile double, ptr %p
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %j = add i64 %i, 1
    #dbg_value(i64 %j, !0, !DIExpression(), !1)
  br i1 %c, label %loop, label %end
end:
  ret double %x
}
attributes #0 = { nounwind willreturn memory(none) }
!0 = !{}
!1 = !{}
"""
    )
    function = module.functions["f"]
    assert remove_dead(function) == 7
    assert [print_instruction(i) for i in function.instructions()] == [
        "%e = call double @unknown(double %x)",
        "call void @writes(ptr %p)",
        "%v = load volatile double, ptr %p",
        "br label %loop",
        "#dbg_value(i64 poison, !0, !DIExpression(), !1)",
        "br i1 %c, label %loop, label %end",
        "ret double %x",
    ]
    verify_module(module)


def test_remove_unreachable_blocks():
    module = parse_module(
        "define i32 @f(i32 %x) {\nentry:\n  br label %end\ndead:\n  %a = add i32 %b, 1\n  br label %dead2\n"
        "dead2:\n  %b = add i32 %a, 1\n  br i1 true, label %dead, label %end\n"
        "end:\n  %p = phi i32 [ %x, %entry ], [ %b, %dead2 ]\n  ret i32 %p\n}"
    )
    function = module.functions["f"]
    assert remove_unreachable_blocks(function) == 2
    assert [b.name for b in function.blocks] == ["entry", "end"]
    assert function.blocks[1].phis()[0].incoming == [(function.args[0], function.entry)]
    accepted(module)

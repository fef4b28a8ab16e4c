"""Words of functions stand where LLVM reads them, and each function has debug information of its own."""

from __future__ import annotations

import itertools
import re

import pytest

from enzyme.backend import passes
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.printer import print_module
from enzyme.frontdoor.attributes import add_attribute
from enzyme.frontdoor.exceptions import let_exceptions_pass

from .frontdoor_harness import opt

pytestmark = pytest.mark.rotating(4)

# What may stand behind the parameters, in LLVM's order.
WORDS = (
    ("unnamed_addr", "local_unnamed_addr"),
    ("#0", "nounwind #0", "noinline"),
    ('section ".text.hot"',),
    ("comdat",),
    ("align 16",),
    ("personality ptr @__gxx_personality_v0",),
    ("!note !0",),
)
MODULE = """
$grad.f = comdat any
declare i32 @__gxx_personality_v0(...)
declare void @__cxa_throw(ptr, ptr, ptr)
define linkonce_odr double @grad.f(double %x) {words} {{
  ret double %x
}}
attributes #0 = {{ nounwind willreturn }}
!0 = !{{}}
"""


@pytest.mark.parametrize("change", ["an attribute", "exceptions"])
def test_an_attribute_more(change):
    for chosen in itertools.product(*[("", *words) for words in WORDS]):
        text = MODULE.format(words=" ".join(word for word in chosen if word))
        module = parse_module(text)
        if change == "exceptions":
            let_exceptions_pass(module)
        else:
            add_attribute(module.functions["grad.f"], "uwtable")
        made = parse_module(str(passes.parse(print_module(module))))
        words = made.functions["grad.f"].attribute_texts().split()
        assert "uwtable" in words, text
        assert ("nounwind" in words) is (change != "exceptions" and "#0" in chosen[1]), text


# As clang prints it with -g: where variables live is told by records beside the instructions.
DESCRIBED = """
@enzyme_width = external global i32
@enzyme_vector = external global i32
%pair = type { double, double }
declare double @__enzyme_autodiff(...)
declare double @__enzyme_fwddiff(...)
declare ptr @__enzyme_augmentfwd(...)
declare double @__enzyme_reverse(...)
declare %pair @__enzyme_batch(...)
define internal void @split(double %x, ptr %e) #0 !dbg !19 {
  %i = fptosi double %x to i32
  store i32 %i, ptr %e, align 4
  ret void
}
define internal double @f(double %x) #0 !dbg !3 {
  %e = alloca i32, align 4, !DIAssignID !20
    #dbg_assign(i1 poison, !7, !DIExpression(), !20, ptr %e, !DIExpression(), !10)
    #dbg_declare(ptr %e, !7, !DIExpression(), !10)
    #dbg_value(double %x, !6, !DIExpression(), !10)
  call void @split(double %x, ptr %e), !dbg !10
  %y = fmul double %x, %x, !dbg !11
    #dbg_label(!9, !11)
    #dbg_value(!DIArgList(double %y, double %x), !8, !DIExpression(), !10)
  %i = load i32, ptr %e, align 4, !dbg !11
  %v = sitofp i32 %i to double, !dbg !11
  %r = fmul double %y, %v, !dbg !11
  ret double %r, !dbg !11
}
define double @df(double %x) #0 !dbg !12 {
    #dbg_value(double %x, !13, !DIExpression(), !14)
CALL
  ret double %r, !dbg !14
}
define double @dff(double %x) #0 !dbg !15 {
  %r = call double (...) @__enzyme_fwddiff(ptr @df, double %x, double 1.0), !dbg !16
  ret double %r, !dbg !16
}
attributes #0 = { ATTRIBUTES }
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!1}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !2, isOptimized: true, emissionKind: FullDebug)
!1 = !{i32 2, !"Debug Info Version", i32 3}
!2 = !DIFile(filename: "d.c", directory: "/")
!3 = distinct !DISubprogram(name: "f", scope: !2, file: !2, line: 3, type: !4, spFlags: DISPFlagDefinition, unit: !0)
!4 = !DISubroutineType(types: !5)
!5 = !{}
!6 = !DILocalVariable(name: "x_of_f", arg: 1, scope: !3, file: !2, line: 3, type: !17)
!7 = !DILocalVariable(name: "e_of_f", scope: !3, file: !2, line: 3, type: !18)
!8 = !DILocalVariable(name: "y_of_f", scope: !3, file: !2, line: 3, type: !17)
!9 = !DILabel(scope: !3, name: "back", file: !2, line: 4)
!10 = !DILocation(line: 3, scope: !3)
!11 = !DILocation(line: 4, scope: !3)
!12 = distinct !DISubprogram(name: "df", scope: !2, file: !2, line: 9, type: !4, spFlags: DISPFlagDefinition, unit: !0)
!13 = !DILocalVariable(name: "x_of_df", arg: 1, scope: !12, file: !2, line: 9, type: !17)
!14 = !DILocation(line: 9, scope: !12)
!15 = distinct !DISubprogram(name: "dff", file: !2, line: 12, type: !4, spFlags: DISPFlagDefinition, unit: !0)
!16 = !DILocation(line: 12, scope: !15)
!17 = !DIBasicType(name: "double", size: 64, encoding: DW_ATE_float)
!18 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
!19 = distinct !DISubprogram(name: "split", file: !2, line: 1, type: !4, spFlags: DISPFlagDefinition, unit: !0)
!20 = distinct !DIAssignID()
"""
CALLS = {
    "gradient": "  %r = call double (...) @__enzyme_autodiff(ptr @f, double %x), !dbg !14",
    "tangent": "  %r = call double (...) @__enzyme_fwddiff(ptr @f, double %x, double 1.0), !dbg !14",
    "split": """  %t = call ptr (...) @__enzyme_augmentfwd(ptr @f, double %x), !dbg !14
  %r = call double (...) @__enzyme_reverse(ptr @f, double %x, double 1.0, ptr %t), !dbg !14""",
    "batch": """  %p = call %pair (...) @__enzyme_batch(ptr @f, ptr @enzyme_width, i64 2, ptr @enzyme_vector,
    double %x, double 2.0), !dbg !14
  %r = extractvalue %pair %p, 1""",
}


@pytest.mark.parametrize("options", [(), ("-O",)], ids=["plain", "optimised"])
@pytest.mark.parametrize("attributes", ["optnone noinline", "nounwind"], ids=["-O0", "-O2"])
@pytest.mark.parametrize("call", CALLS)
def test_debug_information_is_kept(call, attributes, options, capfd):
    """LLVM takes all of it away, and says so, where one record is not of the function that it stands in."""
    text = DESCRIBED.replace("CALL", CALLS[call]).replace("ATTRIBUTES", attributes)
    if call in ("split", "batch"):  # no derivatives of these
        start = text.index("define double @dff")
        text = text[:start] + text[text.index("attributes #0") :]
    made = opt(text, *options)
    assert capfd.readouterr() == ("", "")
    assert '!DILocalVariable(name: "x_of_df"' in made
    assert re.search(r"^define .*@df\(.*!dbg", made, re.M)

"""Calls of a linked module against the functions they call."""

from __future__ import annotations

import pytest

from enzyme.backend import link, passes, symbols
from enzyme.backend.call_sites import CallMismatchError, check_calls
from enzyme.backend.jit import JittedModule

DEFINED = "define {convention}{ret} @f({parameters}) {{\n  unreachable\n}}\n"
CALLER = "{declared}define void @caller(ptr %p, double %x, i64 %n) {{\n  {call}\n  ret void\n}}\n"
# A definition, and calls that fit it and do not.
CASES = [
    (
        ("", "void", "ptr %p, i64 %n"),
        ["call void @f(ptr nonnull align 8 %p, i64 3)", "tail call ccc void @f(ptr %p, i64 %n) #0"],
        ["call void @f(ptr %p)", "call void @f(ptr %p, double %x)", "%r = call i64 @f(ptr %p, i64 3)"],
    ),
    (
        ("fastcc ", "noundef double", "double %x"),
        ["%r = tail call reassoc nsz fastcc noundef double @f(double %x)"],
        ["%r = call double @f(double %x)", "%r = call coldcc double @f(double %x)"],
    ),
    (
        ("cc 10 ", "{ i32, [2 x ptr] }", "<2 x double> %v, { i64, ptr } %s"),
        ["%r = call cc 10 { i32, [2 x ptr] } @f(<2 x double> zeroinitializer, { i64, ptr } poison)"],
        [
            "%r = call cc 10 { i32, ptr } @f(<2 x double> zeroinitializer, { i64, ptr } poison)",
            "%r = call cc 10 { i32, [2 x ptr] } @f(<2 x double> zeroinitializer, { i64, i64 } poison)",
            "%r = call cc 11 { i32, [2 x ptr] } @f(<2 x double> zeroinitializer, { i64, ptr } poison)",
        ],
    ),
    (
        ("", "i32", "ptr %p, ..."),
        ["%r = call i32 (ptr, ...) @f(ptr %p, double %x)"],
        ["%r = call i32 (i64, ...) @f(i64 %n, double %x)", "%r = call fastcc i32 (ptr, ...) @f(ptr %p)"],
    ),
]  # fmt: skip


def module(defined, call):
    convention, ret, parameters = defined
    made = DEFINED.format(convention=convention, ret=ret, parameters=parameters)
    return str(passes.parse(made + CALLER.format(declared="", call=call)))  # LLVM accepts it


@pytest.mark.parametrize(("defined", "right", "wrong"), CASES)
def test_calls(defined, right, wrong):
    for call in right:
        check_calls(module(defined, call).replace("#0", "nounwind"))
    for call in wrong:
        with pytest.raises(CallMismatchError, match=r"@f is .*, and called as"):
            check_calls(module(defined, call))


def test_modules_that_are_linked():
    fast = "define fastcc double @f(double %x) {\n  ret double %x\n}\n"
    declared = "declare double @f(double)\n"
    caller = CALLER.format(declared=declared, call="%r = call double @f(double %x)")
    with pytest.raises(CallMismatchError, match=r"@f is fastcc double \(double\), and called as"):
        link.link([caller, fast])
    with pytest.raises(CallMismatchError):
        passes.optimise_after_ad_module(caller, parts=[passes.parse(fast)])
    link.link([caller, fast.replace("fastcc ", "")])


def test_symbols_of_the_process():
    symbols.register("enzyme_test_of_shapes", 1, "double (double)")
    declared = "declare double @enzyme_test_of_shapes(double, i64)\n"
    call = "%r = call double @enzyme_test_of_shapes(double %x, i64 %n)"
    with pytest.raises(CallMismatchError, match=r"@enzyme_test_of_shapes is double \(double\)"):
        JittedModule(CALLER.format(declared=declared, call=call))

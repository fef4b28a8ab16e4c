"""Symbols of a program: without serial numbers, numbered where they would be equal, copies put together."""

from __future__ import annotations

import llvmlite.binding as llvm
import pytest

from enzyme.backend import host
from enzyme.frontend.names import merged, plain, restore_names, settle_names

ENVIRONMENT = "_ZN08NumbaEnv4user1fB2v7Ed"
TEXT = """
@_ZN08NumbaEnv4user1fB2v7Ed = common global ptr null
@enzyme.object.1234.sine = external constant i8
define internal double @_ZN4user1fB2v7Ed(double %x) {
  %y = fadd double %x, 1.0
  ret double %y
}
define internal double @_ZN4user1fB2v9Ed(double %x) {
  %y = fadd double %x, LAST
  ret double %y
}
define double @_ZN4user1gB3v10Ed(double %x) {
  %y = call double @_ZN4user1fB2v9Ed(double %x)
  %z = call double @_ZN4user1fB2v7Ed(double %y)
  ret double %z
}
"""


def program(last: str):
    host.initialise()
    module = llvm.parse_assembly(TEXT.replace("LAST", last))
    return module, *settle_names(module)


@pytest.mark.parametrize(
    ("symbol", "expected"),
    [
        ("_ZN4user1fB2v7Ed", "_ZN4user1fEd"),
        ("grad._ZN4user1fB2v7Ed.null.2", "grad._ZN4user1fEd.null.2"),
        ("enzyme.nested.12.grad._ZN4user1fEd", "enzyme.nested.grad._ZN4user1fEd"),
        (
            "_Dtor.instance.jitclass.Layer#7f7cde373a50<w:float64>",
            "_Dtor.instance.jitclass.Layer#<w:float64>",
        ),
        ("_ZN4user1fE5ArrayI6RecordILi9028EELi1E", "_ZN4user1fE5ArrayI6RecordILi0EELi1E"),
        ("dgemm_", "dgemm_"),
    ],
)
def test_serial_numbers_and_addresses_go(symbol, expected):
    assert plain(symbol) == expected
    assert plain(expected) == expected


def test_functions_of_one_name_that_differ_are_numbered_in_order():
    module, new, _ = program("2.0")
    assert new["_ZN4user1fB2v7Ed"] == "_ZN4user1fEd"
    assert new["_ZN4user1fB2v9Ed"] == "_ZN4user1fEd1"
    assert merged(str(module), new) == str(module)


def test_copies_of_a_function_are_put_together():
    module, new, _ = program("1.0")
    text = merged(str(module), new)
    llvm.parse_assembly(text).verify()
    assert text.count("define internal") == 1
    assert text.count("call double @_ZN4user1fEd(") == 2


def test_what_is_found_outside_gets_its_name_back():
    module, _, outside = program("2.0")
    assert sorted(outside.values()) == [ENVIRONMENT, "enzyme.object.1234.sine"]
    assert ENVIRONMENT not in str(module)
    restore_names(module, outside)
    assert {v.name for v in module.global_variables} == {ENVIRONMENT, "enzyme.object.1234.sine"}

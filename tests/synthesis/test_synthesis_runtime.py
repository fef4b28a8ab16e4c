"""A run time that nobody has: other names, offsets and statuses. The engine knows what its model says, and no more.

Objects are 64 bytes: their count is at offset 8, the address of their data at 40. The functions are compiled on their
own, so that the engine sees declarations only; they count what is alive, and fresh memory is full of NaN.
"""

from __future__ import annotations

import ctypes
import functools
import re
from dataclasses import replace

import numpy as np
import pytest

from enzyme.backend.jit import JittedModule
from enzyme.engine.analysis.kinds import Activity, DiffMode
from enzyme.engine.analysis.typeinfer import analyse_types
from enzyme.engine.differentiate import differentiate
from enzyme.engine.ir.known_function import COUNTED, FRESH, KnownFunction
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.runtime_model import (
    NO_RUNTIME,
    CountedObjects,
    FixedAddresses,
    Interpreter,
    RuntimeModel,
    StatusConvention,
    Storage,
    by_name,
)
from enzyme.engine.synthesis.driver import Engine
from enzyme.engine.synthesis.request import DiffRequest
from enzyme.errors import EnzymeError
from enzyme.frontdoor.c_library import C_LIBRARY

RUNTIME = """
@vat_objects = global i64 0
@vat_cells = global i64 0
@vat_stopped = global i64 0
declare ptr @malloc(i64)
declare ptr @realloc(ptr, i64)
declare void @free(ptr)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

define ptr @vat_new(i64 %kind, i64 %bytes) {
  %object = call ptr @malloc(i64 64)
  %data = call ptr @malloc(i64 %bytes)
  call void @llvm.memset.p0.i64(ptr %data, i8 -1, i64 %bytes, i1 false)
  %count.at = getelementptr i8, ptr %object, i64 8
  store i64 1, ptr %count.at
  %data.at = getelementptr i8, ptr %object, i64 40
  store ptr %data, ptr %data.at
  %old = load i64, ptr @vat_objects
  %new = add i64 %old, 1
  store i64 %new, ptr @vat_objects
  ret ptr %object
}
define void @vat_keep(ptr %object) {
  %count.at = getelementptr i8, ptr %object, i64 8
  %count = load i64, ptr %count.at
  %more = add i64 %count, 1
  store i64 %more, ptr %count.at
  ret void
}
define void @vat_drop(ptr %object) {
  %count.at = getelementptr i8, ptr %object, i64 8
  %count = load i64, ptr %count.at
  %less = sub i64 %count, 1
  store i64 %less, ptr %count.at
  %last = icmp eq i64 %less, 0
  br i1 %last, label %end, label %done
end:
  %data.at = getelementptr i8, ptr %object, i64 40
  %data = load ptr, ptr %data.at
  call void @free(ptr %data)
  call void @free(ptr %object)
  %old = load i64, ptr @vat_objects
  %new = sub i64 %old, 1
  store i64 %new, ptr @vat_objects
  br label %done
done:
  ret void
}
define ptr @vat_cell(i64 %bytes) {
  %cell = call ptr @malloc(i64 %bytes)
  call void @llvm.memset.p0.i64(ptr %cell, i8 -1, i64 %bytes, i1 false)
  %old = load i64, ptr @vat_cells
  %new = add i64 %old, 1
  store i64 %new, ptr @vat_cells
  ret ptr %cell
}
define void @vat_wipe(ptr %cell) {
  call void @free(ptr %cell)
  %old = load i64, ptr @vat_cells
  %new = sub i64 %old, 1
  store i64 %new, ptr @vat_cells
  ret void
}
define ptr @vat_room(i64 %bytes) {
  %made = call ptr @malloc(i64 %bytes)
  ret ptr %made
}
define ptr @vat_more(ptr %room, i64 %bytes) {
  %made = call ptr @realloc(ptr %room, i64 %bytes)
  ret ptr %made
}
define void @vat_gone(ptr %room) {
  call void @free(ptr %room)
  ret void
}
define void @vat_complain(i64 %why) {
  store i64 %why, ptr @vat_stopped
  ret void
}
define void @vat_stop() {
  ret void
}
define ptr @vat_look(ptr %row) {
  %at = getelementptr i8, ptr %row, i64 72
  %items = load ptr, ptr %at
  ret ptr %items
}
"""


def rows():
    K, first = KnownFunction, frozenset({0})
    yield K("vat_new", "allocate", returns=COUNTED, size_operand=1, data_offset=40)
    yield K("vat_keep", "retain")
    yield K("vat_drop", "release")
    yield K("vat_cell", "allocate", returns=FRESH, size_operand=0)
    yield K("vat_wipe", "free", writes=first)
    yield K("vat_complain", "inactive")
    yield K("vat_look", "items", reads=first, returns_operand=0, data_slot=72)


VAT = RuntimeModel(
    "vat",
    by_name(rows()),
    storage=Storage("vat_room", "vat_more", "vat_gone", free_held="vat_wipe"),
    counted=CountedObjects(
        declarations="declare void @vat_keep(ptr)\ndeclare void @vat_drop(ptr)",
        retain="call void @vat_keep(ptr $object)",
        release="call void @vat_drop(ptr $object)",
        reset="%reset.at = getelementptr i8, ptr $object, i64 8\n  store i64 1, ptr %reset.at",
        paired="%paired.at = getelementptr i8, ptr $object, i64 8\n"
        "  %paired.count = load i64, ptr %paired.at\n"
        "  %paired = icmp eq i64 %paired.count, 2",
    ),
    interpreter=Interpreter("Eval", described="a formula that is read while the program runs"),
    fixed_addresses=FixedAddresses("vat.address.", "a call of a function in another process"),
    status=StatusConvention(success=(7,), no_memory=3),
    abort="vat_stop",
)

# out[0] = sum of sin(w) w, for w = x^2 in an object, and sin(w) in a cell. It complains of more than eight numbers, and
# leaves the object behind.
PROGRAM = """
declare ptr @vat_new(i64, i64)
declare void @vat_keep(ptr)
declare void @vat_drop(ptr)
declare ptr @vat_cell(i64)
declare void @vat_wipe(ptr)
declare void @vat_complain(i64)
declare double @llvm.sin.f64(double)

define i32 @f(ptr %x, i64 %n, ptr %out) {
entry:
  %bytes = shl i64 %n, 3
  %object = call ptr @vat_new(i64 4, i64 %bytes)
  %data.at = getelementptr i8, ptr %object, i64 40
  %data = load ptr, ptr %data.at
  call void @vat_keep(ptr %object)
  br label %fill
fill:
  %i = phi i64 [ 0, %entry ], [ %i.next, %fill ]
  %xi.at = getelementptr double, ptr %x, i64 %i
  %xi = load double, ptr %xi.at
  %square = fmul double %xi, %xi
  %wi.at = getelementptr double, ptr %data, i64 %i
  store double %square, ptr %wi.at
  %i.next = add i64 %i, 1
  %filled = icmp eq i64 %i.next, %n
  br i1 %filled, label %test, label %fill
test:
  call void @vat_drop(ptr %object)
  %many = icmp sgt i64 %n, 8
  br i1 %many, label %complain, label %start
complain:
  call void @vat_complain(i64 %n)
  ret i32 1
start:
  %cell = call ptr @vat_cell(i64 8)
  br label %add
add:
  %k = phi i64 [ 0, %start ], [ %k.next, %add ]
  %sum = phi double [ 0.0, %start ], [ %sum.next, %add ]
  %wk.at = getelementptr double, ptr %data, i64 %k
  %wk = load double, ptr %wk.at
  %sine = call double @llvm.sin.f64(double %wk)
  store double %sine, ptr %cell
  %again = load double, ptr %cell
  %term = fmul double %again, %wk
  store double %term, ptr %wk.at
  %sum.next = fadd double %sum, %term
  %k.next = add i64 %k, 1
  %added = icmp eq i64 %k.next, %n
  br i1 %added, label %end, label %add
end:
  call void @vat_wipe(ptr %cell)
  call void @vat_drop(ptr %object)
  store double %sum.next, ptr %out
  ret i32 7
}
"""
DOUBLES = "{[-1]:Pointer, [-1,-1]:Float@double}"
REQUEST = DiffRequest(
    "f",
    DiffMode.REVERSE,
    (Activity.DUPLICATED, Activity.CONST, Activity.DUPLICATED),
    return_primal=True,
    seeds=(DOUBLES, "{[-1]:Integer}", DOUBLES),
    runtime=VAT,
)


@functools.cache
def runtime() -> JittedModule:
    return JittedModule(RUNTIME, optimise=False)


def alive() -> tuple[int, int]:
    """Objects and cells."""
    at = map(runtime().address, ("vat_objects", "vat_cells"))
    return tuple(ctypes.c_int64.from_address(a).value for a in at)


def loaded(text: str) -> JittedModule:
    names = re.findall(r"@(vat_\w+)\(", RUNTIME)
    return JittedModule(text, symbol_addresses={n: runtime().address(n) for n in names})


class Status(ctypes.Structure):
    _fields_ = (("value", ctypes.c_int32),)


def run(mode: DiffMode, *arrays: np.ndarray) -> int:
    made = differentiate(PROGRAM, replace(REQUEST, mode=mode))
    assert not re.search(r"NRT|malloc|@free|@abort", made.text)
    pointer, word = ctypes.c_void_p, ctypes.c_int64
    module = loaded(made.text)
    function = module.function(made.symbol, Status, pointer, pointer, word, pointer, pointer)
    at = [a.ctypes.data for a in arrays]
    return function(at[0], at[1], arrays[0].size, at[2], at[3]).value


def expected(x):
    """The derivative of sin(x^2) x^2."""
    w = x * x
    return 2 * x * (np.sin(w) + w * np.cos(w))


def test_reverse():
    x, dx, out, seed = np.linspace(0.3, 1.4, 5), np.zeros(5), np.zeros(1), np.array([2.0])
    before = alive()
    assert run(DiffMode.REVERSE, x, dx, out, seed) == 7
    np.testing.assert_allclose(out, np.sum(np.sin(x * x) * x * x))
    np.testing.assert_allclose(dx, 2.0 * expected(x))
    assert alive() == before


def test_forward():
    x, dx, out, dout = np.linspace(0.3, 1.4, 5), np.arange(5.0), np.zeros(1), np.zeros(1)
    before = alive()
    assert run(DiffMode.FORWARD, x, dx, out, dout) == 7
    np.testing.assert_allclose(dout, expected(x) @ dx)
    assert alive() == before


@pytest.mark.parametrize("mode", [DiffMode.REVERSE, DiffMode.FORWARD])
def test_a_failure_leaves_no_object_behind(mode):
    """Nobody else holds the object, so the arena ends it whatever its count is."""
    before = alive()
    arrays = np.ones(9), np.ones(9), np.zeros(1), np.zeros(1)
    assert run(mode, *arrays) == 1
    complaint = ctypes.c_int64.from_address(runtime().address("vat_stopped")).value
    assert complaint == 9
    assert alive() == before


ITEMS = """
declare ptr @vat_look(ptr)
define double @f(ptr %row, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %i.next, %loop ]
  %product = phi double [ 1.0, %entry ], [ %next, %loop ]
  %items = call ptr @vat_look(ptr %row)
  %at = getelementptr double, ptr %items, i64 %i
  %item = load double, ptr %at
  %next = fmul double %product, %item
  %i.next = add i64 %i, 1
  %done = icmp eq i64 %i.next, %n
  br i1 %done, label %end, label %loop
end:
  ret double %next
}
"""


def test_items_of_a_growing_object():
    request = DiffRequest(
        "f",
        DiffMode.REVERSE,
        (Activity.DUPLICATED, Activity.CONST),
        Activity.ACTIVE,
        return_primal=False,
        seeds=("{[-1]:Pointer, [-1,72]:Pointer, [-1,72,-1]:Float@double}", ""),
        runtime=VAT,
    )
    made = differentiate(ITEMS, request)
    assert (
        "@vat_stop()" in made.text
    )  # without a status there is no other way to say that memory is short
    items, shadows = np.array([2.0, 3.0, 5.0]), np.zeros(3)
    row, d_row = np.zeros(10, np.int64), np.zeros(10, np.int64)
    row[9], d_row[9] = items.ctypes.data, shadows.ctypes.data
    pointer = ctypes.c_void_p
    module = loaded(made.text)
    function = module.function(made.symbol, None, pointer, pointer, ctypes.c_int64, ctypes.c_double)
    function(row.ctypes.data, d_row.ctypes.data, 3, 1.0)
    np.testing.assert_allclose(shadows, [15.0, 10.0, 6.0])


def test_types_reach_through_the_place_of_items():
    module = parse_module(ITEMS, VAT)
    types = analyse_types(module, module.functions["f"])
    assert "[-1,72,-1]:Float@double" in str(types.of(types.function.args[0]))


# Models -------------------------------------------------------------------------------------------


def test_without_the_model_nothing_is_known():
    with pytest.raises(EnzymeError, match=r"vat_\w+"):
        differentiate(PROGRAM, replace(REQUEST, runtime=NO_RUNTIME))


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        ("call double @Evaluate(ptr %x)", "a formula that is read while the program runs"),
        ("call double %there(ptr %x)", "a call of a function in another process"),
    ],
)
def test_refusals_speak_of_the_run_time(call, reason):
    text = f"""
@vat.address.g = external global ptr
declare double @Evaluate(ptr)
define double @f(ptr %x) {{
  %there = load ptr, ptr @vat.address.g
  %y = {call}
  ret double %y
}}
"""
    request = DiffRequest(
        "f",
        DiffMode.REVERSE,
        (Activity.DUPLICATED,),
        Activity.ACTIVE,
        seeds=(DOUBLES,),
        runtime=replace(VAT, status=None),
    )
    with pytest.raises(EnzymeError, match=reason):
        differentiate(text, request)


def test_requests_of_two_run_times_differ():
    assert replace(REQUEST, runtime=C_LIBRARY) != REQUEST
    assert len({REQUEST, replace(REQUEST), replace(REQUEST, runtime=replace(VAT))}) == 2


def test_a_module_has_one_run_time():
    with pytest.raises(ValueError, match="a module of the run time 'C', and a request for 'vat'"):
        Engine(parse_module(PROGRAM, C_LIBRARY)).differentiate(REQUEST)


@pytest.mark.parametrize(
    ("row", "reason"),
    [
        (KnownFunction("make", "allocate", returns=COUNTED), "data_offset"),
        (KnownFunction("make", "allocate", returns=FRESH, data_offset=8), "data_offset"),
        (KnownFunction("make", "allocate", returns=COUNTED, data_offset=8), "counted"),
        (KnownFunction("keep", "retain"), "counted"),
    ],
)
def test_a_model_that_says_too_little_is_an_error(row, reason):
    with pytest.raises(ValueError, match=reason):
        RuntimeModel("wrong", by_name([row]))

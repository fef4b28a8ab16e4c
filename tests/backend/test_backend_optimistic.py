"""Loops without guards give the numbers of loops with them, whatever stands in memory."""

from __future__ import annotations

import ctypes
import random
import re

import numpy as np
import pytest
from numba import njit, typeof

from enzyme import Active, Duplicated, Reverse, autodiff, enzyme_code_llvm
from enzyme.backend.jit import JittedModule
from enzyme.backend.optimistic import LEAST_GUARDS, LEAST_IN_CHAIN, without_guards
from enzyme.backend.passes import parse

LOOP = """
declare {type} @llvm.fabs.{short}({type})
declare {type} @llvm.minnum.{short}({type}, {type})
declare {type} @llvm.exp.{short}({type})
declare {type} @llvm.pow.{short}({type}, {type})
define void @f(ptr %a, ptr %out, i64 %n) {{
entry:
  br label %body
body:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %s0 = phi {type} [ 1.0, %entry ], [ %t0, %latch ]
  %s1 = phi {type} [ 0.0, %entry ], [ %t1, %latch ]
  %s2 = phi {type} [ -2.0, %entry ], [ %t2, %latch ]
  %row = getelementptr [4 x {type}], ptr %a, i64 %i
{loads}
{first}
  %next = add i64 %i, 1
  %done = icmp eq i64 %next, %n
  br i1 %done, label %exit, label %latch
latch:
{second}
  br label %body
exit:
{stores}
  ret void
}}
"""
# Their reciprocals are exact, or not finite.
POWERS = (
    0.0,
    -0.0,
    1.0,
    -2.0,
    0.5,
    -0.25,
    np.inf,
    -np.inf,
    np.nan,
    2.0**-149,
    2.0**-126,
    -(2.0**127),
)
WIDE_POWERS = (*POWERS, 2.0**-1074, 2.0**1023, -(2.0**-1022))
SPECIAL = (0.0, -0.0, 1.0, -2.0, 0.5, np.inf, -np.inf, np.nan, 1e-30, 3.0)


class Writer:
    """Random instructions on derivatives (`live`) and on numbers that nothing is derived from (`known`)."""

    def __init__(self, seed, type_):
        self.random = random.Random(seed)
        self.type = type_
        self.short = {"double": "f64", "float": "f32"}[type_]
        self.live = ["%s0", "%s1", "%s2"]
        self.known = [f"%p{k}" for k in range(4)]
        self.lines = []
        self.count = 0

    def add(self, text, among=None):
        name = f"%v{self.count}"
        self.count += 1
        self.lines.append(f"  {name} = {text}")
        if among is not None:
            among.append(name)
        return name

    def any(self):
        return self.random.choice(self.live[-6:])

    def factor(self):
        return self.random.choice(self.known)

    def guarded(self):
        d, p = self.any(), self.factor()
        seen = d
        if self.random.random() < 0.3:
            d = self.add(f"fneg nsz {self.type} {d}")
        form = self.random.choice(
            ["fmul nsz {t} {d}, {p}", "fmul nsz {t} {p}, {d}", "fdiv nsz {t} {d}, {p}"]
        )
        product = self.add(form.format(t=self.type, d=d, p=p))
        if self.random.random() < 0.3:
            product = self.add(f"fmul nsz {self.type} {product}, {self.factor()}")
        if self.random.random() < 0.7:
            zero = self.add(f"fcmp {self.random.choice(['oeq', 'ueq'])} {self.type} {seen}, 0.0")
            self.add(f"select i1 {zero}, {self.type} 0.0, {self.type} {product}", self.live)
        else:
            other = self.add(f"fcmp {self.random.choice(['une', 'one'])} {self.type} {seen}, 0.0")
            self.add(f"select i1 {other}, {self.type} {product}, {self.type} 0.0", self.live)

    def other(self):
        kind, t = self.random.randrange(10), self.type
        a, b = self.any(), self.any()
        if kind < 3:
            self.add(f"{self.random.choice(['fadd', 'fsub'])} nsz {t} {a}, {b}", self.live)
        elif kind == 3:
            chosen = self.add(f"fcmp olt {t} {self.factor()}, {self.factor()}")
            self.add(f"select i1 {chosen}, {t} {a}, {t} {b}", self.live)
        elif kind == 4:
            chosen = self.add(
                f"fcmp {self.random.choice(['olt', 'uge', 'uno'])} {t} {a}, {self.factor()}"
            )
            self.add(f"select i1 {chosen}, {t} {b}, {t} {self.factor()}", self.live)
        elif kind == 5:
            self.add(f"call {t} @llvm.minnum.{self.short}({t} {a}, {t} {b})", self.live)
        elif kind == 6:
            self.add(f"call {t} @llvm.pow.{self.short}({t} {a}, {t} 0.0)", self.live)
        elif kind == 7:
            inner = self.add(f"call {t} @llvm.fabs.{self.short}({t} {a})")
            self.add(f"fmul nsz {t} {inner}, 0.5", self.live)
        elif kind == 8 and t == "double":
            self.in_single_precision(a)
        else:
            whole = self.add(f"fptosi {t} {a} to i64")
            near = self.add(f"icmp sgt i64 {whole}, 1")
            self.add(f"select i1 {near}, {t} {b}, {t} {self.factor()}", self.live)

    def in_single_precision(self, a):
        d, p = (self.add(f"fptrunc double {x} to float") for x in (a, self.factor()))
        product = self.add(f"fmul nsz float {d}, {p}")
        zero = self.add(f"fcmp oeq float {d}, 0.0")
        guarded = self.add(f"select i1 {zero}, float 0.0, float {product}")
        self.add(f"fpext float {guarded} to double", self.live)

    def part(self, count, store=False):
        for _ in range(count):
            self.guarded() if self.random.random() < 0.6 else self.other()
        if store:
            self.lines.append(f"  store {self.type} {self.any()}, ptr %out")
            for _ in range(count):
                self.guarded() if self.random.random() < 0.6 else self.other()
        made, self.lines = "\n".join(self.lines), []
        return made


def program(seed, type_="double"):
    writer = Writer(seed, type_)
    loads = []
    for k in range(4):
        loads.append(f"  %at{k} = getelementptr {type_}, ptr %row, i64 {k}")
        loads.append(f"  %p{k} = load {type_}, ptr %at{k}")
    first = writer.part(8, store=seed % 3 == 0)
    outside = writer.live[-3:]
    second = writer.part(6 if seed % 2 else 0)
    for k in range(3):
        second += f"\n  %t{k} = fadd nsz {type_} {writer.any()}, 0.0"
    stores = [
        f"  %o{k} = getelementptr {type_}, ptr %out, i64 {k + 1}\n  store {type_} {v}, ptr %o{k}"
        for k, v in enumerate(outside)
    ]
    short = writer.short
    return as_printed(
        type=type_,
        short=short,
        loads="\n".join(loads),
        first=first,
        second=second,
        stores="\n".join(stores),
    )


def as_printed(**parts):
    return as_read(LOOP.format(**parts))


def as_read(text):
    return str(parse(text))


def results(text, arrays, dtype):
    module = JittedModule(text, optimise=False)
    function = module.function("f", None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64)
    found = []
    for a in arrays:
        out = np.full(4, -7.0, dtype)
        function(a.ctypes.data, out.ctypes.data, len(a))
        found.append(out)
    return np.array(found)


def inputs(seed, dtype):
    rng = np.random.default_rng(seed)
    return [
        np.where(
            rng.random((6, 4)) < share, rng.choice(SPECIAL, (6, 4)), rng.normal(size=(6, 4))
        ).astype(dtype)
        for share in (0.0, 0.1, 0.3, 1.0)
        for _ in range(8)
    ]


@pytest.mark.parametrize("type_", ["double", "float"])
def test_numbers_are_those_of_the_guards(type_):
    split = 0
    dtype = np.float64 if type_ == "double" else np.float32
    for seed in range(60):
        text = program(seed, type_)
        made = without_guards(text)
        if made == text:
            continue
        split += 1
        arrays = inputs(seed, dtype)
        np.testing.assert_array_equal(
            results(made, arrays, dtype), results(text, arrays, dtype), str(seed)
        )
    assert split > 30


def divisions(text):
    """The program with quotients in its chains that may be products with reciprocals."""
    found = re.sub(r"fdiv nsz (double|float)", r"fdiv nsz arcp \1", text)
    for k in range(3):
        old = f"  %t{k} = fadd nsz "
        type_ = "float" if f"{old}float" in found else "double"
        found = found.replace(
            f"{old}{type_} ",
            f"  %q{k} = fdiv nsz arcp {type_} %s{k}, %p{k}\n{old}{type_} %q{k}, ",
            1,
        )
        found = re.sub(rf"(%q{k}, %\w+), 0\.0\S*", r"\1", found)
    return found


@pytest.mark.parametrize("type_", ["double", "float"])
def test_quotients_in_chains_are_those_of_divisions(type_):
    dtype = np.float64 if type_ == "double" else np.float32
    powers = WIDE_POWERS if type_ == "double" else POWERS
    reciprocals = 0
    for seed in range(40):
        text = as_read(divisions(program(seed, type_)))
        made = without_guards(text)
        reciprocals += "%enzyme.reciprocal" in made
        rng = np.random.default_rng(seed)
        arrays = [
            np.where(
                rng.random((6, 4)) < share,
                rng.choice(powers, (6, 4)),
                rng.choice([1.0, -2.0, 4.0], (6, 4)),
            ).astype(dtype)
            for share in (0.0, 0.1, 0.3, 1.0)
            for _ in range(8)
        ]
        # With that flag LLVM multiplies by reciprocals, too, and asks nothing.
        made, text = made.replace("arcp ", ""), text.replace("arcp ", "")
        np.testing.assert_array_equal(
            results(made, arrays, dtype), results(text, arrays, dtype), str(seed)
        )
    assert reciprocals > 20, reciprocals


def test_only_quotients_that_the_next_round_waits_for_become_products():
    chain = LOOP.format(
        type="double",
        short="f64",
        loads="  %p0 = load double, ptr %row",
        first="  %t0 = fdiv nsz arcp double %s0, %p0\n  %t1 = fadd double %s1, 0.0\n  %t2 = fadd double %s2, 1.0",
        second="",
        stores="  store double %t0, ptr %out",
    )
    assert "fmul nsz arcp double %s0, %enzyme.reciprocal" in without_guards(as_read(chain))
    for other in (
        chain.replace("nsz arcp", "nsz"),
        chain.replace("double %s0, %p0", "double %p0, %s0"),
        chain.replace("[ %t0, %latch ]", "[ %t1, %latch ]"),
        chain.replace("%s0, %p0", "2.0, %p0"),
    ):
        assert other != chain
        assert "reciprocal" not in without_guards(as_read(other))


def test_a_product_whose_zero_has_a_sign_keeps_its_guard():
    text = program(1).replace(" nsz", "")
    assert without_guards(program(1)) != program(1)
    assert without_guards(text) == text


@pytest.mark.parametrize("promise", ["nnan", "ninf", "fast"])
def test_numbers_that_are_finite_by_promise_are_not_asked(promise):
    text = guarded_products(3, True)
    assert without_guards(text) != text
    text = text.replace("fmul nsz", f"fmul {promise} nsz").replace("fast nsz", "fast")
    assert without_guards(text) == text


def test_odd_names_metadata_and_switches():
    text = guarded_products(3, True).replace("%g0", '%"g 0-\\22"').replace("%body", '%"the body"')
    text = text.replace("body:", '"the body":')
    text = text.replace("%s1, %p3\n", "%s1, %p3, !fpmath !0\n") + "\n!0 = !{float 2.5}\n"
    made = without_guards(as_read(text))
    assert "label %enzyme.rest.0" in made
    parse(made)
    ends = "br i1 %done, label %exit, label %latch"
    text = text.replace(ends, "switch i1 %done, label %latch [\n    i1 true, label %exit\n  ]")
    parse(without_guards(as_read(text)))


def test_a_second_time_and_names_of_types():
    text = guarded_products(3, True)
    made = without_guards(text)
    assert without_guards(made) == made
    named = "%g0 = type { double }\n" + text
    assert without_guards(named) == named


def guarded_products(count, in_chain):
    """A loop with three products, of which the first so many are guarded."""
    lines = []
    for k in range(3):
        d = f"%s{k}" if in_chain else f"%p{k}"
        lines.append(f"  %g{k} = fmul nsz double {d}, %p3\n  %z{k} = fcmp oeq double {d}, 0.0")
        guarded = f"select i1 %z{k}, double 0.0, double %g{k}"
        lines.append(f"  %t{k} = " + (guarded if k < count else f"fadd double %g{k}, 0.0"))
    loads = "\n".join(
        f"  %at{k} = getelementptr double, ptr %row, i64 {k}\n  %p{k} = load double, ptr %at{k}"
        for k in range(4)
    )
    return as_printed(
        type="double", short="f64", loads=loads, first="\n".join(lines), second="", stores=""
    )


@pytest.mark.parametrize("in_chain", [False, True])
def test_few_guards_stay(in_chain):
    least = LEAST_IN_CHAIN if in_chain else LEAST_GUARDS
    assert "enzyme.guarded.0:" in without_guards(guarded_products(least, in_chain))
    fewer = guarded_products(least - 1, in_chain)
    assert without_guards(fewer) == fewer


@njit
def roots(a):
    total = 0.0
    for i in range(len(a)):
        x0, x1 = 4.0, 3.8
        f0, f1 = np.exp(x0) - a[i] * x0 - 2.0, np.exp(x1) - a[i] * x1 - 2.0
        steps = 0
        while abs(f1) > 1e-10 and steps < 50:
            x0, x1 = x1, x1 - f1 * (x1 - x0) / (f1 - f0)
            f0, f1 = f1, np.exp(x1) - a[i] * x1 - 2.0
            steps += 1
        total += x1 * x1
    return total


@pytest.mark.optimised
def test_the_chain_of_a_solver_has_no_guard():
    a = np.array([0.5, 1e300, 1.0])
    text = enzyme_code_llvm(roots, Active, (Duplicated[typeof(a)],))
    assert "label %enzyme.guarded.0, label %enzyme.rest.0" in text
    # The middle one has an infinite derivative, or none; the others do not know of it.
    da, each = np.zeros(3), np.zeros(1)
    autodiff(Reverse, roots, Active, Duplicated(a, da))
    for i in (0, 2):
        each[0] = 0.0
        autodiff(Reverse, roots, Active, Duplicated(a[i : i + 1].copy(), each))
        assert da[i] == each[0] != 0.0

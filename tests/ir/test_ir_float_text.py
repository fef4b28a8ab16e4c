"""Constants of types that Python has no format for, against what LLVM makes of the same number."""

from __future__ import annotations

import math
import random
import re

import llvmlite.binding as llvm
import pytest

from enzyme.backend import host
from enzyme.engine.ir.float_text import FORMATS, text_of, value_of
from enzyme.engine.ir.types import FLOAT_TYPES
from enzyme.engine.ir.values import ConstFloat

chance = random.Random(5)
VALUES = [
    0.0,
    -0.0,
    1.0,
    -2.0,
    0.1,
    65504.0,
    65520.0,
    1e-8,
    6e-8,
    3e38,
    3.4e38,
    1e300,
    5e-324,
    1e-40,
    math.inf,
]
VALUES += [math.ldexp(chance.uniform(-1, 1), chance.randrange(-40, 40)) for _ in range(40)]


def of_llvm(name, value):
    """The number as LLVM converts it to the type and back, computed by its constant folding."""
    double = ConstFloat.of(FLOAT_TYPES["double"], value).text
    cast, back = ("fptrunc", "fpext") if name in ("half", "bfloat") else ("fpext", "fptrunc")
    first, second = f"{cast} double {double} to {name}", f"{back} {name} %a to double"
    text = f"define double @f() {{\n  %a = {first}\n  %b = {second}\n  ret double %b\n}}"
    return folded(text)


def folded(text):
    module = llvm.parse_assembly(text, context=llvm.create_context())
    host.initialise()
    builder = llvm.create_pass_builder(host.target_machine(), llvm.create_pipeline_tuning_options())
    passes = llvm.create_new_function_pass_manager()
    passes.add_instruction_combine_pass()
    passes.run(next(iter(module.functions)), builder)
    found = re.search(r"ret double (\S+)", str(module)).group(1)
    return ConstFloat(FLOAT_TYPES["double"], found).value


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_text_is_what_llvm_reads(name):
    for value in VALUES:
        text = text_of(name, value)
        expected = of_llvm(name, value)
        back = "fpext" if name in ("half", "bfloat") else "fptrunc"
        read = folded(
            f"define double @f() {{\n  %b = {back} {name} {text} to double\n  ret double %b\n}}"
        )
        for found in (read, value_of(text)):
            assert (found, math.copysign(1, found)) == (expected, math.copysign(1, expected)), value


@pytest.mark.parametrize("name", sorted(FORMATS))
def test_no_number(name):
    assert math.isnan(value_of(text_of(name, math.nan)))

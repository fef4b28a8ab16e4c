"""The generator writes every construct that it claims to write."""

from __future__ import annotations

import re

import hypothesis
import pytest

from tests.fuzz import drawing, generator
from tests.fuzz.program import SPECIAL

pytestmark = pytest.mark.rotating(27)

PROGRAMS = 900
CONSTRUCTS = {
    # control flow and calls
    "loop in a loop": r"\n    +for .*\n(.*\n)*?        +for ",
    "while": r"while i?k?\d* < |while k\d+ < ",
    "while True": r"while True:",
    "else of a loop": r"\n( +)for .*\n(\1 .*\n)+\1else:",
    "break": r"\bbreak\b",
    "continue": r"\bcontinue\b",
    "return from a loop": r"for .*\n(.*\n)*?        +return ",
    "and, or, not": r" and | or |not ",
    "chained comparison": r"-0\.5 < .* <= ",
    "recursion": r"descend\(",
    "mutual recursion": r"ping\(|pong\(",
    "function as an argument": r"apply\(mix, ",
    "function made like the program": r"= part\d+\(",
    "function that calls itself": r"def (part\d+)\((.*\n)+?    t = \1\(",
    "function that takes a container": r"def part\d+\(x, y, a, b, n, ",
    "function with partials": r"bent\(",
    "function with rules that changes an array": r"stir\(",
    "function with rules that makes an array": r"spun\(",
    "closure": r"    def f\d+\(p\):",
    "generator": r" in halves\(",
    "ufunc of numbers": r"squash\((?!(x|w|t\d+),)",
    "ufunc of arrays": r"made\d+ = squash\(",
    "the same array twice": r"both\((\w+), \1\)",
    "assert": r"    assert ",
    "raise": r"    raise ValueError",
    "random numbers": r"np\.random\.seed\(3\)\n(.*\n)*.*np\.random\.random\(\)",
    "zip": r" in zip\(",
    "enumerate": r" in enumerate\(",
    "comprehension": r"\[.* for \w+ in .*\]",
    # containers and objects
    "tuple indexed": r"p\d+\[0\]|p\d+\[-1\]",
    "tuple indexed by a variable": r"p\d+\[\w+( % 3)?\]",
    "tuple iterated": r"for e\d+ in (p\d+|\()",
    "tuple of mixed types": r"p\d+ = \(\w+, .*, \(.*, 2\)\)",
    "tuple of arrays": r"p\d+ = \(.*\.copy\(\), .*\.copy\(\)\)",
    "named tuple": r"= Point\(.*\n(.*\n)*.*q\d+\.[uv]",
    "typed list": r"l\d+ = List\(\)|List\.empty_list",
    "reflected list": r"l\d+ = \[",
    "list appended": r"l\d+\.append\(",
    "list popped": r"l\d+\.pop\(\)",
    "list iterated": r"for e\d+ in l\d+:",
    "list indexed by a variable": r"l\d+\[.+ % len\(l\d+",
    "list of arrays": r"l\d+ = \[\S+\.copy\(\), ",
    "list of tuples": r"l\d+ = \[\(",
    "list of lists": r"l\d+ = \[\[",
    "typed dictionary": r"Dict\.empty\(types\.int64, types\.float64\)",
    "dictionary get": r"d\d+\.get\(",
    "dictionary items": r"in d\d+\.items\(\)",
    "dictionary values": r"in d\d+\.values\(\)",
    "key in a dictionary": r" in d\d+\b",
    "record array": r"np\.zeros\(3, ENTRY\)",
    "copied record": r"rec\d+\[.*\] = rec\d+\[",
    "field of a record": r"rec\d+\[.*\]\.a|row\d+\.a",
    "jitclass": r"= Box\(",
    "field of an instance": r"box\w+(\[.*\])?\.c",
    "method": r"\.push\(|\.read\(",
    "instances in a container": r"boxes\d+ = ",
    "optional value": r"if o\d+ is not None:",
    "optional from a call": r"o\d+ = maybe\(",
    "optional array": r"    o\d+ = (x|w|t\d+)(\.copy\(\))?\n",
    "array of complex numbers that changes": r"cs\d+\[.*\] = ",
    "function of a complex number": r"cmath\.(exp|sin|sqrt|log)\(",
    "string": r'if label\d+ == "',
    # arrays
    **{
        name: rf"np\.{name}\(|\.{name}\("
        for name in (
            "reshape transpose ravel flatten where clip diff roll outer convolve concatenate cumsum "
            "cumprod prod min max mean var std sort argsort searchsorted interp linspace nditer "
            "ndenumerate ndindex isnan argmax argmin append repeat stack diag trace median nansum "
            "flip full sum copy fill"
        ).split()
        if name != "fill"
    },
    "transposed view": r"\.T\n",
    "reversed view": r"\[::-1\]",
    "overlapping views": r"ahead\d+, behind\d+ = ",
    "overlapping assignment": r"(\w+)\[1:\] = \1\[:-1\]",
    "mask read": r"chosen\d+ = .*\[\w+.* > ",
    "mask written": r"\[\w+ > .*\] = ",
    "mask kept": r"mask\d+\[.*\] = ",
    "fancy read": r"picked\d+ = .*\[np\.array\(",
    "fancy written": r"\[np\.array\(\[.*\]\)\] = ",
    "indices in a table": r"order\d+\[",
    "flat": r"\.flat:",
    "rows of a grid": r"for e\d+ in (y|grid\d+):",
    "column of a grid": r"\[:, .*\] = ",
    "new axis": r"\[:, None\]",
    "array of no dimension": r"np\.zeros\(\(\)\)",
    "array of three dimensions": r"np\.zeros\(\(2, 3, 2\)\)",
    "single precision inside": r"np\.zeros\(5, np\.float32\)",
    "complex number": r"z\d+ = complex\(",
    "complex array": r"np\.complex128",
    "absolute value of a complex number": r"abs\(z\d+\)",
    "global constant": r"WEIGHTS\[",
    "global constant table": r"TABLE\[",
    "nan": r"np\.full\(5, np\.nan\)",
    "dot product as a loop": r"dot\d+ \+= ",
    "array expression": r"np\.tanh\(|np\.sin\(",
}


@pytest.fixture(scope="module")
def collected():
    found = []

    @hypothesis.seed(0)
    @drawing.settings(PROGRAMS, phases=[hypothesis.Phase.generate])
    @hypothesis.given(generator.programs())
    def collect(program):
        found.append(program)

    collect()
    return found


@pytest.fixture(scope="module")
def texts(collected):
    """Without the imports and the helpers."""
    return [program.source.split("\n\n")[-1] for program in collected]


def test_settings_occur(collected):
    assert {p.options for p in collected} == {"", *generator.OPTIONS}
    assert {p.special for p in collected} == {"", *SPECIAL}
    assert {p.layout for p in collected} == {"C", "F", "A", "overlap"}


@pytest.mark.parametrize("construct", CONSTRUCTS)
def test_construct_occurs(texts, construct):
    pattern = re.compile(CONSTRUCTS[construct])
    assert any(pattern.search(text) for text in texts)

"""Every word of Enzyme's is done or refused by name, and stands in docs/llvm.md.

``UPDATE_SURFACE=1`` writes the table in the documentation again.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from enzyme.frontdoor.surface import ATTRIBUTES, WORDS, Kind, call_word, declaration_word

from .frontdoor_harness import command

DOCS = Path(__file__).resolve().parents[2] / "docs" / "llvm.md"
BEGIN = "<!-- words: written by tests/frontdoor/test_frontdoor_surface.py -->\n"
END = "<!-- end of words -->\n"
BASE = """
{before}
declare double @__enzyme_autodiff(...)
declare double @__enzyme_fwddiff(...)
declare void @free(ptr)
declare ptr @malloc(i64)
define double @g(double %x) noinline {attributes} {{
  %y = fmul double %x, %x
  ret double %y
}}
define double @f(double %x) {{
  %y = call double @g(double %x)
  ret double %y
}}
define double @read(ptr %x) {{
  %y = load double, ptr %x
  ret double %y
}}
define double @go(double %x, ptr %p, ptr %d) {{
  {body}
  ret double 0.0
}}
{after}
"""
NAME = '@name = private constant [4 x i8] c"exp\\00"\n'
CALL = "call {type} (...) @{word}({operands})"
REVERSE = "call double (...) @__enzyme_autodiff({})"
FORWARD = "call double (...) @__enzyme_fwddiff({})"
# Operands of a call of autodiff in which a marker has its place.
MARKED = {
    "enzyme_dup": 'ptr @read, metadata !"enzyme_dup", ptr %p, ptr %d',
    "enzyme_dupnoneed": 'ptr @read, metadata !"enzyme_dupnoneed", ptr %p, ptr %d',
    "enzyme_dupv": 'ptr @read, metadata !"enzyme_width", i32 2, metadata !"enzyme_dupv", i64 8, ptr %p, ptr %d',
    "enzyme_dupnoneedv": 'ptr @read, metadata !"enzyme_dupnoneedv", i64 8, ptr %p, ptr %d',
    "enzyme_byref": 'ptr @f, metadata !"enzyme_byref", i64 8, ptr %p',
    "enzyme_width": 'ptr @f, metadata !"enzyme_width", i32 2, double %x',
}
CALLED = {
    "__enzyme_autodiff": ("double", "ptr @f, double %x"),
    "__enzyme_fwddiff": ("double", "ptr @f, double %x, double 1.0"),
    "__enzyme_augmentfwd": ("ptr", "ptr @f, double %x"),
    "__enzyme_reverse": ("double", "ptr @f, double %x, double 1.0, ptr %p"),
    "__enzyme_fwdsplit": ("double", "ptr @f, double %x, double 1.0, ptr null"),
    "__enzyme_virtualreverse": ("ptr", "ptr @f"),
    "__enzyme_augmentsize": ("i64", 'ptr @f, metadata !"enzyme_out"'),
    "__enzyme_batch": (
        "double",
        'ptr @f, metadata !"enzyme_width", i32 1, metadata !"enzyme_vector", double %x',
    ),
    "__enzyme_ignore_derivatives": ("double", "double %x"),
}
DECLARED = {
    "__enzyme_inactivefn": "ptr @g",
    "__enzyme_inactive_global": "ptr @value",
    "__enzyme_function_like": "ptr @g, ptr @name",
    "__enzyme_register_gradient": "ptr @g, ptr @aug, ptr @rev",
    "__enzyme_register_derivative": "ptr @g, ptr @fwd",
    "__enzyme_register_splitderivative": "ptr @g, ptr @aug, ptr @fwd",
    "__enzyme_allocation_like": "ptr @malloc, ptr null, ptr @name, ptr @free",
    "__enzyme_nofree": "ptr @g",
    "__enzyme_shouldrecompute": "ptr @g",
}
RULES = """
@value = global double 1.0
define double @aug(double %x) {
  ret double %x
}
define double @rev(double %x, double %s) {
  ret double %s
}
define double @fwd(double %x, double %d) {
  ret double %d
}
"""


def module(word):
    """A module in which the word is said in its place."""
    parts = {
        "before": NAME + RULES,
        "attributes": "",
        "body": REVERSE.format("ptr @f, double %x"),
        "after": "",
    }
    name = word.name
    if word.kind is Kind.CALL:
        type_, operands = CALLED.get(name, ("double", "ptr @f, double %x"))
        if name not in ("__enzyme_autodiff", "__enzyme_fwddiff"):
            parts["before"] += f"declare {type_} @{name}(...)\n"
        parts["body"] = CALL.format(type=type_, word=name, operands=operands)
    elif word.kind is Kind.HINT_CALL:
        parts["before"] += f"declare void @{name}(...)\n"
        parts["body"] = CALL.format(type="void", word=name, operands="ptr %p, i64 8")
    elif word.kind is Kind.MARKER:
        before = {"enzyme_dup_return": FORWARD}.get(name, REVERSE)
        tangent = ", double 1.0" if before is FORWARD else ""
        parts["body"] = before.format(
            MARKED.get(name, f'ptr @f, metadata !"{name}", double %x{tangent}')
        )
        if name in ("enzyme_vector", "enzyme_scalar", "enzyme_buffer"):
            operands = f'ptr @read, metadata !"enzyme_width", i32 1, metadata !"{name}", '
            operands += "i64 8, ptr %p" if name == "enzyme_buffer" else "ptr %p"
            parts["before"] += "declare double @__enzyme_batch(...)\n"
            parts["body"] = CALL.format(type="double", word="__enzyme_batch", operands=operands)
        elif name in ("enzyme_tape", "enzyme_allocated"):
            operands = 'ptr @f, metadata !"enzyme_allocated", i64 8, metadata !"enzyme_tape", ptr %p, double %x'
            parts["before"] += "declare double @__enzyme_augmentfwd(...)\n"
            parts["body"] = CALL.format(
                type="double", word="__enzyme_augmentfwd", operands=operands
            )
    elif word.kind is Kind.DECLARATION:
        items = DECLARED.get(name, "ptr @g")
        parts["before"] += f"@{name}_mine = global [{items.count('ptr')} x ptr] [{items}]\n"
    elif word.kind is Kind.ATTRIBUTE:
        value = '="exp"' if name in ("enzyme_math", "enzyme_function_like") else ""
        parts["attributes"] = f'"{name}"{value}'
    elif name == "enzyme_shadow":
        parts["before"] += f"@state = global double 1.0, !{name} !7\n"
        parts["after"] = "!7 = !{ptr @value}\n"
    else:
        others = {
            "enzyme_augment": "rev",
            "enzyme_gradient": "aug",
            "enzyme_splitderivative": "aug",
        }
        function = {"enzyme_augment": "aug", "enzyme_gradient": "rev"}.get(name, "fwd")
        both = [f"!{name} !7"]
        parts["after"] = f"!7 = !{{ptr @{function}}}\n"
        if name in others:
            other = "enzyme_gradient" if name == "enzyme_augment" else "enzyme_augment"
            both.append(f"!{other} !8")
            parts["after"] += f"!8 = !{{ptr @{others[name]}}}\n"
        parts["attributes"] = " ".join(both)
    return BASE.format(**parts)


@pytest.mark.parametrize("word", WORDS, ids=lambda w: f"{w.kind.name.lower()}-{w.name}")
def test_word_is_done_or_refused_by_name(word):
    code, out, err = command(["opt", "-"], module(word))
    if word.refused:
        assert (code, out) == (1, "")
        assert word.name in err, err
        assert word.meaning in err, err
        assert err.startswith("error: ") and err.count("\n") == 1
    else:
        assert (code, err) == (0, "")
        assert "__enzyme" not in out
        assert f'"{word.name}' not in out


@pytest.mark.parametrize(
    "text",
    [
        "@__enzyme_frobnicate_f = global [1 x ptr] [ptr @g]",
        "declare void @__enzyme_frobnicate(...)",
    ],
)
def test_unknown_word_is_named(text):
    body = "call void (...) @__enzyme_frobnicate(ptr %p)" if text.startswith("declare") else ""
    parts = {"before": text, "attributes": "", "body": body, "after": ""}
    code, out, err = command(["opt", "-"], BASE.format(**parts))
    assert (code, out) == (1, "")
    assert "__enzyme_frobnicate" in err


def table():
    """The words as a table of the documentation."""
    lines = []
    for kind in Kind:
        lines += [f"### {kind.value}\n", "| word | what it does |", "|---|---|"]
        for word in WORDS:
            if word.kind is kind:
                what = f"**refused**: {word.meaning}" if word.refused else word.meaning
                what += f"; {word.todo}" if word.todo else ""
                lines.append(f"| `{word.name}` | {what} |")
        lines.append("")
    return "\n".join(lines)


def test_documentation_has_the_table():
    text = DOCS.read_text()
    first, _, rest = text.partition(BEGIN)
    _, _, last = rest.partition(END)
    wanted = f"{first}{BEGIN}\n{table()}\n{END}{last}"
    if os.environ.get("UPDATE_SURFACE"):
        DOCS.write_text(wanted)
    assert DOCS.read_text() == wanted


def test_longest_word_is_found():
    assert call_word("__enzyme_autodiff_2").name == "__enzyme_autodiff"
    assert declaration_word("__enzyme_inactive_global_x").name == "__enzyme_inactive_global"
    assert declaration_word("__enzyme_inactivefn2").name == "__enzyme_inactivefn"
    assert "enzyme_inactive" in ATTRIBUTES

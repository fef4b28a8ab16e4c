"""What is declared of functions and globals holds for those of every linkage, in every form, whoever else calls them.

A ``static`` function that only derivatives call is dead to an optimiser, and one that is called with the same number
everywhere else has that number for a parameter. Each declaration here says something of its function that its body
does not say, so a declaration that is lost shows in the number.
"""

from __future__ import annotations

import ctypes
import math
from dataclasses import dataclass, field

import pytest

from enzyme.backend.jit import JittedModule

from .frontdoor_harness import opt

pytestmark = pytest.mark.rotating(4)

DOUBLE = ctypes.c_double
X = 1.25


@dataclass(frozen=True)
class Form:
    """One way to declare it: @T is the function, x * x if it has no body of its own, and `slopes` its derivative."""

    slopes: dict
    declared: str = ""
    attribute: str = ""
    metadata: str = ""
    annotation: str = ""
    beside: str = ""
    body: str = "  %r = fmul double %x, %x\n"
    value: float = field(default=X * X)


BOTH = ("autodiff", "fwddiff")
NONE = dict.fromkeys(BOTH, 0.0)
TRUE = dict.fromkeys(BOTH, 2 * X)
SINE = dict.fromkeys(BOTH, math.cos(X))

# Rules whose derivative is 7, wherever.
FORWARD = """
define LINKAGE double @forward_T(double %x, double %dx) ATTRIBUTES {
  %r = fmul double %dx, 7.0
  ret double %r
}
"""
SPLIT = """
define LINKAGE { double, double } @augmented_T(double %x) ATTRIBUTES {
  %r = fmul double %x, %x
  %a = insertvalue { double, double } undef, double 7.0, 0
  %b = insertvalue { double, double } %a, double %r, 1
  ret { double, double } %b
}
define LINKAGE double @reverse_T(double %x, double %seed, double %tape) ATTRIBUTES {
  %r = fmul double %seed, %tape
  ret double %r
}
define LINKAGE double @split_T(double %x, double %dx, double %tape) ATTRIBUTES {
  %r = fmul double %dx, %tape
  ret double %r
}
"""
ALLOCATING = """
declare ptr @malloc(i64)
declare void @free(ptr)
define LINKAGE ptr @made_T(i64 %n) ATTRIBUTES {
  %p = call ptr @malloc(i64 %n)
  ret ptr %p
}
define LINKAGE void @freed_T(ptr %p) ATTRIBUTES {
  call void @free(ptr %p)
  ret void
}
"""
THROUGH_MEMORY = """  %p = call ptr @made_T(i64 8)
  store double %x, ptr %p
  %v = load double, ptr %p
  call void @freed_T(ptr %p)
  %r = fmul double %v, %v
"""
KEPT = "@kept_T = LINKAGE global double 0.0"
THROUGH_GLOBAL = """  %y = fmul double %x, %x
  store double %y, ptr @kept_T
  %r = load double, ptr @kept_T
"""
CALLED = """
define LINKAGE double @inner_T(double %x) ATTRIBUTES {
  %r = fmul double %x, %x
  ret double %r
}
"""

FORMS = {
    "inactive by an array": Form(NONE, "@__enzyme_inactivefn_T = global [1 x ptr] [ptr @T]"),
    "inactive by an annotation": Form(NONE, annotation="enzyme_inactive"),
    "inactive by an attribute": Form(NONE, attribute='"enzyme_inactive"'),
    "inactive by metadata": Form(NONE, metadata="!enzyme_inactive !{}"),
    "an inactive call": Form(
        NONE, beside=CALLED, body='  %r = call double @inner_T(double %x) "enzyme_inactive"\n'
    ),
    "an inactive call by metadata": Form(
        NONE, beside=CALLED, body="  %r = call double @inner_T(double %x), !enzyme_inactive !{}\n"
    ),
    "like by an array": Form(
        SINE,
        '@name_T = private constant [4 x i8] c"sin\\00"\n'
        "@__enzyme_function_like_T = global [2 x ptr] [ptr @T, ptr @name_T]",
    ),
    "like by an annotation": Form(SINE, annotation="enzyme_function_like=sin"),
    "like by an attribute": Form(SINE, attribute='"enzyme_math"="sin"'),
    "gradient by an array": Form(
        {"autodiff": 7.0},
        "@__enzyme_register_gradient_T = global [3 x ptr] [ptr @T, ptr @augmented_T, ptr @reverse_T]",
        beside=SPLIT,
    ),
    "gradient by metadata": Form(
        {"autodiff": 7.0},
        metadata="!enzyme_augment !{ptr @augmented_T} !enzyme_gradient !{ptr @reverse_T}",
        beside=SPLIT,
    ),
    "derivative by an array": Form(
        {"fwddiff": 7.0},
        "@__enzyme_register_derivative_T = global [2 x ptr] [ptr @T, ptr @forward_T]",
        beside=FORWARD,
    ),
    "derivative by metadata": Form(
        {"fwddiff": 7.0}, metadata="!enzyme_derivative !{ptr @forward_T}", beside=FORWARD
    ),
    "split derivative by an array": Form(
        {"fwddiff": 7.0},
        "@__enzyme_register_splitderivative_T = global [3 x ptr] [ptr @T, ptr @augmented_T, ptr @split_T]",
        beside=SPLIT,
    ),
    "split derivative by metadata": Form(
        {"fwddiff": 7.0},
        metadata="!enzyme_augment !{ptr @augmented_T} !enzyme_splitderivative !{ptr @split_T}",
        beside=SPLIT,
    ),
    "allocation": Form(
        TRUE,
        "@__enzyme_allocation_like_T = global [4 x ptr]"
        " [ptr @made_T, ptr null, ptr inttoptr (i64 1 to ptr), ptr @freed_T]",
        beside=ALLOCATING,
        body=THROUGH_MEMORY,
    ),
    "hints by arrays": Form(
        TRUE,
        "@__enzyme_nofree_T = global [1 x ptr] [ptr @T]\n"
        "@__enzyme_shouldrecompute_T = global [1 x ptr] [ptr @T]",
    ),
    "a hint by an annotation": Form(TRUE, annotation="enzyme_shouldrecompute"),
    "a hint by an attribute": Form(TRUE, attribute='"enzyme_nofree"'),
    "inactive global by an array": Form(
        NONE,
        KEPT + "\n@__enzyme_inactive_global_T = global [1 x ptr] [ptr @kept_T]",
        body=THROUGH_GLOBAL,
    ),
    "inactive global by metadata": Form(NONE, KEPT + ", !enzyme_inactive !{}", body=THROUGH_GLOBAL),
}
ENTRY = "{ ptr, ptr, ptr, i32, ptr }"
MARKERS = """
declare double @__enzyme_autodiff(...)
declare double @__enzyme_fwddiff(...)
"""
CALLS = {
    "autodiff": "define double @autodiff_T(double %x) {\n"
    "  %r = call double (...) @__enzyme_autodiff(ptr @times_T, double %x)\n  ret double %r\n}\n",
    "fwddiff": "define double @fwddiff_T(double %x) {\n"
    "  %r = call double (...) @__enzyme_fwddiff(ptr @times_T, double %x, double 1.0)\n  ret double %r\n}\n",
}
FUNCTIONS = """
BESIDE
define LINKAGE double @T(double %x) ATTRIBUTES OWN METADATA {
BODY  ret double %r
}
define LINKAGE double @times_T(double %x) ATTRIBUTES {
  %t = call double @T(double %x)
  %r = fmul double %t, %x
  ret double %r
}
"""
ELSEWHERE = (
    "define double @elsewhere_T() {\n  %r = call double @T(double 3.0)\n  ret double %r\n}\n"
)


def module_of(linkage, attributes, elsewhere):
    """All forms in one module."""
    texts, annotations, nodes = [MARKERS], [], []
    known = set()
    for number, form in enumerate(FORMS.values()):
        metadata = form.metadata
        beside = "\n".join(
            line
            for line in form.beside.splitlines()
            if not line.startswith("declare") or not (line in known or known.add(line))
        )
        text = FUNCTIONS.replace("BESIDE", beside).replace("BODY", form.body)
        text = form.declared + text.replace("METADATA", metadata)
        while "!{" in text:  # nodes have numbers
            start = text.index("!{")
            end = text.index("}", start) + 1
            nodes.append(text[start:end].replace("T}", f"t{number}}}"))
            text = f"{text[:start]}!{len(nodes) - 1}{text[end:]}"
        text = text.replace("ATTRIBUTES", attributes).replace("OWN", form.attribute)
        text += "".join(CALLS[mode] for mode in form.slopes)
        if elsewhere:
            text += ELSEWHERE
        for word in ("@T", "_T"):
            text = text.replace(word, f"{word[0]}t{number}")
        texts.append(text.replace("LINKAGE", linkage))
        if form.annotation:
            size = len(form.annotation) + 1
            texts.append(
                f"@said.{number} = private unnamed_addr constant [{size} x i8]"
                f' c"{form.annotation}\\00", section "llvm.metadata"\n'
            )
            target, said = f"ptr @t{number}", f"ptr @said.{number}"
            annotations.append(f"{ENTRY} {{ {target}, {said}, {said}, i32 1, ptr null }}")
    kind = f"[{len(annotations)} x {ENTRY}]"
    texts.append(
        f"@llvm.global.annotations = appending global {kind} [{', '.join(annotations)}],"
        ' section "llvm.metadata"\n'
    )
    texts += [f"!{number} = {node}\n" for number, node in enumerate(nodes)]
    return "".join(texts)


@pytest.mark.parametrize(
    ("attributes", "elsewhere"),
    [("optnone noinline", False), ("noinline", False), ("noinline", True)],
    ids=["-O0", "-O2", "-O2, called elsewhere"],
)
@pytest.mark.parametrize("linkage", ["", "internal", "linkonce_odr"])
def test_declarations(linkage, attributes, elsewhere):
    options = ["-O"] if elsewhere else []
    made = JittedModule(opt(module_of(linkage, attributes, elsewhere), *options), optimise=False)
    wrong = {}
    for number, (name, form) in enumerate(FORMS.items()):
        for mode, slope in form.slopes.items():
            given = made.function(f"{mode}_t{number}", DOUBLE, DOUBLE)(X)
            expected = form.value + X * slope
            if not math.isclose(given, expected, rel_tol=1e-14):
                wrong[name, mode] = given, expected
    assert not wrong

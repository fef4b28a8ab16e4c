"""Pointers in globals: memory from before a derivative has no shadow, and what the function sets has one.

One module holds the functions of all forms with their derivatives in all modes. Each is called in a process of its own,
a fork, since a derivative without a shadow ends the process with a message.
"""

from __future__ import annotations

import ctypes
import faulthandler
import os
import signal

import pytest

from enzyme.backend.jit import JittedModule
from tests.rotation import all_run

from .frontdoor_harness import opt

DOUBLE = ctypes.c_double
X = 1.5
HEAD = """
declare double @__enzyme_autodiff(...)
declare double @__enzyme_fwddiff(...)
declare ptr @__enzyme_augmentfwd(...)
declare double @__enzyme_reverse(...)
declare ptr @malloc(i64)
declare void @free(ptr)
declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
"""
MEMORY = "  %m = call ptr @malloc(i64 24)\n  store ptr %m, ptr getelementptr (i8, ptr @g.FORM, i64 OFFSET)\n"
USED = """  %q = getelementptr double, ptr %p, i64 1
  %s = fmul double %x, %x
  store double %s, ptr %q
  %v = load double, ptr %q
  %r = fmul double %v, %x
"""
READ = "  %p = load ptr, ptr getelementptr (i8, ptr @g.FORM, i64 OFFSET)\n"
COPIED = """  %local = alloca {i64, ptr}
  call void @llvm.memcpy.p0.p0.i64(ptr %local, ptr @g.FORM, i64 16, i1 false)
  %place = getelementptr {i64, ptr}, ptr %local, i64 0, i32 1
  %p = load ptr, ptr %place
"""
PASSED = "  %r = call double @use(ptr %p, double %x)\n"
# Of each form: the global, where its pointer is, memory that is set, how it is read, what is done with it.
FORMS = {
    "pointer": ("ptr null", 0, MEMORY, READ, USED),
    "struct": ("{double, i64, ptr} zeroinitializer", 16, MEMORY, READ, USED),
    "array": ("[3 x ptr] zeroinitializer", 8, MEMORY, READ, USED),
    "union": ("{i64, [8 x i8]} zeroinitializer", 8, MEMORY, READ, USED),
    "copied": ("{i64, ptr} zeroinitializer", 8, MEMORY, COPIED, USED),
    "passed": ("ptr null", 0, MEMORY, READ, PASSED),
    "pointers": (
        "ptr null",
        0,
        MEMORY + "  %n = call ptr @malloc(i64 24)\n  store ptr %n, ptr %m\n",
        READ.replace("%p", "%t") + "  %p = load ptr, ptr %t\n",
        USED,
    ),
}
# Pointers from before that are not gone through: compared, freed, or to integers.
UNUSED = {
    "freed": ("ptr null", 0, MEMORY, READ.replace("%p", "%o") + "  call void @free(ptr %o)\n" + MEMORY + READ, USED),
    "integers": (
        "{ptr, double} zeroinitializer",
        0,
        "  %m = call ptr @malloc(i64 24)\n  store i64 1, ptr %m\n  store ptr %m, ptr @g.FORM\n",
        READ + "  %k = load i64, ptr %p\n",
        """  %s = fmul double %x, %x
  %place = getelementptr {ptr, double}, ptr @g.FORM, i64 0, i32 1
  store double %s, ptr %place
  %again = getelementptr double, ptr @g.FORM, i64 %k
  %v = load double, ptr %again
  %r = fmul double %v, %x
""",
    ),
}  # fmt: skip
CALLS = {
    "reverse": "  %v = call double (...) @__enzyme_autodiff(ptr @FUNCTION, double %x)\n",
    "forward": "  %v = call double (...) @__enzyme_fwddiff(ptr @FUNCTION, double %x, double 1.0)\n",
    "split": "  %t = call ptr (...) @__enzyme_augmentfwd(ptr @FUNCTION, double %x)\n"
    "  %v = call double (...) @__enzyme_reverse(ptr @FUNCTION, double %x, double 1.0, ptr %t)\n",
}
# What is called, and what is differentiated there.
MODES = {
    "reverse": ("reverse", ""),
    "forward": ("forward", ""),
    "split": ("split", ""),
    "forward in reverse": ("reverse", "forward"),
    "reverse in forward": ("forward", "reverse"),
}
LEVELS = {"-O0": ("optnone noinline", False), "-O2": ("", True)}


def _functions(form: str) -> str:
    """`set` sets the pointer, `before` uses it, `inside` sets and uses it; derivatives of both have names of modes."""
    initial, offset, memory, read, used = (FORMS | UNUSED)[form]
    text = f"@g.{form} = internal global {initial}\n"
    text += f'define void @"{form} set"() {{\n{memory}  ret void\n}}\n'
    for where, first in (("before", ""), ("inside", memory)):
        if first and form in UNUSED:
            continue
        body = f"{first}{read}{used}  ret double %r\n"
        name = f"{form} {where}"
        text += f'define double @"{name}"(double %x) ATTRIBUTES {{\n{body}}}\n'
        for mode in ("reverse", "forward", "split"):
            text += _derivative(f"{name} {mode}", name, mode)
        for mode, (outer, inner) in MODES.items():
            if inner:
                text += _derivative(f"{name} {mode}", f"{name} {inner}", outer)
    return text.replace("FORM", form).replace("OFFSET", str(offset))


def _derivative(name: str, of: str, mode: str) -> str:
    call = CALLS[mode].replace("@FUNCTION", f'@"{of}"')
    return f'define double @"{name}"(double %x) ATTRIBUTES {{\n{call}  ret double %v\n}}\n'


def _levels():
    """One a day, or all: a module takes some seconds."""
    if all_run():
        return list(LEVELS)
    return [list(LEVELS)[int(os.environ.get("FUZZ_SEED", "0")) % len(LEVELS)]]


@pytest.fixture(scope="module", params=_levels())
def made(request):
    """The module at one level."""
    attributes, optimise = LEVELS[request.param]
    use = f"define internal double @use(ptr %p, double %x) noinline {{\n{USED}  ret double %r\n}}\n"
    text = HEAD + use + "".join(map(_functions, FORMS | UNUSED))
    lowered = opt(text.replace("ATTRIBUTES", attributes), *(["-O"] if optimise else []))
    return JittedModule(lowered, optimise=optimise)


def _called(made, form: str, names: list[str]) -> tuple[int, list[float], str]:
    """What functions give one after the other, in a fork; its status and what it says."""
    results, said = os.memfd_create("results"), os.memfd_create("said")
    functions = [
        made.function(f"{form} {name}", *([None] if name == "set" else [DOUBLE, DOUBLE]))
        for name in names
    ]
    child = os.fork()
    if child == 0:
        faulthandler.disable()
        os.dup2(said, 2)
        for name, function in zip(names, functions, strict=True):
            if name == "set":
                function()
            else:
                os.write(results, f"{function(X)!r}\n".encode())
        os._exit(0)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    read = [os.pread(file, 10000, 0).decode() for file in (results, said)]
    os.close(results)
    os.close(said)
    return status, [float(v) for v in read[0].split()], read[1]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("form", FORMS)
def test_set_where(made, form, mode):
    """Before: a message that names the global. Inside, or in both places, also many times: the derivative."""
    expected = pytest.approx(6 * X if MODES[mode][1] else 3 * X**2, rel=1e-14)
    status, values, said = _called(made, form, ["set", f"before {mode}"])
    assert (status, values) == (-signal.SIGABRT, [])
    assert f"in the global @g.{form} that was set before" in said
    for first in ([], ["set"]):
        status, values, said = _called(made, form, [*first, *[f"inside {mode}"] * 2])
        assert (status, said) == (0, "")
        assert values == [expected, expected]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("form", UNUSED)
def test_pointers_that_are_not_gone_through(made, form, mode):
    """They have null shadows, and do no harm."""
    expected = pytest.approx(6 * X if MODES[mode][1] else 3 * X**2, rel=1e-14)
    assert _called(made, form, ["set", f"before {mode}"]) == (0, [expected], "")

"""Programs that are large in one way each, as IR text, with what their arguments are.

`size` counts instructions, or what the shape is made of. All define `@f`, which returns a double.
"""

from __future__ import annotations

from enzyme.engine.analysis.kinds import Activity

NUMBER, MEMORY, CONSTANT = Activity.ACTIVE, Activity.DUPLICATED, Activity.CONST
LAYOUT = 'target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"\n'


def _function(parameters, lines):
    return f"define double @f({parameters}) {{\n" + "\n".join(lines) + "\n}\n"


def scalars(size):
    """Each number is made from the one before."""
    lines = ["  %a0 = fmul double %x, %y"]
    for i in range(size):
        other = ("%y", "%x", f"%a{max(0, i - 3)}", "%x")[i % 4]
        opcode = ("fmul", "fadd", "fmul", "fsub")[i % 4]
        lines.append(f"  %a{i + 1} = {opcode} double %a{i}, {other}")
    lines.append(f"  ret double %a{size}")
    return _function("double %x, double %y", lines), (NUMBER, NUMBER)


def nested(size):
    """One expression inside the next, of operations whose results and operands are kept."""
    lines = ["  %a0 = fmul double %x, %y"]
    for i in range(size):
        what = f"fdiv double %a{i}, %y" if i % 5 else f"call double @llvm.sin.f64(double %a{i})"
        lines.append(f"  %a{i + 1} = {what}")
    lines.append(f"  ret double %a{size}")
    text = _function("double %x, double %y", lines)
    return "declare double @llvm.sin.f64(double)\n" + text, (NUMBER, NUMBER)


def memory(size):
    """Cell after cell is read and written."""
    lines = []
    for i in range(size // 4):
        before = f"%m{i - 1}" if i else "%y"
        lines += [
            f"  %g{i} = getelementptr double, ptr %p, i64 {i}",
            f"  %l{i} = load double, ptr %g{i}",
            f"  %m{i} = fmul double %l{i}, {before}",
            f"  store double %m{i}, ptr %g{i}",
        ]
    lines.append(f"  ret double %m{size // 4 - 1}")
    return _function("ptr %p, double %y", lines), (MEMORY, NUMBER)


def indices(size):
    """The address of a load is computed from the address before: a chain that is computed again."""
    lines = ["  %i0 = add i64 %n, 0"]
    for i in range(size // 2):
        lines.append(f"  %i{i + 1} = xor i64 %i{i}, {i}")
        lines.append(f"  %k{i} = add i64 %i{i + 1}, 1")
    lines += [
        f"  %g = getelementptr double, ptr %p, i64 %i{size // 2}",
        "  %v = load double, ptr %g",
        "  %w = fmul double %v, %v",
        "  ret double %w",
    ]
    return _function("ptr %p, i64 %n", lines), (MEMORY, CONSTANT)


def loops(size):
    """One loop after the other."""
    lines, count = ["entry:", "  br label %l0"], size // 7
    for i in range(count):
        before, start = (f"l{i - 1}", f"%b{i - 1}") if i else ("entry", "%y")
        after = f"l{i + 1}" if i + 1 < count else "end"
        lines += [
            f"l{i}:",
            f"  %a{i} = phi double [ {start}, %{before} ], [ %b{i}, %l{i} ]",
            f"  %i{i} = phi i64 [ 0, %{before} ], [ %j{i}, %l{i} ]",
            f"  %g{i} = getelementptr double, ptr %p, i64 %i{i}",
            f"  %v{i} = load double, ptr %g{i}",
            f"  %b{i} = fmul double %a{i}, %v{i}",
            f"  %j{i} = add i64 %i{i}, 1",
            f"  %c{i} = icmp ult i64 %j{i}, %n",
            f"  br i1 %c{i}, label %l{i}, label %{after}",
        ]
    lines += ["end:", f"  ret double %b{count - 1}"]
    return _function("ptr %p, double %y, i64 %n", lines), (MEMORY, NUMBER, CONSTANT)


def nest(depth):
    """Loops inside of loops."""
    lines, last = ["entry:", "  br label %l0"], depth - 1
    for d in range(depth):
        before, start = (f"l{d - 1}", f"%a{d - 1}") if d else ("entry", "%y")
        lines += [
            f"l{d}:",
            f"  %i{d} = phi i64 [ 0, %{before} ], [ %j{d}, %e{d} ]",
            f"  %a{d} = phi double [ {start}, %{before} ], [ %b{d}, %e{d} ]",
            f"  br label %{f'l{d + 1}' if d < last else 'body'}",
        ]
    lines += [
        "body:",
        f"  %g = getelementptr double, ptr %p, i64 %i{last}",
        "  %v = load double, ptr %g",
        f"  %w = fmul double %a{last}, %v",
        f"  br label %e{last}",
    ]
    for d in range(last, -1, -1):
        value, source = ("%w", "body") if d == last else (f"%b{d + 1}", f"e{d + 1}")
        lines += [
            f"e{d}:",
            f"  %b{d} = phi double [ {value}, %{source} ]",
            f"  %j{d} = add i64 %i{d}, 1",
            f"  %c{d} = icmp ult i64 %j{d}, %n",
            f"  br i1 %c{d}, label %l{d}, label %{f'e{d - 1}' if d else 'end'}",
        ]
    lines += ["end:", "  ret double %b0"]
    return _function("ptr %p, double %y, i64 %n", lines), (MEMORY, NUMBER, CONSTANT)


def branches(size):
    """One branch after the other."""
    lines, count = ["entry:", "  br label %h0"], size // 6
    for i in range(count):
        value = f"%p{i - 1}" if i else "%x"
        lines += [
            f"h{i}:",
            f"  %c{i} = fcmp ogt double {value}, {float(i)}",
            f"  br i1 %c{i}, label %t{i}, label %m{i}",
            f"t{i}:",
            f"  %u{i} = fmul double {value}, %y",
            f"  br label %m{i}",
            f"m{i}:",
            f"  %p{i} = phi double [ {value}, %h{i} ], [ %u{i}, %t{i} ]",
            f"  br label %h{i + 1}" if i + 1 < count else f"  ret double %p{i}",
        ]
    return _function("double %x, double %y", lines), (NUMBER, NUMBER)


def switch(cases):
    """Many ways from one place to another."""
    lines = ["entry:", "  switch i32 %k, label %d ["]
    lines += [f"    i32 {i}, label %b{i}" for i in range(cases)] + ["  ]"]
    for i in range(cases):
        lines += [f"b{i}:", f"  %m{i} = fmul double %x, {float(i + 1)}"]
        lines += [f"  %o{i} = fmul double %m{i}, %x", "  br label %d"]
    arms = ", ".join(f"[ %o{i}, %b{i} ]" for i in range(cases))
    lines += ["d:", f"  %r = phi double [ %x, %entry ], {arms}", "  ret double %r"]
    return _function("double %x, i32 %k", lines), (NUMBER, CONSTANT)


def calls(depth):
    """A chain of functions that stay calls."""
    parts = []
    for i in range(depth - 1, 0, -1):
        deeper = f"call double @f{i + 1}(double %m)" if i + 1 < depth else "fadd double %m, 1.0"
        parts.append(
            f"define internal double @f{i}(double %x) noinline {{\n  %m = fmul double %x, 1.01\n"
            f"  %r = {deeper}\n  ret double %r\n}}\n"
        )
    lines = ["  %r = call double @f1(double %x)", "  %s = fmul double %r, %x", "  ret double %s"]
    return "".join(parts) + _function("double %x", lines), (NUMBER,)


def arrays(count):
    """Many array arguments."""
    lines = []
    for i in range(count):
        before = f"%s{i - 1}" if i else "1.0"
        lines += [
            f"  %v{i} = load double, ptr %p{i}",
            f"  %s{i} = fmul double {before}, %v{i}",
            f"  store double %s{i}, ptr %p{i}",
        ]
    lines.append(f"  ret double %s{count - 1}")
    return _function(", ".join(f"ptr %p{i}" for i in range(count)), lines), (MEMORY,) * count


# Each shape in a size that a stack as deep as the program is long would not survive.
SHAPES = {
    "scalars": (scalars, 2000),
    "nested": (nested, 2000),
    "memory": (memory, 2000),
    "indices": (indices, 2000),
    "loops": (loops, 1400),
    "nest": (nest, 30),
    "branches": (branches, 1800),
    "switch": (switch, 400),
    "calls": (calls, 60),
    "arrays": (arrays, 100),
}

"""Programs that are large in one way each, as IR text, with what their arguments are.

`size` is about the number of instructions. All define `@f`, which returns a double.
"""

from __future__ import annotations

from enzyme.engine.analysis.kinds import Activity, DiffMode
from enzyme.engine.synthesis.request import DiffRequest

NUMBER, MEMORY, CONSTANT = Activity.ACTIVE, Activity.DUPLICATED, Activity.CONST
LAYOUT = 'target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"\n'


def _function(parameters, lines):
    return LAYOUT + f"define double @f({parameters}) {{\n" + "\n".join(lines) + "\n}\n"


def request(kinds, mode):
    """What asks the engine for the derivative of `@f` in a mode."""
    result = Activity.ACTIVE
    if mode is DiffMode.FORWARD:
        kinds = tuple(Activity.DUPLICATED if k is Activity.ACTIVE else k for k in kinds)
        result = Activity.DUPLICATED
    return DiffRequest("f", mode, kinds, result, return_primal=False)


def scalars(size):
    """Each number is made from the one before."""
    lines = ["  %a0 = fmul double %x, %y"]
    for i in range(size):
        other = ("%y", "%x", f"%a{max(0, i - 3)}", "%x")[i % 4]
        opcode = ("fmul", "fadd", "fadd", "fsub")[i % 4]
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
    return text + "declare double @llvm.sin.f64(double)\n", (NUMBER, NUMBER)


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
        lines.append(f"  %k{i} = mul i64 %i{i}, 3")
        lines.append(f"  %i{i + 1} = xor i64 %k{i}, {i + 1}")
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


def nests(size, depth=30):
    """Loops inside of loops, one such nest after the other."""
    lines, last, count = ["entry:", "  br label %l0.0"], depth - 1, max(1, size // (7 * depth + 3))
    for k in range(count):
        for d in range(depth):
            start = f"%a{k}.{d - 1}" if d else f"%b{k - 1}.0" if k else "%y"
            before = f"l{k}.{d - 1}" if d else f"e{k - 1}.0" if k else "entry"
            lines += [
                f"l{k}.{d}:",
                f"  %i{k}.{d} = phi i64 [ 0, %{before} ], [ %j{k}.{d}, %e{k}.{d} ]",
                f"  %a{k}.{d} = phi double [ {start}, %{before} ], [ %b{k}.{d}, %e{k}.{d} ]",
                f"  br label %{f'l{k}.{d + 1}' if d < last else f'body{k}'}",
            ]
        lines += [
            f"body{k}:",
            f"  %g{k} = getelementptr double, ptr %p, i64 %i{k}.{last}",
            f"  %v{k} = load double, ptr %g{k}",
            f"  %w{k} = fmul double %a{k}.{last}, %v{k}",
            f"  br label %e{k}.{last}",
        ]
        after = f"l{k + 1}.0" if k + 1 < count else "end"
        for d in range(last, -1, -1):
            value, source = (
                (f"%w{k}", f"body{k}") if d == last else (f"%b{k}.{d + 1}", f"e{k}.{d + 1}")
            )
            lines += [
                f"e{k}.{d}:",
                f"  %b{k}.{d} = phi double [ {value}, %{source} ]",
                f"  %j{k}.{d} = add i64 %i{k}.{d}, 1",
                f"  %c{k}.{d} = icmp ult i64 %j{k}.{d}, %n",
                f"  br i1 %c{k}.{d}, label %l{k}.{d}, label %{f'e{k}.{d - 1}' if d else after}",
            ]
    lines += ["end:", f"  ret double %b{count - 1}.0"]
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


def constant_branches(size):
    """One branch after the other, none of which a derivative passes."""
    lines, count = ["entry:", "  br label %h0"], size // 5
    for i in range(count):
        lines += [
            f"h{i}:",
            f"  %c{i} = icmp sgt i32 %k, {i}",
            f"  br i1 %c{i}, label %t{i}, label %h{i + 1}",
            f"t{i}:",
            f"  store i64 {i}, ptr %w",
            f"  br label %h{i + 1}",
        ]
    lines += [f"h{count}:", "  %r = fmul double %x, %x", "  ret double %r"]
    return _function("double %x, i32 %k, ptr %w", lines), (NUMBER, CONSTANT, CONSTANT)


def switch(size):
    """Many ways from one place to another."""
    cases = size // 4
    lines = ["entry:", "  switch i32 %k, label %d ["]
    lines += [f"    i32 {i}, label %b{i}" for i in range(cases)] + ["  ]"]
    for i in range(cases):
        lines += [f"b{i}:", f"  %m{i} = fmul double %x, {float(i + 1)}"]
        lines += [f"  %o{i} = fmul double %m{i}, %x", "  br label %d"]
    arms = ", ".join(f"[ %o{i}, %b{i} ]" for i in range(cases))
    lines += ["d:", f"  %r = phi double [ %x, %entry ], {arms}", "  ret double %r"]
    return _function("double %x, i32 %k", lines), (NUMBER, CONSTANT)


def _straight(of, name, count):
    """`count` numbers, each from those before, beginning with `of`; they stay small."""
    lines, one, other = [], of, of
    for i in range(count):
        opcode, with_ = (("fmul", of), ("fadd", "0.25"), ("fmul", "0.75"), ("fsub", other))[i % 4]
        lines.append(f"  %{name}{i} = {opcode} double {one}, {with_}")
        one, other = f"%{name}{i}", one
    return lines, one


def _callee(name, calls, count):
    """A function of `count` instructions, some of which are calls; it stays a call."""
    lines, last = _straight("%x", "a", count - 2 * len(calls))
    for k, callee in enumerate(calls):
        lines.append(f"  %r{k} = call double @{callee}(double %x)")
        lines.append(f"  %s{k} = fadd double %r{k}, {last}")
        last = f"%s{k}"
    body = "\n".join([*lines, f"  ret double {last}"])
    return f"define internal double @{name}(double %x) noinline {{\n{body}\n}}\n"


def calls(size, length=20):
    """A chain of functions that stay calls."""
    depth = size // length
    parts = [
        _callee(f"f{i}", [f"f{i + 1}"] if i + 1 < depth else [], length) for i in range(1, depth)
    ]
    lines = ["  %r = call double @f1(double %x)", "  %s = fmul double %r, %x", "  ret double %s"]
    return _function("double %x", lines) + "".join(parts), (NUMBER,)


def call_graph(size, functions=500):
    """Functions that call two of those after them; the graph is as deep as it is wide."""
    length = max(8, size // functions)
    count = size // length
    wide = max(2, int(count**0.5))  # levels of so many functions

    def below(i):
        first = (i // wide + 1) * wide
        return (
            [f"f{first + (i * 7 + k * 3) % wide}" for k in range(2)]
            if first + wide <= count
            else []
        )

    parts = [_callee(f"f{i}", below(i), length) for i in range(count)]
    lines, total = [], "%x"
    for i in range(wide):
        lines.append(f"  %r{i} = call double @f{i}(double %x)")
        lines.append(f"  %t{i} = fadd double {total}, %r{i}")
        total = f"%t{i}"
    lines.append(f"  ret double {total}")
    return _function("double %x", lines) + "".join(parts), (NUMBER,)


def recursion(size):
    """A function that calls itself in the middle of its body."""
    first, one = _straight("%x", "a", size // 2)
    last, two = _straight("%r", "b", size // 2)
    lines = [
        "entry:",
        "  %stop = icmp slt i64 %n, 1",
        "  br i1 %stop, label %leaf, label %more",
        "leaf:",
        "  ret double %x",
        "more:",
        *first,
        "  %m = sub i64 %n, 1",
        f"  %r = call double @g(double {one}, i64 %m)",
        *last,
        f"  ret double {two}",
    ]
    inner = _function("double %x, i64 %n", lines).replace("@f(", "@g(").removeprefix(LAYOUT)
    outer = ["  %r = call double @g(double %x, i64 %n)", "  ret double %r"]
    return _function("double %x, i64 %n", outer) + inner, (NUMBER, CONSTANT)


def body(size):
    """One loop of a long body: numbers from memory and from the round before."""
    lines = [
        "entry:",
        "  br label %loop",
        "loop:",
        "  %i = phi i64 [ 0, %entry ], [ %next, %loop ]",
        "  %s = phi double [ %y, %entry ], [ %t, %loop ]",
        "  %g = getelementptr double, ptr %p, i64 %i",
        "  %v = load double, ptr %g",
        "  %x = fmul double %s, %v",
    ]
    made, last = _straight("%x", "a", size)
    lines += [
        *made,
        f"  store double {last}, ptr %g",
        f"  %t = fadd double {last}, %s",
        "  %next = add i64 %i, 1",
        "  %c = icmp ult i64 %next, %n",
        "  br i1 %c, label %loop, label %end",
        "end:",
        "  ret double %t",
    ]
    return _function("ptr %p, double %y, i64 %n", lines), (MEMORY, NUMBER, CONSTANT)


def arrays(size, count=300):
    """Many array arguments, visited in rounds."""
    count = min(count, size // 4)
    lines, before = [], "1.0"
    for k in range(size // (4 * count)):
        for i in range(count):
            lines += [
                f"  %g{k}.{i} = getelementptr double, ptr %p{i}, i64 {k}",
                f"  %v{k}.{i} = load double, ptr %g{k}.{i}",
                f"  %s{k}.{i} = fmul double {before}, %v{k}.{i}",
                f"  store double %s{k}.{i}, ptr %g{k}.{i}",
            ]
            before = f"%s{k}.{i}"
    lines.append(f"  ret double {before}")
    return _function(", ".join(f"ptr noalias %p{i}" for i in range(count)), lines), (
        MEMORY,
    ) * count


SHAPES = {
    "scalars": scalars,
    "nested": nested,
    "memory": memory,
    "indices": indices,
    "loops": loops,
    "nests": nests,
    "body": body,
    "branches": branches,
    "constant branches": constant_branches,
    "switch": switch,
    "calls": calls,
    "call graph": call_graph,
    "recursion": recursion,
    "arrays": arrays,
}

"""What it costs to differentiate a large module of LLVM IR.

    python -m benchmarks modules

Each module has some 10,000 lines and goes through ``python -m enzyme opt`` in a process of its own. Seconds are those
of the processor for the whole process, its start too. Those from C are there if there is a clang.
"""

from __future__ import annotations

import argparse
import random
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

LINES = 10_000
LIMIT_SECONDS = 10.0
_HEAD = "declare double @llvm.sin.f64(double)\ndeclare {result} @__enzyme_autodiff(...)\n"


def straight(lines: int) -> str:
    """One function without a branch."""
    chance = random.Random(1)
    body = ["define double @f(double %x) {", "  %v0 = fmul double %x, 1.5"]
    for k in range(1, lines):
        one, two = (
            f"%v{chance.randrange(max(0, k - 20), k)}",
            f"%v{chance.randrange(max(0, k - 200), k)}",
        )
        body.append(f"  %v{k} = {_step(chance, one, two)}")
    body += [f"  ret double %v{lines - 1}", "}"]
    return _with_call(body, "double", "double %x")


def functions(lines: int, inlined: bool = False) -> str:
    """Many functions, and one that calls all of them."""
    chance = random.Random(2)
    each = 30
    count = lines // (each + 3)
    body = []
    for number in range(count):
        body.append(
            f"define double @g{number}(double %x, ptr %p) {'' if inlined else 'noinline '}{{"
        )
        body.append("  %v0 = load double, ptr %p")
        for k in range(1, each):
            one = f"%v{chance.randrange(k)}" if chance.random() < 0.8 else "%x"
            body.append(f"  %v{k} = {_step(chance, one, f'%v{k - 1}')}")
        body += [f"  store double %v{each - 1}, ptr %p", f"  ret double %v{each - 1}", "}"]
    body.append("define double @f(double %x, ptr %p) {")
    before = "%x"
    for number in range(count):
        body.append(f"  %q{number} = getelementptr double, ptr %p, i64 {number % 16}")
        body.append(f"  %r{number} = call double @g{number}(double {before}, ptr %q{number})")
        before = f"%r{number}"
    body += [f"  ret double {before}", "}"]
    return _with_call(body, "double", "double %x, ptr %p, ptr %d")


def short_functions(lines: int) -> str:
    return functions(lines, inlined=True)


def loops(lines: int) -> str:
    """Nests of two loops, one behind the other, over two matrices in turns."""
    body = ["define void @f(ptr %x, ptr %y, i64 %n) {", "entry:", "  br label %o0"]
    count = lines // 22
    for k in range(count):
        source, target = ("%x", "%y") if k % 2 == 0 else ("%y", "%x")
        body += f"""o{k}:
  %i{k} = phi i64 [ 0, %{f"e{k - 1}" if k else "entry"} ], [ %in{k}, %l{k} ]
  br label %b{k}
b{k}:
  %j{k} = phi i64 [ 0, %o{k} ], [ %jn{k}, %b{k} ]
  %m{k} = mul i64 %i{k}, %n
  %a{k} = add i64 %m{k}, %j{k}
  %p{k} = getelementptr double, ptr {source}, i64 %a{k}
  %q{k} = getelementptr double, ptr {target}, i64 %a{k}
  %u{k} = load double, ptr %p{k}
  %w{k} = load double, ptr %q{k}
  %s{k} = call double @llvm.sin.f64(double %u{k})
  %t{k} = fmul double %s{k}, %w{k}
  store double %t{k}, ptr %q{k}
  %jn{k} = add i64 %j{k}, 1
  %c{k} = icmp slt i64 %jn{k}, %n
  br i1 %c{k}, label %b{k}, label %l{k}
l{k}:
  %in{k} = add i64 %i{k}, 1
  %d{k} = icmp slt i64 %in{k}, %n
  br i1 %d{k}, label %o{k}, label %e{k}
e{k}:
  {f"br label %o{k + 1}" if k + 1 < count else "ret void"}""".splitlines()
    body.append("}")
    return _with_call(body, "void", "ptr %x, ptr %dx, ptr %y, ptr %dy, i64 %n")


def _step(chance: random.Random, one: str, two: str) -> str:
    if chance.random() < 0.1:
        return f"call double @llvm.sin.f64(double {one})"
    return f"{chance.choice(('fadd', 'fsub', 'fmul'))} double {one}, {two}"


def _with_call(body: list[str], result: str, parameters: str) -> str:
    left, right = ("%r = ", "double %r") if result == "double" else ("", "void")
    call = f"  {left}call {result} (...) @__enzyme_autodiff(ptr @f, {parameters})"
    asked = [f"define {result} @gradient({parameters}) {{", call, f"  ret {right}", "}"]
    return _HEAD.format(result=result) + "\n".join([*body, *asked]) + "\n"


def _program(count: int) -> str:
    """Functions in C: loops over arrays and structures, branches, memory of their own."""
    chance = random.Random(3)
    parts = [
        """#include <math.h>
#include <stdlib.h>
struct body { double place[3], speed[3], mass; };
extern void __enzyme_autodiff(void *, ...);
"""
    ]
    for k in range(count):
        turns, scale = chance.randrange(2, 6), round(chance.uniform(0.1, 1), 2)
        parts.append(f"""
__attribute__((noinline)) static double step{k}(struct body *all, double *out, int n, double t) {{
  double *kept = malloc(n * sizeof(double)), total = 0;
  for (int i = 0; i < n; i++) kept[i] = all[i].mass * sin(all[i].place[{k % 3}] * {scale});
  for (int turn = 0; turn < {turns}; turn++)
    for (int i = 1; i < n; i++) {{
      double d = kept[i] - kept[i - 1], r = sqrt(d * d + {scale});
      if (r > {scale} * t) total += d / r; else kept[i] += t * d;
      all[i].speed[{(k + 1) % 3}] += t * exp(-r);
    }}
  for (int i = 0; i < n; i++) {{ all[i].place[{k % 3}] += t * all[i].speed[{k % 3}]; out[i] += kept[i]; }}
  free(kept);
  return total;
}}
""")
    calls = "".join(f"  total += step{k}(all, out, n, t);\n" for k in range(count))
    parts.append(f"""
double f(struct body *all, double *out, int n, double t) {{
  double total = 0;
{calls}  return total;
}}
void gradient(struct body *all, struct body *d, double *out, double *dout, int n, double t) {{
  __enzyme_autodiff((void *)f, all, d, out, dout, n, t);
}}
""")
    return "".join(parts)


def from_c(level: str) -> Callable[[int], str]:
    def made(lines: int) -> str:
        from enzyme.frontdoor.clang import find_clang

        clang = find_clang()
        if clang is None:
            return ""
        per_function = {"-O0": 190, "-O2": 125}[level]
        with tempfile.TemporaryDirectory() as folder:
            source, target = Path(folder) / "program.c", Path(folder) / "program.ll"
            source.write_text(_program(max(1, lines // per_function)))
            options = [
                "-S",
                "-emit-llvm",
                "-g0",
                "-w",
                level,
                "-fno-vectorize",
                "-fno-unroll-loops",
            ]
            subprocess.run([*clang, *options, str(source), "-o", str(target)], check=True)
            return target.read_text()

    return made


SHAPES: dict[str, Callable[[int], str]] = {
    "one straight function": straight,
    "functions that stay calls": functions,
    "functions that are inlined": short_functions,
    "nests of loops": loops,
    "C, -O0": from_c("-O0"),
    "C, -O2": from_c("-O2"),
}


def seconds_of(text: str) -> float:
    """Seconds of the processor for the command, from the start of Python to its end."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "module.ll"
        source.write_text(text)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        call = [
            sys.executable,
            "-m",
            "enzyme",
            "opt",
            str(source),
            "-o",
            str(source.with_suffix(".out")),
        ]
        subprocess.run(call, check=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks modules", description=__doc__)
    parser.add_argument("--lines", type=int, default=LINES)
    options = parser.parse_args(arguments)
    table = Table(title="Differentiating modules of LLVM IR")
    for title in ("module", "lines", "seconds"):
        table.add_column(title, justify="left" if title == "module" else "right")
    slow = False
    for name, shape in SHAPES.items():
        text = shape(options.lines)
        if not text:
            continue
        seconds = seconds_of(text)
        slow |= options.lines == LINES and seconds > LIMIT_SECONDS
        table.add_row(name, str(text.count("\n")), f"{seconds:.2f}")
    Console().print(table)
    return int(slow)

"""Compiles the programs of `c/`, puts derivatives into them, and runs them.

A program compares derivatives with differences or formulas itself and prints OK; ``// flags:`` begins a line with
what clang is to be told. Programs are compiled to IR by the clang that `enzyme.llvm` finds.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from enzyme.llvm.compilers import find_clang

from .frontdoor_harness import command

FOLDER = Path(__file__).parent / "c"
INCLUDE = Path(__file__).resolve().parents[2] / "enzyme" / "frontdoor" / "include"
NAMES = sorted(p.name for p in FOLDER.iterdir() if p.suffix in (".c", ".cpp"))
LEVELS = ("-O0", "-O1", "-O2", "-O3", "-Os")

# The first that fits the name of a program is its family.
FAMILIES = {
    "differential equations": r"ode|nbody|leapfrog|runge",
    "sparse matrices": r"sparse",
    "Fourier transforms": r"fft|dct",
    "text in between": r"print|stream|string",
    "OpenMP": r"omp|openmp",
    "exceptions, jumps": r"throw|caught|exception|setjmp|goto",
    "library of C++": r"stl_|std_|_ptr|unique_vec|optional|function_objects",
    "classes": r"virtual|inherit|diamond|dynamic_cast|member_p|cpp_|lambda_class|vtable|move_only|operator",
    "templates": r"template|crtp|policy|iterator|header",
    "unions, records, bits": r"union|packed|bit|struct|record|byval|memmove|memcpy",
    "lists, trees, tables": r"list|tree|hash|state_machine|callback|function_table|fnptr|shortest|graph",
    "linear algebra": r"gemm|level_one|lu_|chol|gauss|thomas|matrix|eigen|kalman|vla",
    "interpolation, images, chance": r"spline|interp|image|monte|mcmc|median|neural|viterbi|poly|newton|fixed",
    "complex numbers": r"complex|cmplx",
    "markers, declarations": r"",
}

# What the compiler says of a program that it refuses, at all levels unless one is named.
REFUSED = {
    "complex_by_value.c": "is passed in several registers",
    "float_as_int.c": "a float unpacked from an integer",
    "setjmp.c": "may return twice",
    "vararg.c": "a variable number of arguments",
    "runtime_activity.c": "@enzyme_runtime_activity is not supported",
    # Without tags, nodes and heads of containers are not told apart.
    "std_map.cpp-O0": "address",
    "stl_map.cpp-O0": "address",
    "stl_map_strings.cpp-O0": "address",
    "stl_set.cpp-O0": "address",
    "stl_list.cpp-O0": "of a float",
    "list_argument.cpp-O0": "the same bytes are used as two types",
    "stl_list_splice.cpp-O0": "the same bytes are used as two types",
    "stl_list_splice.cpp-Os": "the same bytes are used as two types",
    "stl_map_nested.cpp-O0": "the same bytes are used as two types",
    "stl_set_comparator.cpp-O0": "the same bytes are used as two types",
    "unique_ptr_tree.cpp-O0": "the same bytes are used as two types",
    "dynamic_cast.cpp-O0": "the same bytes are used as two types",
    "virtual_base_state.cpp-O0": "the same bytes are used as two types",
    "list_punned_bits.cpp": "a float",
    "list_union_nodes.cpp": "a float",
    "list_moved_bytes.cpp": "the same bytes are used as two types",
    "stl_growing_structs.cpp-Os": "a copy of memory of unknown type",
    "function_objects.cpp": "the same bytes are used as two types",
    "member_pointers.cpp-Os": "the same bytes are used as two types",
    "union_views.c-Os": "the same bytes are used as two types",
    "records_in_functions.c-O0": "a copy of memory of unknown type",
    "records_in_functions.c-Os": "a copy of memory of unknown type",
    "packed_odd_records.c": "a copy of a part of a number",
    "flexible_array_before.c": "a copy of memory of unknown type",
    "flexible_array_behind.c-O0": "floats packed into an integer",
    "arrays_in_one_block.c-O1": "a copy of memory of unknown type",
    "arrays_in_one_block.c-O2": "a copy of memory of unknown type",
    "arrays_in_one_block.c-O3": "a copy of memory of unknown type",
    "arrays_in_one_block.c-Os": "the same bytes are used as two types",
    "padded_records.c": "floats packed into an integer",
    "record_chosen_by_table.c": "a float unpacked from an integer",
}
# Programs that call functions of C++'s or the compiler's run time which a process without these does not have.
LINKED = {
    "unique_vec.cpp",
    "complex.c",
    "half.c",
    "ode_stepper_class.cpp",
    "std_vector.cpp",
    "std_array_function.cpp",
    "throw_out.cpp",
    "throw.cpp",
}

_RUN = """
import contextlib, ctypes, sys
from enzyme.backend.jit import JittedModule
from enzyme.backend.objects import UnresolvedSymbolError
with contextlib.suppress(OSError):
    ctypes.CDLL("libstdc++.so.6", ctypes.RTLD_GLOBAL)
kept = []
for path in sys.argv[1:]:
    print("=====", path, flush=True)
    try:
        kept.append(JittedModule(open(path).read(), optimise=False))
    except UnresolvedSymbolError:
        print("unresolved", flush=True)
        continue
    kept[-1].function("main", ctypes.c_int)()
    ctypes.CDLL(None).fflush(None)
"""


@dataclass(frozen=True)
class Program:
    """One program at one level of optimisation."""

    name: str
    level: str
    aliasing: bool = True
    nesting: int = 0
    folder: Path = FOLDER

    @property
    def asks_for_all(self) -> bool:
        """Does it ask for derivatives in all modes? That takes longer."""
        return '#include "modes.h"' in (self.folder / self.name).read_text()

    @property
    def family(self) -> str:
        return next(name for name, form in FAMILIES.items() if re.search(form, self.name))

    @property
    def label(self) -> str:
        nested = f"-nested{self.nesting}" if self.nesting else ""
        return f"{self.name}{self.level}{'' if self.aliasing else '-aliasing'}{nested}"

    def compile(self, folder: Path) -> Path:
        """The IR of the program."""
        made = folder / f"{self.label}.ll"
        source = self.folder / self.name
        flags = re.findall(r"^// flags: (.*)$", source.read_text(), re.M)
        extra = flags[0].split() if flags else []
        if not self.aliasing:
            extra.append("-fno-strict-aliasing")
        clang = find_clang("c" if source.suffix == ".c" else "c++")
        if self.nesting:
            extra.append(f"-DNESTING={self.nesting}")
        call = [*clang, "-S", "-emit-llvm", "-g0", "-w", self.level, "-I", str(INCLUDE), *extra]
        subprocess.run([*call, "-o", str(made), str(source)], check=True, capture_output=True)
        return made

    def differentiate(self, folder: Path) -> tuple[Path, str]:
        """The IR with derivatives, and the error if there is one."""
        return self.derive(self.compile(folder))

    def derive(self, ir: Path) -> tuple[Path, str]:
        """The same of the program's IR."""
        made = ir.with_name(f"{self.label}.derived.ll")
        code, _, error = command(["opt", str(ir), "-o", str(made)])
        assert code in (0, 1), self.label
        assert (code == 1) == bool(error), self.label
        assert made.exists() == (code == 0), self.label
        assert "internal error" not in error, (self.label, error)
        assert error.count("\n") <= 1, (self.label, error)
        return made, error


def compile_apart(programs: list[Program], folder: Path) -> list[tuple[Path, list[Program]]]:
    """The IR of the programs, each with the programs that it is the IR of.

    Levels are not all different: some compilers take several for one, and without optimisation there are no tags.
    """
    found: dict[str, tuple[Path, list[Program]]] = {}
    for program in programs:
        ir = program.compile(folder)
        text = re.sub(r"^(; ModuleID|source_filename) = .*$", "", ir.read_text(), flags=re.M)
        found.setdefault(text, (ir, []))[1].append(program)
    return list(found.values())


def run_together(paths: list[Path]) -> dict[str, str]:
    """What the programs print, each compiled and run in one child process."""
    done = subprocess.run(
        [sys.executable, "-c", _RUN, *map(str, paths)], capture_output=True, text=True, check=False
    )
    printed = done.stdout.split("===== ")[1:]
    found = {part.partition("\n")[0]: part.partition("\n")[2].strip() for part in printed}
    return {path.name: found.get(str(path), f"not reached: {done.stderr[-500:]}") for path in paths}


def run_linked(path: Path, cpp: bool) -> str:
    """What a program prints that is linked by clang."""
    made = path.with_suffix(".exe")
    clang = find_clang("c++" if cpp else "c")
    subprocess.run([*clang, "-O1", "-w", str(path), "-o", str(made), "-lm"], check=True)
    done = subprocess.run([str(made)], capture_output=True, text=True, check=False)
    return done.stdout.strip() or f"status {done.returncode}"

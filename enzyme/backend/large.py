"""Programs on which most of LLVM would take minutes: how they are recognised, and what is done with them.

Several passes take time that grows with the square of the length of a block (instruction selection, scheduling,
register allocation) or of the number of loops in a function (induction variables, strength reduction). Ordinary code
stays far below the sizes from which that is felt; what is above gets the passes that are linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import llvmlite.binding as llvm

from enzyme.backend import host

# Lines of text, where it is what the engine has written; LLVM leaves about a half of them.
MOST_LINES = 40_000
LONGEST_BLOCK = 8_000
# Of one function; a loop counts once for each loop around it too.
MOST_LOOPS = 400
# Instruction selection sees no more than so many instructions at once.
SPLIT_LENGTH = 1000

_LABEL = re.compile(r'([-\w.$]+|"[^"]*"):')
_TARGET = re.compile(r'label %([-\w.$]+|"[^"]*")')
_UNNAMED = re.compile(r" %\d+[,)]")
_INCOMING = re.compile(r', %([-\w.$]+|"[^"]*") \]')


def is_large(text: str) -> bool:
    """Is a module, given as text, one that the default pipelines would take long for?"""
    lines = text.count("\n")
    if lines > MOST_LINES:
        return True
    if lines < min(LONGEST_BLOCK, 10 * MOST_LOOPS):
        return False
    return any(_is_large(body) for body in _functions(text))


def _functions(text: str) -> Iterable[list[str]]:
    """The lines of each function between the braces."""
    for part in text.split("\ndefine ")[1:]:
        yield part.split("\n}", 1)[0].split("\n")[1:]


def _is_large(body: list[str]) -> bool:
    longest = start = 0
    starts: dict[str, int] = {}
    loops: list[tuple[int, int]] = []
    for place, line in enumerate(body):
        if (label := _LABEL.match(line)) is not None:
            longest = max(longest, place - start)
            starts[label[1]] = start = place
        else:
            # Blocks stand in the order of control: a branch back is to a loop.
            loops += [(starts[t], place) for t in _TARGET.findall(line) if t in starts]
    return max(longest, len(body) - start) > LONGEST_BLOCK or _depths(loops) > MOST_LOOPS


def _depths(loops: list[tuple[int, int]]) -> int:
    """The sum of the depths of loops that are given by their first and last lines."""
    total, around = 0, list[int]()
    for start, end in sorted(loops, key=lambda loop: (loop[0], -loop[1])):
        while around and around[-1] < start:
            around.pop()
        around.append(end)
        total += len(around)
    return total


def simplify(module: llvm.ModuleRef) -> None:
    """Make the code of `module` shorter, in place and in linear time; what must be inlined is."""
    builder = llvm.create_pass_builder(
        host.target_machine(), llvm.create_pipeline_tuning_options(speed_level=1)
    )
    whole = llvm.create_new_module_pass_manager()
    whole.add_always_inliner_pass()
    whole.add_global_dead_code_eliminate_pass()
    whole.run(module, builder)
    each = llvm.create_new_function_pass_manager()
    each.add_sroa_pass()
    each.add_instruction_combine_pass()
    each.add_simplify_cfg_pass()
    for function in module.functions:
        if not function.is_declaration:
            each.run(function, builder)


def with_short_blocks(text: str) -> str:
    """The module with branches to the next instruction in blocks of more than `SPLIT_LENGTH`."""
    made: list[str] = []
    begin = count = serial = 0
    block, ends = "", dict[str, str]()
    for line in text.split("\n"):
        label = _LABEL.match(line)
        if line.startswith("define "):
            # A first block without a name has no label; its number comes after those of the parameters.
            unnamed = str(len(_UNNAMED.findall(line)))
            begin, count, block, ends = len(made), 0, unnamed, {}
        elif label is not None:
            count, block = 0, label[1]
        elif line.startswith("  "):
            count += 1
            goes_on = line.startswith(("    ", "  ]")) or " = phi " in line
            if count > SPLIT_LENGTH and not goes_on:
                serial += 1
                ends[block] = f"split.{serial}"
                made += [f"  br label %{ends[block]}", f"{ends[block]}:"]
                count = 0
        elif line == "}" and ends:
            _rename_incoming(made, begin, ends)
        made.append(line)
    return "\n".join(made)


def _rename_incoming(lines: list[str], begin: int, ends: Mapping[str, str]) -> None:
    """Let phis name the last parts of the blocks that control comes from."""

    def now(match: re.Match[str]) -> str:
        return f", %{ends.get(match[1], match[1])} ]"

    for place in range(begin, len(lines)):
        if " = phi " in lines[place]:
            lines[place] = _INCOMING.sub(now, lines[place])

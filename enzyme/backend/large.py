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
MOST_LINES = 60_000
LONGEST_BLOCK = 8_000
# What comes from a front end has so many times the lines that LLVM leaves of it.
PLAIN = 5
# Of one function, as a front end writes it and as the engine does; a loop counts once for each loop around it too. What
# stays below takes about as long as numba takes for the program.
MOST_PLAIN_LOOPS = 400
MOST_LOOPS = 1000
MOST_FUNCTIONS = 800
# Instruction selection sees no more than so many instructions at once.
SPLIT_LENGTH = 1000

_LABEL = re.compile(r'([-\w.$]+|"[^"]*"):')
_TARGET = re.compile(r'label %([-\w.$]+|"[^"]*")')
_UNNAMED = re.compile(r" %\d+(?=[,)])")
# These stand first in their block, behind phis.
_FIRST = (" = landingpad ", " = catchswitch ", " = catchpad ", " = cleanuppad ")
_INCOMING = re.compile(r', %([-\w.$]+|"[^"]*") \]')


def is_large(text: str, plain: bool = False) -> bool:
    """Is a module, given as text, one that the default pipelines would take long for?

    With `plain` the text comes from a front end and was not optimised.
    """
    factor, loops = (PLAIN, MOST_PLAIN_LOOPS) if plain else (1, MOST_LOOPS)
    lines = text.count("\n")
    if lines > factor * MOST_LINES or text.count("\ndefine ") > MOST_FUNCTIONS:
        return True
    if lines < min(LONGEST_BLOCK, 10 * loops):
        return False
    return any(_is_large(body, factor * LONGEST_BLOCK, loops) for body in _functions(text))


def _functions(text: str) -> Iterable[list[str]]:
    """The lines of each function between the braces."""
    for part in text.split("\ndefine ")[1:]:
        yield part.split("\n}", 1)[0].split("\n")[1:]


def _is_large(body: list[str], longest_block: int, most_loops: int) -> bool:
    longest = start = 0
    label, targets = "", dict[str, list[str]]()
    for place, line in enumerate(body):
        if (found := _LABEL.match(line)) is not None:
            longest = max(longest, place - start)
            start, label = place, found[1]
        targets.setdefault(label, []).extend(_TARGET.findall(line))
    return max(longest, len(body) - start) > longest_block or _depths(targets) > most_loops


def _depths(targets: dict[str, list[str]]) -> int:
    """The sum of the depths of all loops; a block is its label, the first is where control begins."""
    order, before, repeated = _walk(targets)
    inside = {block: block for block in order}  # the header of the outermost loop found so far

    def outermost(block: str) -> str:
        while inside[block] != block:
            inside[block] = inside[inside[block]]
            block = inside[block]
        return block

    around: dict[str, str] = {}
    for header in reversed(order):
        pending = [outermost(source) for source in repeated.get(header, ())]
        while pending:
            block = pending.pop()
            if block in (header, outermost(header)) or inside[block] == header:
                continue
            inside[block] = header
            if block in repeated:
                around[block] = header
            pending += [outermost(source) for source in before[block]]
    depth: dict[str, int] = {}
    for header in order:
        if header in repeated:
            depth[header] = depth.get(around.get(header, ""), 0) + 1
    return sum(depth.values())


def _walk(
    targets: dict[str, list[str]],
) -> tuple[list[str], dict[str, list[str]], dict[str, list[str]]]:
    """Blocks in the order in which a search reaches them; edges by their ends, those back to a loop apart."""
    entry = next(iter(targets))
    order, active = [entry], {entry}
    before: dict[str, list[str]] = {entry: []}
    repeated: dict[str, list[str]] = {}
    path = [(entry, iter(targets[entry]))]
    while path:
        block, rest = path[-1]
        for target in rest:
            if target not in before:
                before[target] = [block]
                order.append(target)
                active.add(target)
                path.append((target, iter(targets.get(target, ()))))
                break
            (repeated if target in active else before).setdefault(target, []).append(block)
        else:
            active.discard(block)
            path.pop()
    return order, before, repeated


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
    """The module with branches to the next instruction in blocks of more than `SPLIT_LENGTH`; itself without such."""
    if text.count("\n") <= SPLIT_LENGTH:
        return text
    made: list[str] = []
    begin = count = serial = 0
    stem = "split"
    while f"{stem}." in text:
        stem += "."
    block, ends = "", dict[str, str]()
    for line in text.split("\n"):
        label = _LABEL.match(line)
        if line.startswith("define "):
            # A first block without a name has no label; its number comes after those of the parameters.
            unnamed = str(len(_UNNAMED.findall(line.partition("@")[2])))
            begin, count, block, ends = len(made), 0, unnamed, {}
        elif label is not None:
            count, block = 0, label[1]
        elif line.startswith("  "):
            count += 1
            if count > SPLIT_LENGTH and _may_begin(line, made[-1]):
                serial += 1
                ends[block] = f"{stem}.{serial}"
                made += [f"  br label %{ends[block]}", f"{ends[block]}:"]
                count = 0
        elif line == "}" and ends:
            _rename_incoming(made, begin, ends)
        made.append(line)
    return "\n".join(made) if serial else text


def _may_begin(line: str, before: str) -> bool:
    """May a block begin with this line?"""
    goes_on = line.startswith(("    ", "  ]")) or " = phi " in line
    return not goes_on and "musttail call " not in before and not any(w in line for w in _FIRST)


def _rename_incoming(lines: list[str], begin: int, ends: Mapping[str, str]) -> None:
    """Let phis name the last parts of the blocks that control comes from."""

    def now(match: re.Match[str]) -> str:
        return f", %{ends.get(match[1], match[1])} ]"

    for place in range(begin, len(lines)):
        if " = phi " in lines[place]:
            lines[place] = _INCOMING.sub(now, lines[place])

"""Loops down a column: LLVM vectorises them for arrays of one column alone, and leaves all others to what is left over.

Before the vectors stands a test whether a step, which nobody knows before, is that from one number to the next. It
fails but for arrays of one column, and then all numbers of the loop are computed like the last ones of other loops.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from enzyme.backend.instructions_in_text import parsed
from enzyme.backend.loops_in_text import blocks_of, targets_of

# LLVM's name of the test, and what passes its result on.
TEST = "ident.check"
_LOGIC = frozenset(("select", "and", "or", "xor", "freeze"))
_FORK = re.compile(r"  br i1 (%[-\w.$]+), label %([-\w.$]+), label %([-\w.$]+)")


def closed(body: list[str], wanted: set[str]) -> set[str]:
    """Close the ways into blocks that are `wanted` which such a test decides; the blocks that nothing reaches then.

    The lines are those of a function. Values and blocks have the names that LLVM gives them.
    """
    tests = _results(body) if wanted else set()
    if not tests:
        return set()
    targets = targets_of(body)
    forks: list[tuple[int, str, re.Match[str]]] = []
    for place, (label, line) in enumerate(blocks_of(body)):
        fork = _FORK.match(line)
        if fork is not None and fork[1] in tests:
            forks.append((place, label, fork))
    found: set[str] = set()
    for place, label, fork in forks:
        ways = {fork[2]: "false", fork[3]: "true"}  # what the test says where a way is not gone
        lost = {way: wanted - _reached(targets, label, way) for way in ways}
        behind = [way for way in ways if lost[way] - found]
        if len(behind) == 1 and len(ways) == 2:
            (way,) = behind
            targets[label].remove(way)
            body[place] = body[place].replace(f"i1 {fork[1]}", f"i1 {ways[way]}", 1)
            found |= lost[way]
    return found


def _reached(targets: dict[str, list[str]], fork: str, way: str) -> set[str]:
    """The blocks that are reached where one way of a fork is closed."""
    entry = next(iter(targets))
    seen, pending = {entry}, [entry]
    while pending:
        block = pending.pop()
        for target in targets.get(block, ()):
            if target not in seen and (block, target) != (fork, way):
                seen.add(target)
                pending.append(target)
    return seen


def _results(body: Sequence[str]) -> set[str]:
    """The values that a test decides."""
    uses: dict[str, list[str]] = {}
    pending = []
    for line in body:
        found = parsed(line)
        if found is None:
            continue
        if TEST in found.name:
            pending.append(found.name)
        elif found.opcode in _LOGIC:
            for operand in found.read:
                uses.setdefault(operand, []).append(found.name)
    results: set[str] = set()
    while pending:
        name = pending.pop()
        if name not in results:
            results.add(name)
            pending += uses.get(name, ())
    return results

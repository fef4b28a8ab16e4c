"""The functions of a module, and which loop each block of one is in, read off their text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

FUNCTION = re.compile(r"^define .*?^}", re.MULTILINE | re.DOTALL)
LABEL = re.compile(r'([-\w.$]+|"[^"]*"):')
_TARGET = re.compile(r'label %([-\w.$]+|"[^"]*")')


def blocks_of(body: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Each line of a function with the label of its block; the first block may have none."""
    label = ""
    for line in body:
        found = LABEL.match(line)
        if found is not None:
            label = found[1]
        yield label, line


def targets_of(body: Sequence[str]) -> dict[str, list[str]]:
    """Where control goes from each block, by labels; the first one is where the function begins."""
    targets: dict[str, list[str]] = {}
    for label, line in blocks_of(body):
        targets.setdefault(label, []).extend(_TARGET.findall(line))
    return targets


def innermost_loops(body: Sequence[str]) -> dict[str, str]:
    """For each block in a loop the header of the innermost one, by labels."""
    targets = targets_of(body)
    before: dict[str, list[str]] = {}
    latches: dict[str, list[str]] = {}
    entry = next(iter(targets), "")
    seen, active = {entry}, {entry}
    path = [(entry, iter(targets.get(entry, ())))]
    while path:
        block, rest = path[-1]
        for target in rest:
            if target in active:
                latches.setdefault(target, []).append(block)
                continue
            before.setdefault(target, []).append(block)
            if target not in seen:
                seen.add(target)
                active.add(target)
                path.append((target, iter(targets.get(target, ()))))
                break
        else:
            active.discard(block)
            path.pop()
    found: dict[str, tuple[int, str]] = {}
    for header, sources in latches.items():
        inside = {header}
        pending = list(sources)
        while pending:
            block = pending.pop()
            if block not in inside:
                inside.add(block)
                pending += before.get(block, ())
                pending += latches.get(block, ())
        for block in inside:
            if block not in found or len(inside) < found[block][0]:
                found[block] = len(inside), header
    return {block: header for block, (_, header) in found.items()}

"""Take guards out of the chains of loops, and compute again with them where that was wrong.

A guarded product is zero where its factor is zero, whatever the other factor (`engine.synthesis.guards`): a comparison
and a select between the product and the sum that takes it, where one instruction does for both. In a loop that is a
chain, as over the steps of a differential equation, the chain is longer for it. Without the select the product is the
same or NaN, and NaN goes through sums and products. So numbers are computed without guards, and where one that is
used elsewhere is NaN, the same instructions run again with them, in a copy out of the way. The question stands beside
the chain: the processor goes on as if the answer were known.

This is done behind the vectoriser, which does not take loops with such a branch; loops in vectors are no chains. A
comparison loses a NaN, so what it reads is asked for, too. A select between numbers may lose one, but what it throws
away it throws away with guards as well. Where the other factors are few, it is these that are asked whether they are
finite: they are known before the chain comes by.

Divisions in a chain, of which the divisor is known before it, become products: a product takes a third of the time of a
quotient. Where the reciprocal of the divisor is not finite, the instructions run again as they were.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from enzyme.backend.chains import TextFunction, multiplied
from enzyme.backend.instructions_in_text import FLAGS, NAME, Line, renamed
from enzyme.backend.loops_in_text import FUNCTION, blocks_of, innermost_loops, targets_of

# The question costs an addition for each number; a guard is a comparison and a select.
LEAST_GUARDS = 3
# The same where they stand in a chain, between numbers that one round of a loop hands to the next.
LEAST_IN_CHAIN = 2
# How far above a guarded product its factor is looked for.
_DEPTH = 6
# How many more questions there may be if they can be asked before the chain has come so far.
_MORE_EARLY = 2

_NUMBER = re.compile(r"-?\d\.\d+e[+-]\d+")
_ZERO = r"-?0\.000000e\+00"
_GUARD = re.compile(rf"= select {FLAGS}i1 .*(?:double|float) {_ZERO}")
_SELECT = re.compile(
    rf"{FLAGS}i1 ([^\s,]+), (?:double|float) ([^\s,]+), (?:double|float) ([^\s,]+)"
)
_COMPARED = re.compile(rf"{FLAGS}(oeq|ueq|une|one) (?:double|float) ({NAME}), {_ZERO}")
_OPERANDS = re.compile(rf"{FLAGS}(?:double|float) ([^\s,]+)(?:, ([^\s,]+))?")
_INCOMING = re.compile(rf", %({NAME[1:]}) \]")
_TYPE = re.compile(rf"^({NAME}) = type ", re.MULTILINE)
_INEXACT = re.compile(r" = fdiv [a-z ]*arcp ")
_DONE = "%enzyme.lost."
_NODE = re.compile(r"^!(\d+) = ", re.MULTILINE)
_EARLY = frozenset("fadd fsub fmul fdiv fneg fcmp select and or xor".split())


def without_guards(text: str) -> str:
    """The module's text with the guards of loops out of the way; `text` itself if there are none."""
    if _DONE in text or not _may_gain(text):
        return text
    weights = f"!{max(map(int, _NODE.findall(text)), default=-1) + 1}"
    types = frozenset(_TYPE.findall(text))
    splits: list[_Split] = []

    def changed(found: re.Match[str]) -> str:
        return _changed(found[0], types, weights, splits) if _may_gain(found[0]) else found[0]

    made = FUNCTION.sub(changed, text)
    return f'{made}\n{weights} = !{{!"branch_weights", i32 1, i32 2000}}\n' if splits else text


def _may_gain(text: str) -> bool:
    return _GUARD.search(text) is not None or _INEXACT.search(text) is not None


def _changed(text: str, types: Set[str], weights: str, splits: list[_Split]) -> str:
    """A function's text; adds what was split to the list of the module's splits.

    Names of `types` look like those of values: where they meet in a function, it stays as it is.
    """
    body = text.split("\n")
    loops = innermost_loops(body[1:-1])
    if not loops:
        return text
    function = _Function(body)
    if not types.isdisjoint(function.definitions):
        return text
    function = _early(function, loops).with_reciprocals(loops)
    own: list[_Split] = []
    sources: dict[str, str] = {}
    for run in _runs(function, loops):
        source = sources.get(run.label, run.label)
        split = _split(function, run, source, len(splits) + len(own), weights)
        if split is not None:
            own.append(split)
            sources[run.label] = split.rest
    splits += own
    return "\n".join(_assembled(function.body, own, sources)) if own else text


def _assembled(
    body: Sequence[str], splits: Sequence[_Split], ends: Mapping[str, str]
) -> Iterator[str]:
    """Lines of the function, with the splits in place of their runs."""
    names = {name: merged for split in splits for name, merged in split.names.items()}
    at = 0
    for split in splits:
        yield from (_moved(line, names, ends) for line in body[at : split.run.first])
        yield from (renamed(line, names) for line in split.lines)
        at = split.run.last
    yield from (_moved(line, names, ends) for line in body[at:])


def _moved(line: str, names: Mapping[str, str], ends: Mapping[str, str]) -> str:
    if " = phi " in line:
        line = _INCOMING.sub(lambda found: f", %{ends.get(found[1], found[1])} ]", line)
    return renamed(line, names)


class _Function(TextFunction):
    """A function, and its guards."""

    def promises(self, name: str) -> bool:
        """Is the number undefined where it is not finite?"""
        line = self.definitions.get(name)
        return line is not None and line.is_finite_by_promise

    def guarded(self, line: Line | None) -> tuple[str, list[str]] | None:
        """The product that a line is, or zero where its factor is, and the other factors.

        An empty one stands for what being finite is not enough for: a divisor.
        """
        found = _SELECT.match(line.rest) if line is not None and line.opcode == "select" else None
        if found is None:
            return None
        condition, first, second = found.groups()
        comparison = self.definitions.get(condition)
        if comparison is None or comparison.opcode != "fcmp":
            return None
        compared = _COMPARED.match(comparison.rest)
        if compared is None:
            return None
        zero, product = (first, second) if compared[1] in ("oeq", "ueq") else (second, first)
        made = self.definitions.get(product)
        # The sign of a zero must not matter.
        if made is None or "nsz " not in made.rest or not re.fullmatch(_ZERO, zero):
            return None
        others = self._others(self._positive(compared[2]), product, _DEPTH)
        if others is not None and compared[1] in ("ueq", "one"):
            others.append("")  # zero also where what is tested is NaN
        return None if others is None else (product, others)

    def has_guards_enough(self, run: _Run) -> bool:
        """Does a run of a loop have so many guards that it is worth a question?"""
        if run.quotients:
            return True
        count = len(run.products)
        chain = not self.in_chains.isdisjoint(run.products.values())
        return count >= LEAST_GUARDS or (count >= LEAST_IN_CHAIN and chain)

    def _operands(self, name: str, *opcodes: str) -> list[str]:
        line = self.definitions.get(name)
        found = _OPERANDS.match(line.rest) if line is not None and line.opcode in opcodes else None
        return [operand for operand in found.groups() if operand] if found else []

    def _positive(self, name: str) -> str:
        for operand in self._operands(name, "fneg"):
            return self._positive(operand)
        return name

    def _others(self, factor: str, product: str, depth: int) -> list[str] | None:
        """The factors of a product beside this one; None if it is not one of them."""
        if product == factor:
            return []
        if not depth:
            return None
        operands = self._operands(product, "fneg", "fmul")
        for at, operand in enumerate(operands):
            found = self._others(factor, operand, depth - 1)
            if found is not None:
                return [*found, *operands[:at], *operands[at + 1 :]]
        for numerator in self._operands(product, "fdiv")[:1]:
            found = self._others(factor, numerator, depth - 1)
            return None if found is None else [*found, ""]
        return None


@dataclass(slots=True)
class _Run:
    """Instructions of a block that may run twice: lines `first` up to `last` of the function, by guarded value the
    product, what these products have as factors beside those that are tested, and by quotient a reciprocal."""

    first: int
    last: int
    label: str
    products: dict[str, str] = field(default_factory=dict)
    partials: dict[str, None] = field(default_factory=dict)
    quotients: dict[str, str] = field(default_factory=dict)


def _runs(function: _Function, loops: Mapping[str, str]) -> Iterator[_Run]:
    """Runs of instructions in loops that have guards enough."""
    run: _Run | None = None
    for at, (label, _) in enumerate(blocks_of(function.body)):
        line = function.lines[at]
        if label in loops and line is not None and line.is_pure:
            run = run or _Run(at, at, label)
            run.last = at + 1
            guarded = function.guarded(line)
            if guarded is not None:
                run.products[line.name], others = guarded
                run.partials.update(dict.fromkeys(others))
            if line.name in function.reciprocals:
                run.quotients[line.name] = function.reciprocals[line.name]
            continue
        if run is not None and function.has_guards_enough(run):
            yield run
        run = None


@dataclass(slots=True)
class _Split:
    """What a run becomes: lines, the label of the block that it ends with, and new names of what is used elsewhere."""

    run: _Run
    lines: list[str]
    rest: str
    names: dict[str, str]


def _split(function: _Function, run: _Run, source: str, number: int, weights: str) -> _Split | None:
    """The run in two versions; None where what comes out of it cannot be asked whether it is NaN."""
    for tried in (run, replace(run, quotients={})) if run.quotients else (run,):
        if function.has_guards_enough(tried):
            found = _split_by(function, tried, source, number, weights)
            if found is not None:
                return found
    return None


def _split_by(
    function: _Function, run: _Run, source: str, number: int, weights: str
) -> _Split | None:
    lines = [line for line in function.lines[run.first : run.last] if line is not None]
    own = {line.name: line for line in lines}
    changing: dict[str, Line] = {}
    for line in lines:
        guards = line.name in run.products or line.name in run.quotients
        if guards or any(name in changing for name in line.read):
            changing[line.name] = line
    used = [
        name
        for name in changing
        if any(not run.first <= at < run.last for at in function.readers.get(name, ()))
    ]
    # Comparisons are made again behind the run, of what is merged there: other guards go by them.
    compared = [name for name in used if own[name].opcode == "fcmp"]
    merged = dict.fromkeys(name for name in used if name not in compared)
    merged.update(dict.fromkeys(n for c in compared for n in own[c].read if n in changing))
    asked = _asked(run, lines, changing, merged)
    types = {own[name].type for name in asked}
    if len(types) != 1 or any(own[name].type is None for name in merged):
        return None
    if any(map(function.promises, [*changing, *run.products.values()])):
        return None

    plain = {name: f"%enzyme.plain.{number}.{k}" for k, name in enumerate(changing)}
    for name, product in run.products.items():
        plain[name] = plain.get(product, product)
    again = {
        line.name: f"%enzyme.again.{number}.{k}"
        for k, line in enumerate(lines)
        if line.opcode != "call" or line.name in changing
    }
    names = {name: f"%enzyme.merged.{number}.{k}" for k, name in enumerate([*merged, *compared])}
    guarded, rest = f"enzyme.guarded.{number}", f"enzyme.rest.{number}"
    made = [
        renamed(multiplied(line, run.quotients), plain)
        for line in lines
        if line.name not in run.products
    ]
    factors = dict.fromkeys((*run.partials, *run.quotients.values()))
    partials = [name for name in factors if not _NUMBER.fullmatch(name)]
    type_ = str(types.pop())
    of_one_type = all(own[name].type == type_ for name in run.products)
    early = (
        of_one_type
        and 0 < len(partials) <= len(asked) + _MORE_EARLY
        and not any(not name or name in changing or function.promises(name) for name in partials)
    )
    if run.quotients and not early:
        # Behind the chain it cannot be told any more whether a reciprocal was infinite.
        return None
    if early:
        made += _infinite(partials, type_, number)
    else:
        made += _question([plain[name] for name in asked], type_, number)
    made.append(f"  br i1 %enzyme.lost.{number}, label %{guarded}, label %{rest}, !prof {weights}")
    made += ["", f"{guarded}:"]
    made += [renamed(line.text, again) for line in _needed(lines, merged) if line.name in again]
    made += [f"  br label %{rest}", "", f"{rest}:"]
    for name in merged:
        incoming = f"[ {plain[name]}, %{source} ], [ {again[name]}, %{guarded} ]"
        made.append(f"  {names[name]} = phi {own[name].type} {incoming}")
    made += [renamed(own[name].text, names) for name in compared]
    return _Split(run, made, rest, names)


def _needed(
    lines: Sequence[Line], used: Mapping[str, None], products: Mapping[str, str] | None = None
) -> list[Line]:
    """The lines that what is used is computed of, in their order; without guards, if their products are given."""
    wanted = set(used)
    needed = []
    for line in reversed(lines):
        if line.name in wanted:
            needed.append(line)
            product = products.get(line.name) if products else None
            wanted.update(line.read if product is None else (product,))
    return needed[::-1]


def _asked(
    run: _Run, lines: Sequence[Line], changing: Mapping[str, Line], merged: Mapping[str, None]
) -> list[str]:
    """Numbers such that one of them is NaN if anything was NaN that is used; nothing where there are none to ask."""
    needed = _needed(lines, merged, run.products)
    suspects = {name for name in merged if changing[name].type != "i1"}
    for line in needed:
        if line.name in changing and line.name not in run.products:
            for name in line.loses_nan_of:
                type_ = changing[name].type if name in changing else "i1"
                if type_ is None:
                    return []
                if type_ != "i1":
                    suspects.add(name)
    asked = []
    covered: set[str] = set()
    for line in reversed(needed):
        if line.name in suspects and line.name not in covered:
            asked.append(line.name)
        if line.name in suspects or line.name in covered:
            if line.name in run.products:
                covered.add(run.products[line.name])
            elif line.opcode != "select":
                covered.update(set(line.read) - set(line.loses_nan_of))
    return asked


def _question(names: Sequence[str], type_: str, number: int) -> list[str]:
    """Lines that find whether one of the numbers is NaN; they may say so where some are infinite."""
    lines, names = _sums(names, 2, type_, number)
    other = names[1] if len(names) == 2 else "0.000000e+00"
    return [*lines, f"  %enzyme.lost.{number} = fcmp uno {type_} {names[0]}, {other}"]


def _infinite(names: Sequence[str], type_: str, number: int) -> list[str]:
    """Lines that find whether one of the numbers is infinite or NaN; they may say so where some are very large."""
    lines, (total,) = _sums(names, 1, type_, number)
    lines.append(f"  %enzyme.times.zero.{number} = fmul {type_} {total}, 0.000000e+00")
    return [
        *lines,
        f"  %enzyme.lost.{number} = fcmp uno {type_} %enzyme.times.zero.{number}, 0.000000e+00",
    ]


def _sums(
    names: Sequence[str], most: int, type_: str, number: int
) -> tuple[list[str], Sequence[str]]:
    """Lines that add numbers until they are this many, and their names."""
    lines: list[str] = []
    while len(names) > most:
        above = []
        for first, second in zip(names[::2], names[1::2], strict=False):
            above.append(f"%enzyme.sum.{number}.{len(lines)}")
            lines.append(f"  {above[-1]} = fadd {type_} {first}, {second}")
        names = [*above, *names[len(above) * 2 :]]
    return lines, names


def _early(function: _Function, loops: Mapping[str, str]) -> _Function:
    """The function, where what the last block of a loop computes stands in the block before it.

    A reverse loop asks whether it goes on before it computes what the next round needs. That is computed for the last
    round in vain, and belongs to one run with all that is before it.
    """
    body = function.body
    blocks: dict[str, list[int]] = {}
    for at, (label, _) in enumerate(blocks_of(body)):
        blocks.setdefault(label, []).append(at)
    targets = targets_of(body)
    arrivals = Counter(label for ways in targets.values() for label in ways)
    moves: dict[int, list[int]] = {}
    names: dict[str, str] = {}
    for source, ways in targets.items():
        inside = [label for label in ways if loops.get(label) == loops.get(source)]
        if len(ways) != 2 or len(inside) != 1 or source not in loops:
            continue
        (label,) = inside
        lines = [at for at in blocks[label] if function.lines[at] is not None]
        guards = any(function.guarded(function.lines[at]) for at in lines)
        ends = [at for at in blocks[source] if body[at].startswith("  br ")]
        if ends and arrivals[label] == 1 and guards and targets[label] == [loops[label]]:
            moves[ends[0]] = list(_movable(function, lines))
            names.update({function.name_at(at): f"%enzyme.early.{at}" for at in moves[ends[0]]})
    if not names:
        return function
    gone = {at for lines in moves.values() for at in lines}
    made = []
    for at, text in enumerate(body):
        if at not in gone:
            made += [renamed(body[above], names) for above in moves.get(at, ())]
            made.append(renamed(text, names))
    return _Function(made)


def _movable(function: _Function, lines: Sequence[int]) -> Iterator[int]:
    staying: set[str] = set()
    for at in lines:
        line = function.lines[at]
        assert line is not None
        if line.opcode in _EARLY and not staying.intersection(line.read):
            yield at
        else:
            staying.add(line.name)


__all__ = ["LEAST_GUARDS", "LEAST_IN_CHAIN", "without_guards"]

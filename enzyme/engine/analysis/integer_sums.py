"""Sums of products of integers that are not known, and what follows from inequalities between them.

Facts are sums that are not negative. What follows from them is found by Fourier-Motzkin elimination: if the facts and
the contrary of what is asked leave no way out, it is so. A product of unknowns counts as one more unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import gcd

from enzyme.engine.ir.values import wrapped

# The numbers of the unknowns of a product, in order; none for the constant.
Product = tuple[int, ...]
Sum = Mapping[Product, int]

_MOST_TERMS = 16
_MOST_FACTORS = 4
# More inequalities than this at a time are not followed.
_MOST_ROWS = 80


def constant(number: int) -> Sum:
    return {(): number} if number else {}


def unknown(number: int) -> Sum:
    return {(number,): 1}


def plus(first: Sum, second: Sum, times: int = 1) -> Sum:
    """``first + times * second``."""
    made = dict(first)
    for product, factor in second.items():
        found = made.get(product, 0) + times * factor
        if found:
            made[product] = found
        else:
            made.pop(product, None)
    return made


def minus(first: Sum, second: Sum) -> Sum:
    return plus(first, second, -1)


def scaled(total: Sum, times: int) -> Sum:
    return {product: times * factor for product, factor in total.items()}


def times(first: Sum, second: Sum) -> Sum | None:
    """The product of two sums; None if it is too long."""
    made: Sum = {}
    for one, factor in first.items():
        made = plus(made, {tuple(sorted(one + other)): n for other, n in second.items()}, factor)
    longest = max(map(len, made), default=0)
    return made if len(made) <= _MOST_TERMS and longest <= _MOST_FACTORS else None


def substituted(total: Sum, number: int, by: Sum) -> Sum | None:
    """The sum with another one in place of an unknown; None if it is too long."""
    made: Sum = {}
    for product, factor in total.items():
        term: Sum | None = {tuple(n for n in product if n != number): factor}
        for _ in range(product.count(number)):
            term = None if term is None else times(term, by)
        if term is None:
            return None
        made = plus(made, term)
    return made


def reduced(total: Sum) -> Sum:
    """The same sum of 64-bit integers with the smallest factors: it is known up to a multiple of 2**64 alone."""
    made = {product: wrapped(factor) for product, factor in total.items()}
    return {product: factor for product, factor in made.items() if factor}


def divided(term: Product, by: Product) -> Product | None:
    """A product without the factors of another one; None if it does not have them."""
    rest = list(term)
    for number in by:
        if number not in rest:
            return None
        rest.remove(number)
    return tuple(rest)


def follows(goal: Sum, facts: Iterable[Sum]) -> bool:
    """Is `goal` certain not to be negative where no fact is?"""
    least = goal.get((), 0)
    if len(goal) == bool(least):
        return least >= 0
    contrary = minus(constant(-1), goal)
    return _is_contradiction([contrary, *_relevant(contrary, facts)])


def _relevant(goal: Sum, facts: Iterable[Sum]) -> list[Sum]:
    """The facts that share unknowns with the goal, or with other such facts."""
    reached = {p for p in goal if p}
    waiting = list(facts)
    found: list[Sum] = []
    while True:
        near = [fact for fact in waiting if not reached.isdisjoint(fact)]
        if not near:
            return found
        found += near
        waiting = [fact for fact in waiting if reached.isdisjoint(fact)]
        for fact in near:
            reached.update(p for p in fact if p)


def _is_contradiction(rows: Sequence[Sum]) -> bool:
    """Can the sums not all be zero or more?"""
    left = {frozenset(row.items()): row for row in map(_tightened, rows)}
    while True:
        counts: dict[Product, list[int]] = {}
        for row in left.values():
            if len(row) == 1 and row.get((), 0) < 0:
                return True
            for product, factor in row.items():
                if product:
                    counts.setdefault(product, [0, 0])[factor > 0] += 1
        if not counts:
            return False
        chosen = min(counts, key=lambda product: counts[product][0] * counts[product][1])
        rest: dict[frozenset[tuple[Product, int]], Sum] = {}
        above: list[Sum] = []
        below: list[Sum] = []
        for key, row in left.items():
            factor = row.get(chosen, 0)
            if factor == 0:
                rest[key] = row
            else:
                (above if factor > 0 else below).append(row)
        for one in above:
            for other in below:
                scaled = {p: -other[chosen] * n for p, n in one.items()}
                made = _tightened(plus(scaled, other, one[chosen]))
                rest[frozenset(made.items())] = made
        if len(rest) > _MOST_ROWS:
            return False
        left = rest


def _tightened(row: Sum) -> Sum:
    """The same inequality between integers with the smallest factors."""
    common = gcd(*(factor for product, factor in row.items() if product))
    if common <= 1:
        return row
    made = {p: n // common for p, n in row.items()}
    if not made.get((), 1):
        del made[()]
    return made


__all__ = [
    "Product",
    "Sum",
    "constant",
    "divided",
    "follows",
    "minus",
    "plus",
    "reduced",
    "scaled",
    "substituted",
    "times",
    "unknown",
]

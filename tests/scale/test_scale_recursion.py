"""No stage recurs as deep as the program is long: small stack, low recursion limit."""

from __future__ import annotations

import sys
import threading

import pytest

from benchmarks.shapes import SHAPES, request
from enzyme.engine.analysis.kinds import DiffMode
from enzyme.engine.differentiate import differentiate

pytestmark = pytest.mark.rotating(18)

STACK = 512 * 1024
LIMIT = 300


SIZE = 2000  # a stack as deep as the program is long would not survive


def derivative(name, mode):
    text, kinds = SHAPES[name](SIZE)
    return differentiate(text, request(kinds, mode))


def in_small_thread(work):
    """What `work` gives or raises, run where little of a stack is to be had."""
    got = []

    def run():
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(LIMIT)
        try:
            got.append(work())
        except BaseException as error:
            got.append(error)
        finally:
            sys.setrecursionlimit(before)

    size = threading.stack_size(STACK)
    try:
        thread = threading.Thread(target=run)
        thread.start()
    finally:
        threading.stack_size(size)
    thread.join()
    if isinstance(got[0], BaseException):
        raise got[0]
    return got[0]


def test_the_thread_is_small():
    def deep(n):
        return n and deep(n - 1)

    with pytest.raises(RecursionError):
        in_small_thread(lambda: deep(LIMIT))


@pytest.mark.parametrize("mode", [DiffMode.REVERSE, DiffMode.FORWARD], ids=lambda m: m.value)
@pytest.mark.parametrize("name", SHAPES)
def test_large_program(name, mode):
    made = in_small_thread(lambda: derivative(name, mode))
    assert made.symbol in made.text

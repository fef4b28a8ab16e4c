"""Derivatives of derivatives of IR text: every order of the two modes, against differences and against each other."""

from __future__ import annotations

import ctypes
from collections.abc import Callable

import llvmlite.binding as llvm
import numpy as np

from enzyme.backend import passes
from enzyme.backend.jit import JittedModule
from enzyme.engine.analysis.kinds import Activity, DiffMode
from enzyme.engine.differentiate import differentiate
from enzyme.engine.synthesis.arena import GROWTH_BY_COPYING
from enzyme.engine.synthesis.request import DiffRequest
from enzyme.frontdoor.c_library import C_LIBRARY
from enzyme.frontend import linear_algebra, runtime_pieces

TREE = "{[-1]:Pointer, [-1,-1]:Float@double}"
MODES = (DiffMode.FORWARD, DiffMode.REVERSE)
Vectors = list[np.ndarray]


def derivative(
    text: str, symbol: str, count: int, mode: DiffMode, *, nested: bool
) -> tuple[str, str]:
    """The derivative of a function of `count` pointers, each followed by its shadow in the parameters.

    It can be differentiated again if `nested`, and run if not.
    """
    request = DiffRequest(
        symbol,
        mode,
        (Activity.DUPLICATED,) * count,
        return_primal=False,
        seeds=(TREE,) * count,
        runtime=C_LIBRARY,
        distinct_arguments=True,
        nested=nested,
    )
    made = differentiate(text, request, stand_alone=False)
    return made.text, made.symbol


def as_program(text: str, symbol: str) -> str:
    """The text of a derivative, made a program that is differentiated."""
    module = passes.parse(text)
    if "@enzyme_grow(" in text:
        module.link_in(llvm.parse_assembly(GROWTH_BY_COPYING))
    linear_algebra.define_kernels_in(module, text)
    passes.isolate(module, symbol)
    return passes.optimise_for_nesting(str(module))


def loaded(text: str, symbol: str, count: int) -> Callable[[Vectors], Vectors]:
    """A function of `count` vectors that it changes, as one that returns changed copies."""
    runtime_pieces.register((), linear_algebra.pieces_for(text))
    module = JittedModule(text)
    function = module.function(symbol, None, *[ctypes.c_void_p] * count)

    def call(vectors: Vectors) -> Vectors:
        assert module is not None
        made = [np.array(v) for v in vectors]
        function(*(v.ctypes.data for v in made))
        return made

    return call


def zipped(first: Vectors, second: Vectors) -> Vectors:
    return [v for pair in zip(first, second, strict=True) for v in pair]


def check_second_order(text: str, symbol: str, vectors: Vectors, rtol: float = 1e-6) -> None:
    """Differentiate the derivatives of a function of vectors, each in both modes."""
    text = passes.optimise_before_ad(text)
    rng = np.random.default_rng(7)
    for inner in MODES:
        first, name = derivative(text, symbol, len(vectors), inner, nested=True)
        program = as_program(first, name)
        count = 2 * len(vectors)
        alone = derivative(text, symbol, len(vectors), inner, nested=False)
        slope = loaded(*alone, count)
        point = zipped(vectors, [rng.standard_normal(v.shape) for v in vectors])
        along = [rng.standard_normal(v.shape) for v in point]
        weights = [rng.standard_normal(v.shape) for v in point]

        def moved(h, point=point, along=along, slope=slope):
            return slope([v + h * d for v, d in zip(point, along, strict=True)])

        h = 1e-5
        tangents = [(p - m) / (2 * h) for p, m in zip(moved(h), moved(-h), strict=True)]
        forward = loaded(
            *derivative(program, name, count, DiffMode.FORWARD, nested=False), 2 * count
        )
        found = forward(zipped(point, along))[1::2]
        for k, (one, other) in enumerate(zip(found, tangents, strict=True)):
            np.testing.assert_allclose(one, other, atol=rtol, rtol=rtol, err_msg=f"{inner} {k}")
        reverse = loaded(
            *derivative(program, name, count, DiffMode.REVERSE, nested=False), 2 * count
        )
        adjoints = reverse(zipped(point, weights))[1::2]
        left = sum((a * b).sum() for a, b in zip(found, weights, strict=True))
        right = sum((a * b).sum() for a, b in zip(along, adjoints, strict=True))
        size = sum(np.abs(a * b).sum() for a, b in zip(found, weights, strict=True))
        assert abs(left - right) <= 1e-11 * (1 + size), f"reverse over {inner}"

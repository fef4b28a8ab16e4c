"""Vectors of full width, where the processor and the loops gain from them."""

from __future__ import annotations

import pytest

from enzyme.backend import host, passes, vectors
from tests.backend.loop_text import loop_over


def loop(function):
    body = loop_over(
        "%x = load double, ptr %from",
        f"%y = call double @{function}(double %x)",
        "store double %y, ptr %to",
    )
    return f"{body}declare double @{function}(double)\ndeclare ptr @allocate(i64)\n"


@pytest.mark.parametrize("function", ["exp", "llvm.exp.f64", "numba_gamma"])
def test_functions_that_are_called_for_each_number(function):
    assert vectors.calls_scalar_functions(passes.parse(loop(function)))


@pytest.mark.parametrize("function", ["llvm.sqrt.f64", "llvm.fabs.f64", "llvm.floor.f64"])
def test_instructions_for_vectors(function):
    assert not vectors.calls_scalar_functions(passes.parse(loop(function)))


@pytest.fixture
def processor(monkeypatch):
    """Optimise for another x86 processor; nothing is run."""
    if not host.triple().startswith("x86_64"):
        pytest.skip("vectors of 512 bits are those of x86")

    def pretend(name, features):
        monkeypatch.setattr(host, "cpu", lambda: name)
        monkeypatch.setattr(host, "features", lambda: features)
        host.target_machine.cache_clear()

    yield pretend
    monkeypatch.undo()
    host.target_machine.cache_clear()


@pytest.mark.parametrize(
    ("name", "features", "function", "width"),
    [
        ("sapphirerapids", "+avx512f,+avx512fp16", "llvm.sqrt.f64", 8),
        ("sapphirerapids", "+avx512f,+avx512fp16", "llvm.exp.f64", 4),
        ("skylake-avx512", "+avx512f", "llvm.sqrt.f64", 4),
        ("haswell", "+avx2", "llvm.sqrt.f64", 4),
    ],
)
def test_width_by_processor_and_loop(processor, name, features, function, width):
    processor(name, features)
    text = passes.optimise_after_ad(loop(function))
    assert f"load <{width} x double>" in text
    assert all(f"load <{other} x double>" not in text for other in (4, 8) if other != width)

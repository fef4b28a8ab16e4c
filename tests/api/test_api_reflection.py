"""Reports of compilation and the code of derivatives."""

from __future__ import annotations

import numpy as np
import pytest
from numba import njit, types

from enzyme import (
    Active,
    Const,
    Duplicated,
    Forward,
    Reverse,
    compile_report,
    enzyme_code_llvm,
    enzyme_code_native,
    enzyme_code_typed,
    typeof,
    typetree,
)
from enzyme.errors import ActivityError

STAGES = [
    "typing_lowering",
    "optimise_before_ad",
    "parse",
    "stack_arrays",
    "analyses",
    "synthesis",
    "print",
    "optimise_after_ad",
    "machine_code",
    "wrapper",
]


@njit
def f(x, y):
    s = 0.0
    for i in range(len(x)):
        s += np.sin(x[i]) * y
    return s


def arguments():
    return Duplicated(np.ones(3), np.zeros(3)), Active(2.0)


def test_every_stage_is_timed_each_time():
    for _ in range(2):
        report = compile_report(f, Reverse, Active, *arguments())
        assert list(report["stages"]) == STAGES
        assert all(seconds > 0 for seconds in report["stages"].values())
        assert set(report["ir"]) == {"before", "derivative", "optimised"}
        assert all("define" in text for text in report["ir"].values())


def test_cache():
    @njit
    def products(x):
        p = 1.0
        for i in range(len(x)):
            p *= x[i]
        return p

    report = compile_report(products, Reverse, Active, arguments()[0])
    assert "bytes per iteration" in report["cache"]
    assert report["cache_bytes_per_iteration"] == 8
    report = compile_report(f, Forward, Duplicated, arguments()[0], Const(2.0))
    assert (report["cache"], report["cache_bytes_per_iteration"]) == ("", 0)


def test_nothing_is_run():
    x, y = arguments()
    compile_report(f, Reverse, Active, x, y)
    assert not x.dval.any()


@pytest.mark.parametrize("mode", [Forward, Reverse])
def test_code_from_values_and_from_types(mode):
    y = Active(2.0) if mode is Reverse else Const(2.0)
    ra = Active if mode is Reverse else Duplicated
    x = arguments()[0]
    text = enzyme_code_llvm(f, ra, (x, y), mode)
    again = enzyme_code_llvm(f, ra, (typeof(x), typeof(y)), mode)
    assert len(text.splitlines()) == len(again.splitlines())  # names are numbered
    assert "llvm.cos" in text or "@cos" in text or "sincos" in text
    assert "@function" in enzyme_code_native(f, ra, (x, y), mode)


def test_bare_classes_have_no_type():
    with pytest.raises(ActivityError, match="is the class Duplicated"):
        enzyme_code_llvm(f, Active, (Duplicated, Active[float]))


@pytest.mark.parametrize("stage", ["before", "derivative", "optimised", "assembly"])
def test_code_of_each_stage(stage):
    text = enzyme_code_typed(
        f, Active, (Duplicated[typeof(np.ones(3))], Active[float]), stage=stage
    )
    assert ("define" in text) is (stage != "assembly")
    assert ("@grad." in text) is (stage in ("derivative", "optimised"))


def test_stages_that_do_not_exist():
    with pytest.raises(ValueError, match="before, derivative, optimised, assembly"):
        enzyme_code_typed(f, Active, (Active[float],), stage="after")


@pytest.mark.parametrize(
    ("given", "part", "tree"),
    [
        (1.0, "", "{[-1]:Float@double}"),
        (np.float32(1), "", "{[-1]:Float@float}"),
        (float, "", "{[-1]:Float@double}"),
        (types.float32, "", "{[-1]:Float@float}"),
        (3, "", "{[-1]:Integer}"),
        (1j, "real", "{[-1]:Float@double}"),
        (np.ones((2, 2), np.complex64), "data", "{[-1]:Pointer, [-1,-1]:Float@float}"),
        (np.arange(3), "data", "{[-1]:Pointer, [-1,-1]:Integer}"),
        ((1, np.ones(2)), "1.data", "{[-1]:Pointer, [-1,-1]:Float@double}"),
    ],
)
def test_typetree(given, part, tree):
    assert typetree(given)[part] == tree
    assert (
        typetree(typeof(given) if not isinstance(given, type | types.Type) else given)[part] == tree
    )


def test_typetree_of_what_numba_does_not_take():
    with pytest.raises(ActivityError, match="numba cannot compile"):
        typetree(object())

"""Functions with several results in PyTorch run once, and leave a tape that goes with the graph."""

from __future__ import annotations

import gc
import threading
import weakref

import numpy as np
import pytest
from numba import njit

torch = pytest.importorskip("torch")

from torch.utils.checkpoint import checkpoint  # noqa: E402

from enzyme.interop import passes as interop_passes  # noqa: E402
from enzyme.interop.derivable import Derivable  # noqa: E402
from enzyme.interop.torch import function  # noqa: E402
from tests.interop.battery import BATTERY, called  # noqa: E402

DOUBLE = torch.float64


def exponentials(x, a):
    """The backward pass reads what is returned."""
    return np.exp(a * x), (x * x).sum()


def inputs(size=4):
    x = torch.linspace(0.2, 0.9, size, dtype=DOUBLE, requires_grad=True)
    return x, torch.tensor(0.7, dtype=DOUBLE, requires_grad=True)


def slopes(outputs, wanted, **options):
    y, total = outputs
    return torch.autograd.grad((y * y).sum() * total, wanted, **options)


def expected(x, a):
    y, total = torch.exp(a * x), (x * x).sum()
    return torch.autograd.grad((y * y).sum() * total, (x, a))


@pytest.fixture
def runs(monkeypatch):
    """How often forward passes with a tape, and functions by themselves, have run."""
    counts = {"taped": 0, "plain": 0}

    def counted(cls, name, kind):
        plain = getattr(cls, name)

        def call(*args):
            counts[kind] += 1
            return plain(*args)

        monkeypatch.setattr(cls, name, call)

    counted(interop_passes.Passes, "forward", "taped")
    counted(Derivable, "__call__", "plain")
    return counts


def close(found, wanted):
    for one, other in zip(found, wanted, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-14)


def test_a_function_runs_once(runs):
    call, wanted = function(exponentials), inputs()
    call(*wanted)  # of what kind the results are is seen when it has run
    runs.update(taped=0, plain=0)
    close(slopes(call(*wanted), wanted), expected(*wanted))
    assert runs == {"taped": 1, "plain": 0}


def test_another_backward_pass_has_another_tape(runs):
    call, wanted = function(exponentials), inputs()
    outputs = call(*wanted)
    first = slopes(outputs, wanted, retain_graph=True)
    for _ in range(2):
        again = slopes(outputs, wanted, retain_graph=True)
        assert all(map(torch.equal, first, again))
    assert runs["taped"] == 3


@pytest.mark.parametrize("change", [torch.Tensor.mul_, torch.Tensor.copy_])
@pytest.mark.parametrize("part", [slice(None), slice(1, 2)])
def test_results_that_are_changed(change, part):
    """What PyTorch's own functions refuse: the backward pass needs what was returned, and finds it again."""
    call, wanted = function(exponentials), inputs()
    y, total = call(*wanted)
    change(y[part], torch.tensor(3.0, dtype=DOUBLE))
    plain, size = torch.exp(wanted[1] * wanted[0]).clone(), (wanted[0] ** 2).sum()
    change(plain[part], torch.tensor(3.0, dtype=DOUBLE))
    close(
        torch.autograd.grad((y * y).sum() * total, wanted),
        torch.autograd.grad((plain * plain).sum() * size, wanted),
    )


def test_inputs_that_are_changed_are_an_error():
    call, (x, a) = function(exponentials), inputs()
    given = x * 1.0
    outputs = call(given, a)
    given.mul_(2.0)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        slopes(outputs, (x, a))


@pytest.mark.parametrize("results", [1, 2])
@pytest.mark.parametrize("in_a_tuple", [False, True])
def test_constants_may_be_changed(results, in_a_tuple):
    def f(x, table):
        return (x * x * table).sum(), x

    def g(x, tables):
        return f(x, tables[0])

    table = np.array([1.0, 2.0, 3.0, 4.0])
    f = njit(f)
    chosen = njit(g) if in_a_tuple else f
    call = function(chosen if results == 2 else lambda x, given: chosen(x, given)[0])
    x, _ = inputs()
    y = call(x, (table,) if in_a_tuple else table)
    table[:] = 0.0
    (found,) = torch.autograd.grad(y[0] if results == 2 else y, x)
    close((found,), (2.0 * x.detach() * torch.arange(1.0, 5.0, dtype=DOUBLE),))


@pytest.mark.parametrize("position", [0, 1])
def test_one_result_of_two(position):
    call, wanted = function(exponentials), inputs()
    found = torch.autograd.grad(call(*wanted)[position].sum(), wanted, allow_unused=True)
    plain = torch.exp(wanted[1] * wanted[0]) if position == 0 else (wanted[0] ** 2).sum()
    other = torch.autograd.grad(plain.sum(), wanted, allow_unused=True)
    close(found, [torch.zeros_like(x) if d is None else d for x, d in zip(wanted, other)])


def test_derivatives_of_derivatives():
    call, wanted = function(exponentials), inputs()
    first = slopes(call(*wanted), wanted, create_graph=True)
    plain = torch.exp(wanted[1] * wanted[0]), (wanted[0] ** 2).sum()
    other = slopes(plain, wanted, create_graph=True)
    close(
        torch.autograd.grad(first[0].sum() + first[1], wanted),
        torch.autograd.grad(other[0].sum() + other[1], wanted),
    )


def test_a_tape_goes_with_the_graph():
    call, wanted = function(exponentials), inputs()
    outputs = call(*wanted)
    left = outputs[0].grad_fn.kept[3]._left
    tape = weakref.ref(left._left[0][1])
    assert tape().nbytes > 0
    del left, outputs
    gc.collect()
    assert tape() is None
    outputs = call(*wanted)
    tape = weakref.ref(outputs[0].grad_fn.kept[3]._left._left[0][1])
    slopes(outputs, wanted, retain_graph=True)
    assert tape() is None


@pytest.mark.parametrize("reentrant", [False, True])
def test_nothing_is_kept_between_checkpoints(runs, reentrant):
    call, wanted = function(exponentials), inputs()
    call(*wanted)
    runs.update(taped=0, plain=0)
    y, total = checkpoint(call, *wanted, use_reentrant=reentrant)
    assert runs["taped"] == 0
    ((y * y).sum() * total).backward()
    close([x.grad for x in wanted], expected(*wanted))


def test_without_gradients_there_is_no_tape(runs):
    call, wanted = function(exponentials), inputs()
    with torch.no_grad():
        call(*wanted)
    call(*(x.detach() for x in wanted))
    assert runs["taped"] == 0


def test_threads_have_tapes_of_their_own():
    call, failures = function(exponentials), []

    def work(k):
        try:
            wanted = inputs(3 + k)
            results = [call(*wanted) for _ in range(20)]
            for outputs in reversed(results):
                close(slopes(outputs, wanted), expected(*wanted))
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_one_graph_in_two_threads(runs):
    """Whoever comes second has no tape, and makes one."""
    call, wanted = function(exponentials), inputs(400)
    outputs = call(*wanted)
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(slopes(outputs, wanted, retain_graph=True)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for one in found:
        close(one, expected(*wanted))
    assert len(found) == 4


@pytest.mark.parametrize("name", BATTERY)
def test_whatever_the_way(name, monkeypatch):
    """With a tape, and without one: the same derivatives, of all that has any."""
    f, args = BATTERY[name]

    def adjoints():
        given = [
            torch.tensor(x, requires_grad=True)
            if isinstance(x, float | complex)
            or (isinstance(x, np.ndarray) and x.dtype.kind in "fc")
            else x
            for x in args
        ]
        outputs = called(function(f), *given)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        seeded = [y for y in outputs if y.requires_grad]
        seeds = [torch.ones_like(y) * (2 + 1j if y.is_complex() else 2) for y in seeded]
        moving = [x for x in given if isinstance(x, torch.Tensor)]
        return torch.autograd.grad(seeded, moving, seeds, allow_unused=True)

    first = adjoints()
    monkeypatch.setattr("enzyme.interop.torch.once.passes", lambda *_: None)
    for one, other in zip(first, adjoints(), strict=True):
        torch.testing.assert_close(one, other, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    "name",
    ["elementwise", "two outputs", "a count beside", "scratch", "complex numbers", "recurrence"],
)
def test_what_has_a_tape(name, runs):
    """The others write to their arguments, or return one number."""
    f, args = BATTERY[name]
    given = [torch.tensor(x, requires_grad=True) for x in args]
    function(f)(*given)
    assert runs["taped"] == 1


def test_constants_that_are_returned():
    """There is no tape where a constant is in one place with what has derivatives."""
    fixed = np.array([1.0, 2.0, 3.0, 4.0])
    call = function(lambda x, fixed: (x * x, fixed) if x[0] > 0.0 else (fixed, x * x))
    x, _ = inputs()
    y, same = call(x, fixed)
    (found,) = torch.autograd.grad(y.sum() + same.sum(), x)
    close((found,), (2.0 * x.detach(),))
    assert np.array_equal(same.detach().numpy(), fixed)
    np.testing.assert_array_equal(fixed, [1.0, 2.0, 3.0, 4.0])


def test_layouts():
    call = function(lambda m: (np.exp(m), m.sum()))
    for make in (
        lambda m: m,
        lambda m: m.T,
        lambda m: m[:, ::2],
        lambda m: m[:0],
        lambda m: m[:1].expand(5, 300),
        lambda m: m.repeat(40, 40)[::2].T,
    ):
        given = torch.linspace(-1, 1, 1500, dtype=DOUBLE).reshape(5, 300).requires_grad_()
        m = make(given)
        plain = torch.autograd.grad((torch.exp(m) ** 2).sum() * m.sum(), given)
        m = make(given)
        y, total = call(m)
        close(torch.autograd.grad((y * y).sum() * total, given), plain)

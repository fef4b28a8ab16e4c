"""Functions with several results in PyTorch run once, and leave a tape that goes with the graph."""

from __future__ import annotations

import gc
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

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
    tape = weakref.ref(outputs[0].grad_fn.kept[3].left[0][0].tape)
    assert tape().nbytes > 0
    del outputs
    gc.collect()
    assert tape() is None
    outputs = call(*wanted)
    tape = weakref.ref(outputs[0].grad_fn.kept[3].left[0][0].tape)
    slopes(outputs, wanted, retain_graph=True)
    assert tape() is None


def test_results_go_with_the_tape():
    call, wanted = function(exponentials), inputs()
    y, total = call(*wanted)
    loss = (y * y).sum() * total
    place = weakref.ref(y.grad_fn.kept[3].left[0][1][0][0])
    del y, total
    loss.backward()
    gc.collect()
    assert place() is None


def test_inference_mode():
    call, wanted = function(exponentials), inputs()
    with torch.inference_mode(), torch.enable_grad():
        y, _ = call(*wanted)
    close((y.clone(),), (torch.exp(wanted[1] * wanted[0]).detach(),))


def test_one_number_of_complex_ones(runs):
    call = function(lambda z: (z * np.conj(z)).real.sum())
    z = torch.tensor([1.0 + 2j, 3.0], requires_grad=True)
    runs.update(taped=0, plain=0)
    (found,) = torch.autograd.grad(call(z), z)
    close((found,), (2.0 * z.detach(),))
    assert runs["taped"] == 1


@pytest.mark.parametrize("first", ["vmap", "jacrev", "threads"])
def test_arrays_without_axes(first):
    """Whoever comes first finds that out."""
    call = function(lambda x: np.array((x * x * x).sum()))
    x, _ = inputs()
    if first == "threads":
        in_threads(8, lambda _: call(x))
    elif first == "vmap":
        torch.func.vmap(call)(torch.stack([x.detach()] * 2))
    else:
        torch.func.jacrev(call)(x.detach())
    (slope,) = torch.autograd.grad(call(x), x, create_graph=True)
    close((slope.detach(),), (3.0 * x.detach() ** 2,))
    close(torch.autograd.grad(slope.sum(), x), (6.0 * x.detach(),))


def test_no_gradient_of_a_number_between_checkpoints():
    call = function(lambda x: (x * x).sum())
    x, _ = inputs()
    call(x)
    y = checkpoint(call, x, use_reentrant=False)
    assert y.grad_fn.kept[3] is None
    close(torch.autograd.grad(y, x), (2.0 * x.detach(),))


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


def in_threads(count, work):
    """What `work(k)` returns in threads that begin together; what one raises is raised."""
    ready = threading.Barrier(count)

    def begin(k):
        ready.wait()
        return work(k)

    with ThreadPoolExecutor(count) as pool:
        return list(pool.map(begin, range(count)))


def test_threads_have_tapes_of_their_own():
    call = function(exponentials)

    def work(k):
        wanted = inputs(3 + k)
        results = [call(*wanted) for _ in range(20)]
        for outputs in reversed(results):
            close(slopes(outputs, wanted), expected(*wanted))

    in_threads(4, work)


def test_one_graph_in_two_threads(runs):
    """Whoever comes second has no tape, and makes one."""
    call, wanted = function(exponentials), inputs(400)
    outputs = call(*wanted)
    for one in in_threads(4, lambda _: slopes(outputs, wanted, retain_graph=True)):
        close(one, expected(*wanted))


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


def windows(x):
    return np.lib.stride_tricks.sliding_window_view(np.sin(x), 2)


TABLE = np.array([1.0, 2.0, 3.0, 4.0])
# Results of which elements are in one place, and the same in PyTorch.
COINCIDING = {
    "rows": (lambda x: np.broadcast_to(np.sin(x), (3, 4)), lambda x: torch.sin(x).expand(3, 4)),
    "one row": (lambda x: np.broadcast_to(np.sin(x), (1, 4)), lambda x: torch.sin(x)[None]),
    "a number": (
        lambda x: np.broadcast_to(x.sum() * x[0], (4,)),
        lambda x: (x.sum() * x[0]).expand(4),
    ),
    "an argument": (lambda x: np.broadcast_to(x, (3, 4)), lambda x: x.expand(3, 4)),
    "windows": (windows, lambda x: torch.sin(x).unfold(0, 2, 1)),
    "backwards": (lambda x: np.sin(x)[::-1], lambda x: torch.sin(x).flip(0)),
    "no axes": (lambda x: np.array((x * x * x).sum()), lambda x: (x * x * x).sum()),
}


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("name", COINCIDING)
def test_results_of_which_elements_coincide(name, beside):
    f, plain = COINCIDING[name]
    if beside:
        inner = njit(f)
        call = function(lambda x: (x * x, inner(x)))
        ours = lambda x: call(x)[1]  # noqa: E731
    else:
        ours = function(f)
    x, _ = inputs()
    weight = 1.0 + torch.arange(plain(x).numel(), dtype=DOUBLE).reshape(plain(x).shape)
    found, expected = [
        torch.autograd.grad((one(x) ** 2 * weight).sum(), x)[0] for one in (ours, plain)
    ]
    close((found,), (expected,))
    assert torch.autograd.gradcheck(ours, (x,), check_forward_ad=True)
    assert torch.autograd.gradgradcheck(ours, (x,))
    close((torch.func.jacfwd(ours)(x.detach()),), (torch.func.jacrev(plain)(x.detach()),))
    # What was returned may be changed.
    for given in (x, x.detach()):
        y = ours(given)
        y.mul_(2.0)
        close((y.detach(),), (2.0 * plain(x).detach(),))


def test_global_arrays_that_are_returned():
    """They are in memory that nobody may write to."""
    x, _ = inputs()
    for f in (lambda x: (np.sin(x), TABLE), lambda x: (TABLE, np.sin(x)), lambda x: TABLE):
        for given in (x, x.detach()):
            found = function(f)(given)
            for y in found if isinstance(found, tuple) else (found,):
                y.detach().mul_(10.0)
    assert TABLE.tolist() == [1.0, 2.0, 3.0, 4.0]


SHARED = {
    "twice": lambda y: (y, y),
    "overlapping": lambda y: (y[:3], y[1:]),
    "a view": lambda y: (y, y[::-1]),
}


@pytest.mark.parametrize("graph", [False, True])
@pytest.mark.parametrize("name", SHARED)
def test_results_that_share_memory(name, graph):
    """To PyTorch they are two."""
    parts = njit(SHARED[name])
    x, _ = inputs()
    u, v = function(lambda x: parts(np.sin(x)))(x if graph else x.detach())
    before = v.detach().clone()
    loss = (v**2).sum()
    with torch.no_grad():
        u.zero_()
    close((v.detach(),), (before,))
    if graph:
        (found,) = torch.autograd.grad(loss, x)
        s = torch.sin(x)
        other = {"twice": s, "overlapping": s[1:], "a view": s.flip(0)}[name]
        close((found,), torch.autograd.grad((other**2).sum(), x))


def test_no_results():
    assert function(lambda x: ())(inputs()[0]) == ()

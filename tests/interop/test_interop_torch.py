"""PyTorch gets values, derivatives of every order in both modes, batches, and compiled graphs."""

from __future__ import annotations

import io
import pickle
import threading

import numpy as np
import pytest
from numba import njit

torch = pytest.importorskip("torch")

from enzyme import grad, jacrev  # noqa: E402
from enzyme.errors import ActivityError  # noqa: E402
from enzyme.interop.torch import Module, function  # noqa: E402
from tests.interop.battery import (  # noqa: E402
    BATTERY,
    SINGLE,
    V,
    branches,
    guarded,
    in_single_precision,
    newton,
    recurrence,
)
from tests.interop.trees import TREES  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")


def tensors(args, requires_grad=True):
    """Floats and arrays of floats as tensors; what has none stays."""
    return tuple(
        torch.tensor(x, dtype=torch.float64, requires_grad=requires_grad)
        if isinstance(x, float) or (isinstance(x, np.ndarray) and x.dtype.kind == "f")
        else x
        for x in args
    )


def floats(outputs):
    outputs = outputs if isinstance(outputs, tuple) else (outputs,)
    return tuple(y for y in outputs if y.is_floating_point())


@pytest.mark.parametrize("name", BATTERY)
def test_battery(name):
    """The value and the Jacobian are ours; both modes, and both over reverse mode, agree with differences."""
    f, args = BATTERY[name]
    call = function(f)
    given = tensors(args)
    outputs = call(*given)
    values = f(*(x.copy() if isinstance(x, np.ndarray) else x for x in args))
    for y, value in zip(
        outputs if isinstance(outputs, tuple) else (outputs,),
        values if isinstance(values, tuple) else (values,),
        strict=True,
    ):
        np.testing.assert_allclose(y.detach().numpy(), value, rtol=1e-12)
    first = floats(outputs)[0]
    ours = jacrev(f)(*args)
    ours = ours[0] if isinstance(values, tuple) else ours
    rows = [
        torch.autograd.grad(one, given[0], retain_graph=True)[0].numpy()
        for one in first.reshape(-1)
    ]
    np.testing.assert_allclose(np.stack(rows).ravel(), np.ravel(ours), rtol=1e-12, atol=1e-14)
    checked = lambda *xs: floats(call(*xs))  # noqa: E731
    tensors_only = all(isinstance(x, torch.Tensor) for x in given)
    if not tensors_only:
        rest = given[1:]
        checked, given = (lambda x: floats(call(x, *rest))), given[:1]
    assert torch.autograd.gradcheck(checked, given, check_forward_ad=True)
    assert torch.autograd.gradgradcheck(checked, given, check_fwd_over_rev=True)


@pytest.mark.parametrize(
    "name", ["square", "vector and number", "matrix and vector", "two outputs", "recurrence"]
)
def test_transforms(name):
    """`vmap`, `grad`, `jacrev`, `jacfwd`, `hessian` of `torch.func`, also before the function was ever called."""
    f, args = BATTERY[name]
    given = tensors(args, requires_grad=False)
    many = tuple(torch.stack([x, 2.0 * x, 0.5 * x]) for x in given)
    total = lambda *xs: sum(y.sum() for y in floats(function(f)(*xs)))  # noqa: E731
    slopes = torch.func.vmap(torch.func.grad(total))(*many)
    expected = [torch.func.grad(total)(*(x[k] for x in many)) for k in range(3)]
    torch.testing.assert_close(slopes, torch.stack(expected))
    common = torch.func.vmap(total, in_dims=(0,) + (None,) * (len(given) - 1))
    torch.testing.assert_close(
        common(many[0], *given[1:]), torch.stack([total(x, *given[1:]) for x in many[0]])
    )
    by = [transform(total)(*given) for transform in (torch.func.jacrev, torch.func.jacfwd)]
    torch.testing.assert_close(*by)
    second = torch.func.hessian(total)(*given)
    other = torch.func.jacrev(torch.func.jacrev(total))(*given)
    torch.testing.assert_close(second, other)
    _, tangent = torch.func.jvp(total, given, tuple(map(torch.ones_like, given)))
    _, pull = torch.func.vjp(total, *given)
    torch.testing.assert_close(tangent, sum(a.sum() for a in pull(torch.tensor(1.0).double())))


@pytest.mark.parametrize("first", range(6))
def test_results_of_several_kinds(first):
    """One function returns numbers, vectors, matrices, real and complex, by what it is given."""
    call = function(lambda x: x * x)
    kinds = [torch.tensor(2.0), torch.ones(3), torch.ones(2, 2), torch.ones(3).double()]
    kinds += [torch.tensor(2.0 + 1j), torch.ones(3, dtype=torch.complex128)]
    for x in kinds[first:] + kinds[:first]:
        x = x.clone().requires_grad_()
        y = call(x)
        assert (y.shape, y.dtype) == (x.shape, x.dtype)
        (found,) = torch.autograd.grad(y, x, torch.ones_like(y))
        torch.testing.assert_close(found, 2 * x.detach().conj())


@pytest.mark.parametrize("name", ["square", "matrix and vector", "two outputs", "constants"])
def test_compiled_graphs(name):
    f, args = BATTERY[name]
    call = function(f)
    plain, compiled = tensors(args), tensors(args)

    def loss(*xs):
        return sum((y * y).sum() for y in floats(call(*xs))) * 2.0 + xs[0].sum()

    torch._dynamo.reset()
    whole = torch.compile(loss, fullgraph=True, backend="aot_eager")
    value, expected = whole(*compiled), loss(*plain)
    value.backward()
    expected.backward()
    torch.testing.assert_close(value, expected)
    for x, y in zip(plain, compiled, strict=True):
        if isinstance(x, torch.Tensor):
            torch.testing.assert_close(x.grad, y.grad)


@pytest.mark.parametrize("name", TREES)
def test_trees_of_tensors(name):
    f, tree = TREES[name]
    call = function(f)
    w = torch.linspace(-1.0, 1.0, 6, dtype=torch.float64).reshape(3, 2).requires_grad_()
    b = torch.tensor(0.3, dtype=torch.float64, requires_grad=True)
    x = np.arange(3.0)
    loss = lambda w, b: call(tree(w, b), x)  # noqa: E731
    plain = lambda w, b: torch.tanh(torch.as_tensor(x) @ w + b)  # noqa: E731
    torch.testing.assert_close(loss(w, b), plain(w, b))
    ways = [loss]
    if name not in ("dataclass", "nested"):  # PyTorch's compiler does not hand objects on
        ways.append(compiled_by_torch(loss))
    for one in ways:
        for found, expected in zip(
            torch.autograd.grad(one(w, b).square().sum(), (w, b)),
            torch.autograd.grad(plain(w, b).square().sum(), (w, b)),
            strict=True,
        ):
            torch.testing.assert_close(found, expected, rtol=1e-12, atol=1e-14)
    assert torch.autograd.gradgradcheck(loss, (w, b))
    many = torch.stack([w.detach(), 2.0 * w.detach()])
    rows = torch.func.vmap(torch.func.jacrev(loss), (0, None))(many, b.detach())
    torch.testing.assert_close(
        rows, torch.func.vmap(torch.func.jacrev(plain), (0, None))(many, b.detach())
    )


def test_a_tree_is_not_another():
    """The same tensors in other places of the same function."""
    call = function(lambda p, q: p[0] * 2.0 + q)
    a, b = torch.tensor(1.0).double(), torch.tensor(10.0).double()
    assert [float(call((a, b), 0.5)), float(call((b, a), 0.5)), float(call((a,), b))] == [
        2.5,
        20.5,
        12.0,
    ]


def compiled_by_torch(f):
    torch._dynamo.reset()
    return torch.compile(f, fullgraph=True, backend="aot_eager")


TWO = [lambda x: x * 2.0, lambda x: x * x * x]
WAYS = {
    "itself": lambda f: torch.compile(f, fullgraph=True, backend="aot_eager"),
    "not in one graph": lambda f: torch.compile(f, backend="aot_eager"),
    "in a closure": lambda f: torch.compile(lambda x: f(x), fullgraph=True, backend="aot_eager"),
    "a module": lambda f: torch.compile(Module(f), backend="aot_eager"),
}


@pytest.mark.parametrize("way", WAYS)
def test_graphs_of_two_functions(way):
    """PyTorch's compiler takes closures of the same code for the same function."""
    torch._dynamo.reset()
    x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64, requires_grad=True)
    made = [WAYS[way](f if way == "a module" else function(f)) for f in TWO]
    for compiled, f in zip(made * 2, TWO * 2, strict=True):
        y, expected = compiled(x), f(x)
        torch.testing.assert_close(y, expected)
        slopes = [torch.autograd.grad(one.sum(), x)[0] for one in (y, expected)]
        torch.testing.assert_close(*slopes)


def test_a_function_that_a_graph_is_given():
    calls = [function(f) for f in TWO]
    compiled = compiled_by_torch(lambda f, g, x: f(g(x)) + g(f(x)))
    x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    for f, g in ((0, 1), (1, 0), (1, 1)):
        found = compiled(calls[f], calls[g], x)
        torch.testing.assert_close(found, TWO[f](TWO[g](x)) + TWO[g](TWO[f](x)))


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_shapes_that_depend_on_values_in_graphs(backend):
    call = function(lambda x: x[x > 0.0] * 2.0)
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: call(x) + 1.0, fullgraph=True, backend=backend)
    torch.testing.assert_close(compiled(torch.ones(3)), torch.full((3,), 3.0))
    with pytest.raises(ActivityError, match=r"shape \(1,\), and for ones \(3,\)"):
        compiled(torch.tensor([1.0, -1.0, -2.0]))


def test_shapes_that_depend_on_values_in_recorded_graphs():
    """Nobody told PyTorch of their shapes there."""
    call = function(lambda x: x[x > 0.0] * 2.0)
    traced = torch.jit.trace(call, torch.tensor([1.0, -1.0, 2.0]), check_trace=False)
    assert traced(torch.tensor([1.0, -1.0, -2.0])).tolist() == [2.0]


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_layouts_of_results_in_graphs(backend):
    call = function(lambda x: ((x * 2.0).T, (x * x)[:, ::-1]))
    torch._dynamo.reset()
    compiled = torch.compile(
        lambda x: call(x)[0] @ call(x)[1] + 1.0, fullgraph=True, backend=backend
    )
    x = torch.arange(6.0).reshape(2, 3)
    torch.testing.assert_close(compiled(x), (x * 2.0).T @ (x * x).flip(1) + 1.0)


def test_graphs_keep_globals():
    """Value and derivative are those of the function as it was when the graph was recorded."""
    scope = {"factor": 2.0}
    exec("def f(x):\n    return factor * x\n", scope)
    call = function(scope["f"])
    compiled = compiled_by_torch(lambda x: call(x) + 0.0)
    x = torch.ones(2, dtype=torch.float64, requires_grad=True)
    for factor in (2.0, 5.0):
        scope["factor"] = factor
        for f, expected in ((compiled, 2.0), (call, factor)):
            y = f(x)
            assert torch.all(y == expected)
            assert torch.all(torch.autograd.grad(y.sum(), x)[0] == expected)


def test_single_precision():
    call = function(lambda x, a: (a * np.sin(x)).sum())
    x, a = torch.ones(3, requires_grad=True), torch.tensor(2.0, requires_grad=True)
    y = call(x, a)
    y.backward()
    assert y.dtype == x.grad.dtype == a.grad.dtype == torch.float32
    torch.testing.assert_close(x.grad, 2.0 * torch.cos(x.detach()))
    mixed = call(x.double().detach().requires_grad_(), a)
    assert mixed.dtype == torch.float64


def test_arrays_of_single_precision():
    """Whatever numba makes of them in between."""
    call = function(lambda x: 2.0 * x)
    for x in (torch.tensor(1.0), torch.ones(3), torch.ones(2, 2)):
        assert call(x).dtype == torch.float32
    assert torch.func.vmap(call)(torch.ones(3)).dtype == torch.float32
    assert torch.nn.Linear(3, 2)(call(torch.ones(3))).shape == (2,)
    torch._dynamo.reset()
    compiled = torch.compile(lambda x: call(x) + 1.0, fullgraph=True, backend="aot_eager")
    assert compiled(torch.ones(3)).dtype == torch.float32


@pytest.mark.filterwarnings("error:overflow")
def test_beyond_single_precision():
    """Infinite, as PyTorch's own results are, and no error or warning."""
    call = function(lambda x: x * 1e300)
    for x in (torch.tensor(2.0, requires_grad=True), torch.ones(2, requires_grad=True)):
        y = call(x)
        y.sum().backward()
        assert y.isinf().all()
        assert x.grad.isinf().all()


@pytest.mark.parametrize("name", SINGLE)
def test_battery_in_single_precision(name):
    """Numba's numbers, and derivatives of the type of what they are derivatives of."""
    f, args = BATTERY[name]
    args = in_single_precision(args)
    value = f(*(x.copy() if isinstance(x, np.ndarray) else x for x in args))
    value = value[0] if isinstance(value, tuple) else value
    given = tuple(
        torch.tensor(x, requires_grad=True) if np.asarray(x).dtype.kind == "f" else x for x in args
    )
    y = function(f)(*given)
    y = y[0] if isinstance(y, tuple) else y
    assert y.dtype == torch.float32
    np.testing.assert_allclose(y.detach().numpy(), value, rtol=1e-6)
    y.sum().backward()
    ours = jacrev(f)(*args)
    ours = ours[0] if isinstance(ours, tuple) and not isinstance(value, tuple) else ours
    expected = np.asarray(ours).reshape((-1, *np.shape(args[0]))).sum(axis=0)
    assert given[0].grad.dtype == torch.float32
    np.testing.assert_allclose(given[0].grad.numpy(), expected, rtol=1e-5, atol=1e-6)


# Functions of complex numbers, and the same in PyTorch's own words.
COMPLEX = {
    "holomorphic": (lambda z: np.exp(z) * z, lambda z: torch.exp(z) * z),
    "conjugate": (
        lambda z: (z * z * np.conj(z)).sum() * 1j,
        lambda z: (z * z * z.conj()).sum() * 1j,
    ),
    "two outputs": (
        lambda z: (np.sin(z).real.copy(), z * z),
        lambda z: (torch.sin(z).real, z * z),
    ),
}


@pytest.mark.parametrize("name", COMPLEX)
def test_complex_numbers(name):
    """As PyTorch has them: values, both modes, both orders, batches, graphs, both precisions, lazy conjugates."""
    f, plain = COMPLEX[name]
    call, z = function(f), torch.tensor([1 + 2j, 0.5 - 1j, 0.3j], dtype=torch.complex128)
    total = lambda g: lambda z: sum((abs(y) ** 2).sum() for y in outputs(g(z)))  # noqa: E731
    outputs = lambda y: y if isinstance(y, tuple) else (y,)  # noqa: E731
    for x in (z, z.to(torch.complex64), z.conj()):
        rtol = 1e-12 if x.dtype == z.dtype else 1e-5
        close = lambda *xs, rtol=rtol: torch.testing.assert_close(*xs, rtol=rtol, atol=rtol)  # noqa: E731
        close(call(x), plain(x))
        close(*(torch.func.grad(total(g))(x) for g in (call, plain)))
    many = torch.stack([z, z * z])
    slopes = [torch.func.vmap(torch.func.grad(total(g)))(many) for g in (call, plain)]
    torch.testing.assert_close(*slopes)
    x = z.clone().requires_grad_()
    assert torch.autograd.gradcheck(call, (x,), check_forward_ad=True)
    assert torch.autograd.gradgradcheck(call, (x,), check_fwd_over_rev=True)
    torch._dynamo.reset()
    compiled = torch.compile(total(call), fullgraph=True, backend="aot_eager")
    torch.testing.assert_close(*(torch.autograd.grad(g(x), x) for g in (compiled, total(plain))))


def test_complex_results_of_real_arguments():
    ours, theirs = function(lambda x: np.exp(1j * x)), lambda x: torch.exp(1j * x)
    x = torch.tensor([0.3, 0.7], dtype=torch.float64)
    for transform in (torch.func.jacrev, torch.func.jacfwd):
        found = [transform(lambda x, f=f: torch.view_as_real(f(x)))(x) for f in (ours, theirs)]
        torch.testing.assert_close(*found)
    number = function(lambda x: complex(x, x * x))
    t = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.grad(number(t).imag, t)[0] == 3.0
    assert number(t.float()).dtype == torch.complex64


def fills(x, work):
    for i in range(len(x)):
        work[i] = x[i] * x[i]
    return work.sum()


def test_work_arrays():
    """What is written keeps derivatives, in forward mode too, though it is no variable."""
    x = torch.arange(3.0, dtype=torch.float64)
    f = lambda x: function(fills)(x, torch.zeros(3, dtype=torch.float64))  # noqa: E731
    for transform in (torch.func.grad, torch.func.jacrev, torch.func.jacfwd):
        torch.testing.assert_close(transform(f)(x), 2.0 * x)
    torch.testing.assert_close(torch.func.hessian(f)(x), 2.0 * torch.eye(3).double())


def test_one_tensor_twice():
    def f(x, y):
        x[0] = 5.0
        return (x * y).sum()

    x = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    g = lambda x: function(f)(x, x)  # noqa: E731
    for transform in (torch.func.grad, torch.func.jacrev, torch.func.jacfwd):
        assert transform(g)(x).tolist() == [5.0, 4.0, 6.0]
    views = lambda x: function(f)(x[:2], x[1:])  # noqa: E731
    assert torch.func.grad(views)(x).tolist() == torch.func.jacfwd(views)(x).tolist()
    assert x.tolist() == [1.0, 2.0, 3.0]


def test_constants_that_change():
    call, c = function(lambda x, c: (x * c).sum()), np.array([1.0, 2.0, 3.0])
    x = torch.ones(3, dtype=torch.float64, requires_grad=True)
    y = call(x, c)
    c[:] = 0.0
    y.backward()
    assert x.grad.tolist() == [1.0, 2.0, 3.0]
    tensor = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    y = call(x, tensor)
    tensor.zero_()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_recorded_graphs():
    """They compute with the numbers that they get, and transforms in them are errors."""
    from torch.fx.experimental.proxy_tensor import make_fx

    call = function(lambda x: (np.sin(x) * x).sum())
    x = torch.tensor([0.3, 0.5], dtype=torch.float64)
    for record in (make_fx(call), lambda x: torch.jit.trace(call, x, check_trace=False)):
        assert torch.isclose(record(x)(2.0 * x), call(2.0 * x))
    for wrong in (torch.func.grad(call), torch.func.vmap(function(lambda x: x * x))):
        with pytest.raises(ActivityError, match="apply the transform outside"):
            make_fx(wrong)(x)
    with pytest.raises(ActivityError, match="apply the transform outside"):
        torch.func.linearize(call, x)


def test_compiled_graphs_and_transforms():
    call = function(lambda x: np.sin(x) * x)
    x = torch.tensor([0.3, 0.5], dtype=torch.float64)
    for run in (torch.func.jacfwd(call), torch.func.vmap(function(lambda x: x * x))):
        torch._dynamo.reset()
        with pytest.raises(Exception, match="apply the transform outside"):
            torch.compile(run, backend="eager")(x)

    def fails_for_ones(x):
        if x[0] == 1.0:
            raise ValueError("one")
        return x * x

    call = function(fails_for_ones)
    torch._dynamo.reset()
    with pytest.raises(Exception, match=r"torch\.compiler\.disable"):
        torch.compile(lambda x: call(x) * 2.0, backend="eager", fullgraph=True)(2.0 * x)
    torch._dynamo.reset()
    outside = torch.compile(lambda x: torch.compiler.disable(call)(x) * 2.0, backend="eager")
    torch.testing.assert_close(outside(2.0 * x), 8.0 * x * x)


def test_numbers_that_change_in_compiled_graphs():
    call = function(lambda x, s: x * s)
    x = torch.ones(2, dtype=torch.float64)
    for values in ((1.0, 2.0, 3.0), (2, 3, 4)):
        torch._dynamo.reset()
        compiled = torch.compile(lambda x, s: call(x, s), backend="eager")
        for s in values:
            assert compiled(x, s).tolist() == [s, s]


STRIDES = {
    "transposed": lambda x: x.T,
    "every other": lambda x: x[::2],
    "expanded": lambda x: x[:1].expand(4, 6),
    "flipped": lambda x: x.flip(0),
    "a column": lambda x: x[:, 1:2],
    "none": lambda x: x[:0],
}


@pytest.mark.parametrize("name", STRIDES)
@pytest.mark.parametrize("size", [4, 300])
def test_strides_in_and_out(name, size):
    """Of inputs, and of cotangents: `sum` gives one with strides of zero. Large ones are not copied."""
    x = torch.randn(size, 6 * size // 4, dtype=torch.float64, requires_grad=True)
    if name == "expanded" and size > 4:
        view = lambda x: x[:1].expand(size, 6 * size // 4)  # noqa: E731
    else:
        view = STRIDES[name]
    call = function(lambda m: m * m * m)
    call(view(x)).sum().backward()
    found, x.grad = x.grad, None
    view(x).pow(3).sum().backward()
    torch.testing.assert_close(found, x.grad)


def test_memory_is_shared():
    seen = []
    call = function(lambda x: (x * x).sum())
    x = torch.ones(1_000_000, dtype=torch.float64, requires_grad=True)

    from enzyme.interop.torch import tensors as bridge

    value = bridge.value_of(x, 0)
    seen.append(value.ctypes.data)
    assert seen == [x.data_ptr()]
    assert bridge.value_of(x.reshape(1000, 1000).T, 0).ctypes.data == x.data_ptr()
    call(x).backward()
    torch.testing.assert_close(x.grad, 2.0 * x.detach())


def test_arguments_and_results_are_apart():
    """What `f` writes stays in a copy; what it returns of its arguments is one."""
    call = function(BATTERY["writes its argument"][0])
    x = torch.tensor(V, requires_grad=True)
    call(x).sum().backward()
    torch.testing.assert_close(x.detach(), torch.tensor(V))
    same = function(lambda x: x)(x)
    assert same.data_ptr() != x.data_ptr()
    with torch.no_grad():
        same += 1.0
    torch.testing.assert_close(x.detach(), torch.tensor(V))


def test_no_graph_where_none_is_wanted():
    call = function(lambda x: x * x)
    assert not call(torch.ones(2)).requires_grad
    with torch.no_grad():
        assert not call(torch.ones(2, requires_grad=True)).requires_grad
    whole = function(lambda x: (x * x, x.shape[0]))(torch.ones(2, requires_grad=True))[1]
    assert whole.dtype == torch.int64 and not whole.requires_grad


def test_keywords_and_defaults():
    def g(x, scale=2.0):
        return scale * x

    x = torch.tensor(1.5, dtype=torch.float64, requires_grad=True)
    torch.testing.assert_close(function(g)(x), 2.0 * x)
    torch.testing.assert_close(function(g)(scale=x, x=3.0), 3.0 * x)


def test_exceptions_pass_through():
    x = torch.full((3,), -200.0, dtype=torch.float64, requires_grad=True)
    with pytest.raises(ValueError, match="too small"):
        function(guarded)(x)


def test_backward_in_other_threads():
    call, expected, errors = function(recurrence), grad(recurrence_sum), []

    def work(seed):
        try:
            x = torch.tensor(V * (seed + 1.0), requires_grad=True)
            for _ in range(50):
                x.grad = None
                call(x, 0.3, 1.2).sum().backward()
                np.testing.assert_allclose(x.grad.numpy(), expected(V * (seed + 1.0)), rtol=1e-12)
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors, errors[0]


@njit
def recurrence_sum(x):
    s = total = 0.0
    for i in range(len(x)):
        s = 0.3 * s + 1.2 * x[i] * x[i]
        total += s
    return total


def test_module():
    """A fit by an optimiser of PyTorch through a simulator in plain loops."""
    torch.manual_seed(0)

    def simulated(rate, start, steps):
        y = np.empty(steps)
        state = start
        for k in range(steps):
            state = state + 0.1 * rate * state * (1.0 - state)
            y[k] = state
        return y

    target = torch.tensor(simulated(1.4, 0.2, 20))
    model = Module(simulated, rate=torch.tensor(0.5).double(), start=torch.tensor(0.4).double())
    assert {name for name, _ in model.named_parameters()} == {"rate", "start"}
    optimiser = torch.optim.LBFGS(model.parameters(), line_search_fn="strong_wolfe", max_iter=60)

    def closure():
        optimiser.zero_grad()
        loss = ((model(20) - target) ** 2).sum()
        loss.backward()
        return loss

    optimiser.step(closure)
    np.testing.assert_allclose([model.rate.item(), model.start.item()], [1.4, 0.2], rtol=1e-3)
    copied = io.BytesIO()
    torch.save(Module(recurrence, b=1.5), copied)
    copied.seek(0)
    whole = torch.load(copied, weights_only=False)
    torch.testing.assert_close(whole(x=V, a=0.3), function(recurrence)(V, 0.3, 1.5))
    again = Module(simulated, **{k: v.detach() for k, v in model.state_dict().items()})
    torch.testing.assert_close(again(20), model(20))


def test_functions_are_pickled():
    again = pickle.loads(pickle.dumps(function(newton)))
    assert again(2.0) == function(newton)(2.0)


def test_globals_that_change():
    scope = {"factor": 2.0}
    exec("def f(x):\n    return factor * x * x\n", scope)
    call = function(scope["f"])
    x = torch.tensor(1.0, dtype=torch.float64, requires_grad=True)
    assert torch.autograd.grad(call(x), x)[0] == 4.0
    scope["factor"] = 3.0
    assert torch.autograd.grad(call(x), x)[0] == 6.0


MISTAKES = {
    "a parameter that is not there": (lambda: Module(newton, b=1.0), "a name of an argument"),
    "a parameter that modules have": (
        lambda: Module(lambda training: training, training=1.0),
        "otherwise",
    ),
    "half, complex": (
        lambda: function(newton)(torch.tensor(1j, dtype=torch.complex32)),
        "complex64",
    ),
    "half": (lambda: function(newton)(torch.tensor(1.0).half()), r"x\.float\(\)"),
    "sparse": (lambda: function(newton)(torch.eye(2).to_sparse()), r"x\.to_dense\(\)"),
    "elsewhere": (lambda: function(newton)(torch.ones(2, device="meta")), r"x\.cpu\(\)"),
    "a result that is no tensor": (
        lambda: function(lambda x: "text")(torch.ones(2)),
        "floats or whole",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes(name):
    call, remedy = MISTAKES[name]
    with pytest.raises(ActivityError, match=remedy):
        call()


def test_branches_follow_the_value():
    call = function(branches)
    for x in (0.3, 0.8):
        t = torch.tensor(x, dtype=torch.float64, requires_grad=True)
        assert torch.isclose(
            torch.autograd.grad(call(t), t)[0], torch.tensor(grad(branches)(x)).double()
        )

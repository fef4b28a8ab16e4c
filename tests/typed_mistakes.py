"""Mistakes that checkers of types find before anything runs, and calls that are right; `make lint` reads this."""

from __future__ import annotations

import numpy as np

from enzyme import (
    Active,
    BatchDuplicated,
    Const,
    Duplicated,
    Forward,
    Reverse,
    ReverseWithPrimal,
    autodiff,
    autodiff_thunk,
    grad,
    gradient,
    gradient_inplace,
    hessian,
    jacfwd,
    jacobian,
    jvp,
    set_strong_zero,
    value_and_grad,
    vjp,
)


def f(x: float) -> float:
    return x * x


x, dx = np.ones(3), np.zeros(3)


def right() -> None:
    autodiff(Reverse, f, Active, Active(1.0))
    autodiff(set_strong_zero(ReverseWithPrimal), Const(f), Duplicated(x, dx))
    autodiff(Forward, f, BatchDuplicated(x, (dx, dx)), Const(2))
    autodiff_thunk(Forward, Const[float], Duplicated, Duplicated[float])
    gradient(Reverse, f, x, Const(2))
    jacobian(Forward, f, x, chunk=2)
    value_and_grad(f, argnums=(0, "x"), has_aux=True, mode="forward")(x)
    hessian(grad(f), argnums="x")(x)
    vjp(f, x)[1](1.0)
    jvp(f, (x,), [dx])


def wrong_order() -> None:
    autodiff(f, Reverse, Active, Active(1.0))  # type: ignore[arg-type]
    autodiff(Reverse, Active, f, Active(1.0))  # type: ignore[arg-type]
    gradient(f, Reverse, x)  # type: ignore[arg-type]
    gradient_inplace(dx, Reverse, f, x)  # type: ignore[arg-type]
    jacobian(f, Reverse, x)  # type: ignore[arg-type]
    grad(x, f)  # type: ignore[arg-type]
    hessian(x)  # type: ignore[arg-type]
    jacfwd(x)  # type: ignore[arg-type]
    vjp(x, f)  # type: ignore[arg-type]


def wrong_things() -> None:
    autodiff(Reverse, f, Active, x)  # type: ignore[arg-type]
    autodiff(Reverse, f, 1.0)  # type: ignore[arg-type]
    autodiff("reverse", f, Active(1.0))  # type: ignore[arg-type]
    grad(f, mode=Reverse)  # type: ignore[arg-type]
    grad(f, mode="backward")  # type: ignore[arg-type]
    grad(f, argnums=0.5)  # type: ignore[arg-type]
    jvp(f, x, 1.0)  # type: ignore[arg-type]
    Duplicated(x)  # type: ignore[call-arg]

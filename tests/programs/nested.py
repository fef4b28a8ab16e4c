"""Derivatives as programs: jitted functions that call `autodiff` on a program, for which the law must hold too.

Forward mode of the reverse derivative against its reverse mode, both against finite differences of the derivative:
that checks two orders at once.
"""

from __future__ import annotations

from typing import Any

from numba import njit

from enzyme import Active, Const, Duplicated, Forward, Reverse, autodiff
from tests.programs import harness
from tests.programs.cases import Case, Random
from tests.programs.values import activity, is_float, perturbed, plain, twin


def derivative_of(case: Case, forward: bool) -> Case:
    """The program that computes a derivative of a program; shadows of arrays are arguments of their own."""
    args, _ = case.inputs()
    result = case.plain(*plain(twin(args)))
    parameters, annotated, results = [], [], []
    for k, arg in enumerate(args):
        kind = activity(arg)
        parameters.append(f"a{k}")
        if kind == "const":
            annotated.append(f"Const(a{k})")
        elif kind == "active" and not forward:
            annotated.append(f"Active(a{k})")
            results.append(f"r[0][{k}], ")
        else:
            parameters.append(f"s{k}")
            annotated.append(f"Duplicated(a{k}, s{k})")
    mode, returned = "Forward, f", f"({''.join(results)})"
    if forward:
        returned = "r[0]" if is_float(result) else "None"
    else:
        mode = f"Reverse, f, {'Active' if is_float(result) else 'Const'}"
    scope: dict[str, Any] = {
        "f": case.function,
        "Active": Active,
        "Const": Const,
        "Duplicated": Duplicated,
        "Forward": harness.given(Forward),
        "Reverse": harness.given(Reverse),
        "autodiff": autodiff,
    }
    exec(
        f"def derivative({', '.join(parameters)}):\n"
        f"    r = autodiff({mode}, {', '.join(annotated)})\n"
        f"    return {returned}\n",
        scope,
    )

    def make(rng: Random) -> tuple[Any, ...]:
        args = case.make(rng)
        shadows = perturbed(args, rng.standard_normal)
        made: list[Any] = []
        for arg, shadow in zip(args, shadows):
            made.append(arg)
            if activity(arg) == "duplicated" or (activity(arg) == "active" and forward):
                made.append(shadow)
        return tuple(made)

    name = f"{case.name}.{'tangent' if forward else 'adjoint'}"
    return Case(
        name,
        njit(scope["derivative"]),
        make,
        case.single,
        dot_tolerance=max(case.dot_tolerance, 1e-11),
        fd_tolerance=max(case.fd_tolerance, 1e-5),
        fd_step=min(case.fd_step, 2e-4),  # slopes have more kinks than values
        python=False,
    )

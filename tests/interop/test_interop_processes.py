"""Gradients in workers of Dask, joblib, Ray and the standard library; tapes stay."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from numba import njit

import tests.interop.battery
from enzyme import (
    Active,
    Const,
    Duplicated,
    ReverseSplitWithPrimal,
    autodiff_thunk,
    grad,
    hessian,
    jacrev,
    typeof,
    value_and_grad,
)
from tests.interop.battery import BATTERY, called

pytestmark = pytest.mark.rotating(18)

ROOT = Path(__file__).resolve().parents[2]
X = np.linspace(0.5, 1.5, 4)


@njit
def cubes(x, scale):
    return scale * np.sum(x**3)


def with_futures(jobs):
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return [pool.submit(f, *args).result() for f, *args in jobs]


def with_joblib(jobs):
    joblib = pytest.importorskip("joblib")
    return joblib.Parallel(2)(joblib.delayed(f)(*args) for f, *args in jobs)


def with_dask(jobs):
    """Large arguments are sent once, ahead."""
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(1, threads_per_worker=2, dashboard_address=None)
    with cluster, distributed.Client(cluster) as client:
        sent = client.scatter(X, broadcast=True)
        submitted = [
            client.submit(f, *[sent if x is X else x for x in args], pure=False)
            for f, *args in jobs
        ]
        return client.gather(submitted)


def with_ray(jobs):
    """Ray's arrays are read-only, in memory that all workers share."""
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        call = ray.remote(lambda f, *args: f(*args))
        sent = ray.put(X)
        return ray.get(
            [call.remote(f, *[sent if x is X else x for x in args]) for f, *args in jobs]
        )
    finally:
        ray.shutdown()


WAYS = {"futures": with_futures, "joblib": with_joblib, "Dask": with_dask, "Ray": with_ray}


def made_tape():
    types = Active, Duplicated[typeof(X)], Const[float]
    augmented, _ = autodiff_thunk(ReverseSplitWithPrimal, Const[typeof(cubes)], *types)
    return augmented(Const(cubes), Duplicated(X, np.zeros(4)), Const(2.0))[0]


@pytest.mark.parametrize("name", WAYS)
def test_workers(name):
    """They compute what this process does, and a tape does not get to them: one error says what does."""
    jobs = [(grad(cubes), X, 2.0), (value_and_grad(cubes), X, 3.0), (hessian(cubes), X, 2.0)]
    if name != "futures":  # which pickles by names only
        scale = 3.0
        jobs.append((grad(lambda x: scale * (x**3).sum()), X))
    found = WAYS[name](jobs)
    for one, (f, *args) in zip(found, jobs, strict=True):
        for value, expected in zip(flat(one), flat(f(*args)), strict=True):
            np.testing.assert_allclose(value, expected, rtol=1e-13)
    with pytest.raises(Exception) as caught:
        WAYS[name]([(repr, made_tape())])
    errors, error = [], caught.value
    while error is not None:
        errors.append(str(error))
        error = error.__cause__ or error.__context__
    assert any("send the function and its arguments" in text for text in errors), errors


@pytest.mark.skipif("ALL_TESTS" not in os.environ, reason="all of them are compiled twice")
@pytest.mark.parametrize("name", WAYS)
def test_battery(name):
    """Values and Jacobians of all functions, from a worker; the standard library sends those that have a name."""
    jobs, expected = [], []
    for f, args in BATTERY.values():
        if name == "futures" and getattr(tests.interop.battery, f.__name__, None) is not f:
            continue
        for call in (f, jacrev(f)):
            jobs.append((called, call, *args))  # with copies: Ray's arrays are read-only
            expected.append(called(call, *args))
    for one, ours in zip(WAYS[name](jobs), expected, strict=True):
        for value, wanted in zip(flat(one), flat(ours), strict=True):
            assert (value is None) == (wanted is None)  # of whole numbers there is no Jacobian
            if wanted is not None:
                np.testing.assert_allclose(value, wanted, rtol=1e-12, atol=1e-14)


def flat(x):
    return x if isinstance(x, tuple) else (x,)


def test_fit_from_many_starts():
    """The example, which checks itself."""
    pytest.importorskip("scipy")
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "multi_start.py"), "--starts", "12"],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert "starts end in the best minimum" in done.stdout

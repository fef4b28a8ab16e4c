"""Losses that are loops, in networks of PyTorch's: a recursive filter and CTC, each as its plain loop.

    python examples/losses_torch.py [--steps 300]

A filter of second order feeds its output back, so PyTorch has one operation for each sample and sum; the loop that
any book prints is compiled here, with its derivative. CTC sums over all ways to lay a text along the frames of a
recording; PyTorch has it in C++, by hand, with its backward pass, and here it is the textbook's recursion and nothing
else, which is there to be changed. The program checks values and gradients against PyTorch's own, finds a filter from
what it does to noise, trains a network that reads texts from noisy frames, and prints the time of a step each way.
Needs `pip install '.[torch]'`.
"""

from __future__ import annotations

import argparse
import math
import time

import numpy as np
import torch
from numba import njit

from enzyme.interop.torch import function

SAMPLES, FILTER = 1000, (0.2, 0.3, 0.1, -1.1, 0.5)
TEXTS, LETTERS, LENGTH, FRAMES, MEASURED = 8, 6, 5, 40, 12  # letter 0 is the blank


def filtered(p, x):
    """A recursive filter of second order."""
    y = np.zeros(len(x))
    for n in range(2, len(x)):
        y[n] = p[0] * x[n] + p[1] * x[n - 1] + p[2] * x[n - 2] - p[3] * y[n - 1] - p[4] * y[n - 2]
    return y


def filtered_by_torch(p, x):
    y = [torch.zeros_like(p[0])] * 2
    for n in range(2, len(x)):
        y.append(p[0] * x[n] + p[1] * x[n - 1] + p[2] * x[n - 2] - p[3] * y[-1] - p[4] * y[-2])
    return torch.stack(y)


@njit
def log_add(a, b):
    """log(exp(a) + exp(b)), also of two that are -inf."""
    if a < b:
        a, b = b, a
    return a if b == -math.inf else a + math.log1p(math.exp(b - a))


def ctc(scores, texts):
    """Of logarithms of probabilities (frame, text, letter): minus the logarithm of that of each text."""
    losses = np.empty(texts.shape[0])
    places = 2 * texts.shape[1] + 1  # a blank before, between and after letters
    ways = np.empty((scores.shape[0], places))
    for n in range(len(losses)):
        ways[:] = -math.inf
        for t in range(scores.shape[0]):
            for s in range(places):
                letter = texts[n, s // 2] if s % 2 else 0
                if t == 0:
                    way = 0.0 if s < 2 else -math.inf
                else:
                    way = ways[t - 1, s]
                    if s > 0:
                        way = log_add(way, ways[t - 1, s - 1])
                    if s > 2 and letter != 0 and letter != texts[n, s // 2 - 1]:
                        way = log_add(way, ways[t - 1, s - 2])
                ways[t, s] = way + scores[t, n, letter]
        losses[n] = -log_add(ways[-1, places - 1], ways[-1, places - 2])
    return losses


def ctc_by_torch(scores, texts):
    frames, lengths = (torch.full((len(texts),), n) for n in (len(scores), texts.shape[1]))
    return torch.nn.functional.ctc_loss(scores, texts, frames, lengths, reduction="none")


def find_filter(steps, rng):
    """The largest error of a coefficient, and the seconds of a step, here and in PyTorch's operations."""
    x = torch.tensor(rng.normal(size=SAMPLES))
    wanted = torch.tensor(filtered(FILTER, x.numpy()))
    p = torch.tensor([0.1, 0.0, 0.0, -0.5, 0.2]).double().requires_grad_()
    optimiser = torch.optim.LBFGS([p], max_iter=steps, line_search_fn="strong_wolfe")
    runs = [lambda run=run: ((run(p, x) - wanted) ** 2).mean() for run in WAYS["filter"]]
    seconds = compared(runs, [p])

    def loss():
        optimiser.zero_grad()
        value = runs[0]()
        value.backward()
        return value

    optimiser.step(loss)
    return float((p.detach() - torch.tensor(FILTER)).abs().max()), *seconds


def read_texts(steps, rng):
    """The share of letters that are read right after the training, and the seconds of a step, here and in C++."""
    torch.manual_seed(0)
    looks = rng.normal(size=(LETTERS, MEASURED))
    texts = rng.integers(1, LETTERS, (TEXTS, LENGTH))
    held = np.zeros((FRAMES, TEXTS), int)
    for n in range(TEXTS):
        for k in range(LENGTH):  # each letter for some frames, blanks between
            held[k * FRAMES // LENGTH + 2 : (k + 1) * FRAMES // LENGTH - 1, n] = texts[n, k]
    frames = torch.tensor(looks[held] + 0.3 * rng.normal(size=(FRAMES, TEXTS, MEASURED)))
    layers = torch.nn.Linear(MEASURED, 16), torch.nn.Tanh(), torch.nn.Linear(16, LETTERS)
    network = torch.nn.Sequential(*layers, torch.nn.LogSoftmax(-1)).double()
    texts = torch.tensor(texts)
    runs = [lambda run=run: run(network(frames), texts).mean() for run in WAYS["CTC"]]
    seconds = compared(runs, list(network.parameters()))
    optimiser = torch.optim.Adam(network.parameters(), 0.05)
    for _ in range(steps):
        optimiser.zero_grad()
        runs[0]().backward()
        optimiser.step()
    best = network(frames).argmax(-1).T
    right = 0
    for n in range(TEXTS):
        path = torch.unique_consecutive(best[n])
        path = path[path != 0][:LENGTH]
        right += int((path == texts[n][: len(path)]).sum())
    return right / texts.numel(), *seconds


# Our loop, and PyTorch's own way.
WAYS = {
    "filter": (function(filtered), filtered_by_torch),
    "CTC": (function(ctc), ctc_by_torch),
}


def compared(runs, weights):
    """The same values and gradients; the seconds that one takes each way."""
    found = [[y := run(), *torch.autograd.grad(y, weights)] for run in runs]
    for ours, theirs in zip(*found, strict=True):
        torch.testing.assert_close(ours, theirs, rtol=1e-10, atol=1e-12)
    seconds = []
    for run in runs:
        times = []
        for _ in range(5):
            begin = time.perf_counter()
            torch.autograd.grad(run(), weights)
            times.append(time.perf_counter() - begin)
        seconds.append(min(times))
    return seconds


def main(steps: int = 300) -> dict[str, tuple[float, float, float]]:
    torch.set_num_threads(1)  # the networks are small
    rng = np.random.default_rng(0)
    found = {"filter": find_filter(steps, rng), "CTC": read_texts(steps, rng)}
    for name, (_, ours, theirs) in found.items():
        print(
            f"{name}: a step takes {1e3 * ours:.3f} ms as a loop, {1e3 * theirs:.3f} ms by PyTorch, "
            f"{theirs / ours:.2f} times"
        )
    print(
        f"largest error of the filter {found['filter'][0]:.1e}, letters read {found['CTC'][0]:.0%}"
    )
    return found


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=300)
    main(parser.parse_args().steps)

"""Arguments that are trees of arrays, and a function that takes each."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass
from typing import Any

import numpy as np

Pair = namedtuple("Pair", "w b")


@dataclass
class Layer:
    w: Any
    b: Any


def of_places(p, x):
    return np.tanh(x @ p[0] + p[1])


def of_names(p, x):
    return np.tanh(x @ p.w + p.b)


def of_keys(p, x):
    return np.tanh(x @ p["w"] + p["b"])


def of_layers(p, x):
    return np.tanh(x @ p["first"].w + p["first"].b) * p["scale"][0]


# Name: the function, and the tree of a matrix `w` and a number `b`.
TREES = {
    "tuple": (of_places, lambda w, b: (w, b)),
    "list": (of_places, lambda w, b: [w, b]),
    "named tuple": (of_names, Pair),
    "dataclass": (of_names, Layer),
    "dictionary": (of_keys, lambda w, b: {"w": w, "b": b}),
    "nested": (of_layers, lambda w, b: {"first": Layer(w, b), "scale": (1.0,)}),
}

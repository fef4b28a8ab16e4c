"""What a generated program imports from numba, as plain Python: decorators that do nothing,
containers without types."""

from __future__ import annotations

from typing import Any

import numpy as np

vectorize = np.vectorize


def njit(function: Any = None, **options: Any) -> Any:
    return function if function is not None else njit


def jitclass(spec: Any) -> Any:
    return njit


class types:
    int64 = float64 = np.zeros(1)  # what may be indexed


class List(list[Any]):
    @staticmethod
    def empty_list(of: Any) -> List:
        return List()


class Dict(dict[Any, Any]):
    @staticmethod
    def empty(key: Any, value: Any) -> Dict:
        return Dict()

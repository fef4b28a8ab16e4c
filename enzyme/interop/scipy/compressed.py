"""Jacobians with zeros in known places: one direction serves all columns that have no row in common.

Curtis, Powell and Reid, "On the estimation of sparse Jacobian matrices", 1974; the directions are exact here.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from enzyme.api.combined import autodiff
from enzyme.errors import ShadowLayoutError
from enzyme.functional.arguments import constant
from enzymecore import BatchDuplicated, Duplicated, Forward

_TOGETHER = 8


class Band:
    """Diagonals around the main one: columns that are so many apart share no row."""

    def __init__(self, lband: Any, uband: Any) -> None:
        self.lband, self.uband = int(lband), int(uband)

    def groups(self, size: int) -> Any:
        """For each column the number of its direction."""
        return np.arange(size) % (self.lband + self.uband + 1)

    def matrix(self, rows: Any, groups: Any) -> Any:
        """The packed form: ``packed[i - j + uband, j]`` is that of row i and column j."""
        size = len(groups)
        packed = np.zeros((self.lband + self.uband + 1, size))
        for k in range(-self.uband, self.lband + 1):  # row minus column
            columns = np.arange(max(0, -k), min(size, size - k))
            packed[k + self.uband, columns] = rows[groups[columns], columns + k]
        return packed


class Pattern:
    """Places that are not zero, out of a matrix."""

    def __init__(self, sparsity: Any) -> None:
        from scipy.sparse import csc_matrix

        found = csc_matrix(sparsity)
        found.eliminate_zeros()
        found.sort_indices()
        self.places = found
        self._groups = _coloured(found)

    def groups(self, size: int) -> Any:
        """For each column the number of its direction."""
        if self.places.shape != (size, size):
            raise ShadowLayoutError(
                what=f"a sparsity of shape {self.places.shape} for {size} variables",
                todo="give a square matrix with a row and a column for each",
            )
        return self._groups

    def matrix(self, rows: Any, groups: Any) -> Any:
        """A sparse matrix with the numbers of these places."""
        from scipy.sparse import csc_matrix

        places = self.places
        columns = np.repeat(np.arange(len(groups)), np.diff(places.indptr))
        data = rows[groups[columns], places.indices]
        return csc_matrix((data, places.indices, places.indptr), shape=places.shape)


def _coloured(places: Any) -> Any:
    """Each column gets the first number that no column with a row in common has."""
    by_row = places.tocsr()
    groups = np.full(places.shape[1], -1)
    for j in range(places.shape[1]):
        rows = places.indices[places.indptr[j] : places.indptr[j + 1]]
        neighbours = np.concatenate(
            [by_row.indices[by_row.indptr[i] : by_row.indptr[i + 1]] for i in rows] or [[]]
        ).astype(int)
        taken = set(groups[neighbours])
        groups[j] = next(k for k in range(len(taken) + 1) if k not in taken)
    return groups


def compressed_jacobian(
    f: Any, pattern: Band | Pattern, args: tuple[Any, ...]
) -> Callable[..., Any]:
    """The Jacobian of ``f(t, y, *args)`` by `y`, in the form of its pattern."""

    def jac(t: Any, y: Any, *more: Any) -> Any:
        y = np.array(y, float)
        groups = pattern.groups(len(y))
        count = int(groups.max()) + 1 if len(y) else 0
        rows = np.zeros((count, len(y)))
        for first in range(0, count, _TOGETHER):
            together = range(first, min(first + _TOGETHER, count))
            directions = tuple((groups == k).astype(float) for k in together)
            given: Any = Duplicated(y, directions[0])
            if len(directions) > 1:
                given = BatchDuplicated(y, directions)
            (found,) = autodiff(
                Forward, f, constant(float(t)), given, *map(constant, (*args, *more))
            )
            for k, tangent in zip(
                together, found if len(directions) > 1 else (found,), strict=True
            ):
                rows[k] = tangent
        return pattern.matrix(rows, groups)

    return jac

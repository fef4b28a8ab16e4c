"""All formulas: who imports this module has them in `language.FORMULAS`."""

from enzyme.engine.derivatives.blas import (
    cholesky,
    elimination,
    householder,
    letters,
    matrices,
    products,
    vectors,
)

MODULES = (letters, vectors, matrices, products, cholesky, elimination, householder)

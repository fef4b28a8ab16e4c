"""All formulas: who imports this module has them in `language.FORMULAS`."""

from enzyme.engine.derivatives.blas import (
    calling,
    cholesky,
    elimination,
    general,
    hermitian,
    householder,
    letters,
    matrices,
    products,
    quotients,
    singular,
    vectors,
)

MODULES = (
    letters,
    vectors,
    matrices,
    products,
    cholesky,
    elimination,
    householder,
    quotients,
    hermitian,
    singular,
    general,
    calling,
)

"""Arrays of other packages: what to pass in place of one. Compiled code works on NumPy's."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["as_numpy", "is_foreign_array", "is_foreign_sequence"]

_PROTOCOLS = ("__dlpack__", "__array_interface__", "__array__")
# By the package of the class; none of these is imported here.
_WAYS = {
    "awkward": "pass what it holds: ak.to_numpy(x), of rows of several lengths ak.to_numpy(ak.flatten(x)) and "
    "Const(ak.to_numpy(ak.num(x)))",
    "cupy": "pass x.get(), which copies it to memory of the processor",
    "pandas": "pass x.to_numpy(), of missing values x.to_numpy(dtype=float, na_value=np.nan)",
    "polars": "pass x.to_numpy()",
    "pyarrow": "pass x.to_numpy()",
    "tensorflow": "pass x.numpy(), or use enzyme.interop.tensorflow.function",
    "torch": "pass x.numpy(), of a tensor with a gradient x.detach().numpy(), or use enzyme.interop.torch.function",
    "jaxlib": "pass np.asarray(x), or use enzyme.interop.jax.function",
    "xarray": "pass x.to_numpy(), of a data set each of its variables: x['name'].to_numpy()",
}


def is_foreign_array(x: Any) -> bool:
    """Is this an array for NumPy, and none of NumPy's?

    Examples
    --------
    >>> import numpy as np
    >>> is_foreign_array(np.ones(3)), is_foreign_array([1.0, 2.0])
    (False, False)
    """
    cls = type(x)
    return not issubclass(cls, np.ndarray | np.generic | type) and any(
        hasattr(cls, name) or name in getattr(x, "__dict__", ()) for name in _PROTOCOLS
    )


def is_foreign_sequence(x: Any) -> bool:
    """Is this such an array that one may index, so that it stands for its elements and for no attributes?"""
    return hasattr(type(x), "__getitem__") and is_foreign_array(x)


def as_numpy(x: Any) -> str:
    """What to pass in place of an array of another package; empty for anything else."""
    if not is_foreign_array(x):
        return ""
    package = type(x).__module__.partition(".")[0]
    general = "np.from_dlpack(x)" if hasattr(type(x), "__dlpack__") else "np.asarray(x)"
    return _WAYS.get(package, f"pass {general}, which shares its memory where it can")

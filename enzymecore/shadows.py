"""What a derivative must know about the memory of shadows, and construction does not check."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from enzymecore.activity_state import holds_floats
from enzymecore.annotation_base import Annotation, batch_size
from enzymecore.structure import arrays_in

__all__ = ["named_shadows", "shadow_not_writable", "shadow_overlaps_primal"]


def _start(array: Any) -> int:
    return array.__array_interface__["data"][0]  # type: ignore[no-any-return]


def named_shadows(annotation: Any) -> Iterator[tuple[str, Any]]:
    """Return the shadows of an annotation, out of their Refs, with their names in messages.

    Examples
    --------
    >>> from enzymecore import BatchDuplicated
    >>> list(named_shadows(BatchDuplicated(1.0, (2.0, 3.0))))
    [('shadow 0', 2.0), ('shadow 1', 3.0)]
    """
    if not isinstance(annotation, Annotation) or not hasattr(annotation, "dval"):
        return
    content: Any = type(annotation)._shadow_content  # type: ignore[attr-defined]
    if "N" in annotation._parameter_names:
        for index in range(batch_size(annotation)):
            yield f"shadow {index}", content(annotation.dval[index])
    else:
        yield "shadow", content(annotation.dval)


def shadow_overlaps_primal(annotation: Any) -> str | None:
    """Tell where a shadow shares memory with its primal, or return None if it does not.

    A part of a shadow that *is* the primal's part, the same object at the same place, is the
    convention for "constant" and is not reported; see runtime activity.

    Examples
    --------
    >>> import numpy as np
    >>> from enzymecore import Duplicated
    >>> x = np.zeros(4)
    >>> shadow_overlaps_primal(Duplicated(x, x)) is None
    True
    >>> shadow_overlaps_primal(Duplicated(x[:3], x[1:]))
    'the shadow shares memory with the primal'
    """
    for name, shadow in named_shadows(annotation):
        if shadow is annotation.val:
            continue
        primal_arrays = list(arrays_in(annotation.val))
        for path, array in arrays_in(shadow):
            for primal_path, primal in primal_arrays:
                same_part = array is primal and path == primal_path
                if not same_part and _overlap(array, primal):
                    return f"the {name}{_at(path)} shares memory with the primal{_at(primal_path)}"
    return None


def _at(path: str) -> str:
    """Return a path as part of a sentence."""
    return f" at {path}" if path else ""


def _overlap(first: np.ndarray[Any, Any], second: np.ndarray[Any, Any]) -> bool:
    """Tell whether two arrays share an element; where that is hard to find out, say yes."""
    if not np.may_share_memory(first, second):
        return False
    try:
        shares: Any = np.shares_memory
        return bool(shares(first, second, max_work=10_000))
    except np.exceptions.TooHardError:
        return True


def shadow_not_writable(annotation: Any) -> str | None:
    """Tell which shadow of an annotation is read-only, or return None if all can be written to.

    Examples
    --------
    >>> import numpy as np
    >>> from enzymecore import Duplicated
    >>> shadow = np.zeros(3)
    >>> shadow.flags.writeable = False
    >>> shadow_not_writable(Duplicated(np.zeros(3), shadow))
    'the shadow is a read-only array'
    """
    for name, shadow in named_shadows(annotation):
        primal = {path: _start(array) for path, array in arrays_in(annotation.val)}
        for path, array in arrays_in(shadow):
            constant = primal.get(path) == _start(array)
            if not constant and not array.flags.writeable and holds_floats(array.dtype):
                return f"the {name}{_at(path)} is a read-only array"
    return None

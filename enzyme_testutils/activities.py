"""Which activities may stand together in one call."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import product

from enzyme import (
    BatchDuplicated,
    BatchDuplicatedNoNeed,
    BatchMixedDuplicated,
    Duplicated,
    DuplicatedNoNeed,
    MixedDuplicated,
)
from enzymecore import Annotation, batch_size

BATCH = (BatchDuplicated, BatchDuplicatedNoNeed, BatchMixedDuplicated)
SINGLE = (Duplicated, DuplicatedNoNeed, MixedDuplicated)


def _class(activity: type[Annotation] | Annotation) -> type[Annotation]:
    return activity if isinstance(activity, type) else type(activity)


def all_or_batch(*activities: type[Annotation] | Annotation) -> bool:
    """Tell whether no form with one shadow stands beside a batch, and all batches have one width.

    Examples
    --------
    >>> from enzyme import Active, Const
    >>> all_or_batch(BatchDuplicated, Const, Active), all_or_batch(BatchDuplicated, Duplicated)
    (True, False)
    """
    classes = [_class(activity) for activity in activities]
    widths = {
        batch_size(activity)
        for activity, cls in zip(activities, classes)
        if issubclass(cls, BATCH) and (not isinstance(activity, type) or cls.parameters)
    }
    batched = any(issubclass(cls, BATCH) for cls in classes)
    return len(widths) < 2 and not (batched and any(issubclass(cls, SINGLE) for cls in classes))


def are_activities_compatible(
    return_activity: type[Annotation], *activities: type[Annotation] | Annotation
) -> bool:
    """Tell whether a call may have this activity of the result and these of the arguments.

    A batch stands beside other batches of its width, `Const` and `Active`.  (That forward mode has
    no `Active` is another matter.)

    Examples
    --------
    >>> from enzyme import Active, Const
    >>> are_activities_compatible(Const, Duplicated, Active)
    True
    >>> are_activities_compatible(Duplicated, BatchDuplicated)
    False
    """
    return all_or_batch(return_activity, *activities)


def combinations(
    return_activities: Sequence[type[Annotation]], *activities: Sequence[type[Annotation]]
) -> Iterator[tuple[type[Annotation], ...]]:
    """Return all compatible combinations: the result's activity first, then one for each argument.

    Examples
    --------
    >>> from enzyme import Const
    >>> len(list(combinations((Const, Duplicated), (Const, BatchDuplicated))))
    3
    """
    for found in product(return_activities, *activities):
        if are_activities_compatible(*found):
            yield found

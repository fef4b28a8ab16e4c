"""The activity of a parameter or return value, as the caller of the engine states it."""

from __future__ import annotations

import enum


class Activity(enum.Enum):
    """What a parameter or return value carries, as in `enzymecore`'s annotations."""

    CONST = "const"
    ACTIVE = "active"
    DUPLICATED = "duplicated"
    DUPLICATED_NO_NEED = "duplicated_no_need"

    @property
    def has_shadow(self) -> bool:
        return self in (Activity.DUPLICATED, Activity.DUPLICATED_NO_NEED)

"""Types of what derivatives take: checkers tell a mode from a function, and an array from an annotation."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias

from enzymecore.annotation_base import Annotation

__all__ = ["Annotated", "Argnums", "Direction", "Function"]

Function: TypeAlias = Callable[..., Any] | Annotation
Annotated: TypeAlias = Annotation | type[Annotation]
Argnums: TypeAlias = int | str | Sequence[int | str]
Direction: TypeAlias = Literal["reverse", "forward"]

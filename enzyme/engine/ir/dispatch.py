"""What a stage does with each instruction, constant or kind of metadata: the table that it dispatches by.

A stage looks its handlers up in `Dispatch`, so what the table says is what happens.  A table with a blank is not made,
and what is added to the model later is a blank in all tables until they are told (`blanks`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from enzyme.engine.ir.opcodes import INSTRUCTIONS
from enzyme.errors import EnzymeError

H = TypeVar("H")


@dataclass(frozen=True, slots=True)
class Refused:
    """What a stage refuses: with which error, and `what` it calls it."""

    error: type[EnzymeError]
    what: str


@dataclass(frozen=True, slots=True)
class Refusal(Generic[H]):
    """A handler that refuses sometimes: `when`."""

    handler: H
    error: type[EnzymeError]
    when: str


class Dispatch(Generic[H]):
    """The answers of one `stage` for every entry of a `vocabulary`, each in one of four forms.

    `handled` has a handler, which may refuse at times (`Refusal`); `ignored` does not concern the stage; `refused`
    ends in an error; `elsewhere` names the stage that refuses the entry, so that nothing hangs on it here.  A stage
    looks up `handlers`, which has None where there is no handler, and then `refusals`.
    """

    def __init__(
        self,
        stage: str,
        does: str,
        vocabulary: Mapping[str, object],
        handled: Mapping[str, H | Refusal[H]],
        *,
        ignored: Iterable[str] = (),
        refused: Mapping[str, Refused] | None = None,
        elsewhere: Mapping[str, str] | None = None,
    ) -> None:
        self.stage = stage
        self.does = does
        self.vocabulary = vocabulary
        self.handlers: dict[str, H | None] = {}
        self.refusals: dict[str, Refused] = {}
        self.answers: dict[str, str] = {}
        for name, handler in handled.items():
            self.handle(name, handler)
        for name in ignored:
            self.ignore(name)
        for name, refusal in (refused or {}).items():
            self.refuse(name, refusal)
        for name, other in (elsewhere or {}).items():
            self._answer(name, f"refused by `{other}`", None)
        missing = list(self.blanks())
        if missing:
            raise ValueError(f"{stage} does not say what it does with {', '.join(missing)}")

    def handle(self, name: str, handler: H | Refusal[H]) -> None:
        if isinstance(handler, Refusal):
            text = f"handled; `{handler.error.__name__}` {handler.when}"
            self._answer(name, text, handler.handler)
        else:
            self._answer(name, "handled", handler)

    def ignore(self, name: str) -> None:
        self._answer(name, "ignored", None)

    def refuse(self, name: str, refusal: Refused) -> None:
        self.refusals[name] = refusal
        self._answer(name, f"`{refusal.error.__name__}`: {refusal.what}", None)

    def same_as(self, name: str, other: str) -> None:
        """Let an entry have the answer of another one."""
        self._answer(name, self.answers[other], self.handlers[other])
        if other in self.refusals:
            self.refusals[name] = self.refusals[other]

    def forget(self, name: str) -> None:
        """Take back what was said of an entry."""
        del self.answers[name], self.handlers[name]
        self.refusals.pop(name, None)

    def blanks(self) -> Iterator[str]:
        """The entries of the vocabulary without an answer."""
        return (name for name in self.vocabulary if name not in self.answers)

    def _answer(self, name: str, text: str, handler: H | None) -> None:
        if name in self.answers:
            raise ValueError(f"{self.stage} says twice what it does with {name}")
        if name not in self.vocabulary:
            raise ValueError(f"{self.stage}: the model has no {name}")
        self.answers[name] = text
        self.handlers[name] = handler


class Selection(frozenset[str]):
    """The opcodes that a pass looks for, or knows something of, in a `stage`; all others it leaves as they are.

    Nothing may be assumed of what is not selected, so a new instruction needs no answer here.
    """

    stage: str
    does: str

    def __new__(cls, stage: str, does: str, names: Iterable[str]) -> Selection:
        made = super().__new__(cls, names)
        unknown = made - INSTRUCTIONS.keys()
        if unknown:
            raise ValueError(f"{stage}: the model has no {', '.join(sorted(unknown))}")
        made.stage = stage
        made.does = does
        return made

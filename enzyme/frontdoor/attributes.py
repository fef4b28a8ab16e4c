"""Reads attributes, annotations of C and metadata that speak to Enzyme, and takes them out of the module."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from enzyme.engine.ir.instructions import Call
from enzyme.engine.ir.module import Function, Module
from enzyme.engine.ir.types import array_type
from enzyme.engine.ir.values import Argument, ConstAggregate, ConstString, GlobalVariable, Value
from enzyme.frontdoor.failures import FrontDoorError
from enzyme.frontdoor.split_forward import compose
from enzyme.frontdoor.surface import ATTRIBUTES, METADATA, Word

if TYPE_CHECKING:
    from enzyme.frontdoor.declarations import Declarations

_ATTRIBUTE = re.compile(r'\s*"(enzyme_\w+)"(?:="([^"]*)")?')
METADATA_OF = re.compile(r"\s*,?\s*!(enzyme_\w+) !(\d+)")
SYMBOL = re.compile(r'@(?:"([^"]+)"|([\w.$-]+))')
_ANNOTATIONS = "llvm.global.annotations"


def read_attributes(module: Module, found: Declarations) -> None:
    """Attributes of functions and of calls, in their own words and in groups."""
    for function in module.functions.values():
        for name, value in _ATTRIBUTE.findall(function.attribute_texts()):
            _apply(found, function, name, value)
        function.suffix = _ATTRIBUTE.sub(_without_known, function.suffix)
        for argument in function.args:
            _read_argument(function, argument)
        for i in function.instructions():
            if isinstance(i, Call) and i.fn_attributes:
                _read_call(module, found, i)
    for number, words in list(module.attribute_groups.items()):
        left = module.attribute_groups[number] = _ATTRIBUTE.sub(_without_known, words).strip()
        if words.strip() and not left:
            _drop_group(module, number)


def _read_argument(function: Function, argument: Argument) -> None:
    """Attributes of a parameter: what is known of one alone is that it is not needed."""
    for name, _ in _ATTRIBUTE.findall(argument.attributes):
        if name not in ATTRIBUTES or not _is_hint(ATTRIBUTES[name]):
            raise _unread(name, f"in a parameter of @{function.name}")
    argument.attributes = _ATTRIBUTE.sub("", argument.attributes).strip()


def _drop_group(module: Module, number: int) -> None:
    """Take away a group in which nothing is left, and what refers to it."""
    del module.attribute_groups[number]
    word = re.compile(rf"(?<!\S)#{number}(?!\S)\s?")
    for function in module.functions.values():
        function.suffix = word.sub("", function.suffix).strip()
        for i in function.instructions():
            if isinstance(i, Call):
                i.fn_attributes = word.sub("", i.fn_attributes).strip()


def _read_call(module: Module, found: Declarations, call: Call) -> None:
    for name, _ in _ATTRIBUTE.findall(module.with_groups(call.fn_attributes)):
        if name == "enzyme_inactive":
            found.inactive_calls[call] = None
        elif ATTRIBUTES.get(name) is None or not _is_hint(ATTRIBUTES[name]):
            raise _unread(name, f"in @{call.function.name}")
    call.fn_attributes = _ATTRIBUTE.sub(_without_known, call.fn_attributes)


def _without_known(match: re.Match[str]) -> str:
    return "" if match.group(1) in ATTRIBUTES else match.group()


def _is_hint(word: Word) -> bool:
    return word.meaning.startswith("not needed")


def _unread(name: str, where: str) -> FrontDoorError:
    word = ATTRIBUTES.get(name)
    return FrontDoorError(
        where=where,
        what=f'the attribute "{name}" is not supported',
        why=word.meaning
        if word is not None and word.refused
        else "it would be ignored, and the derivative not be the one that was asked for",
        todo=word.todo if word is not None and word.todo else (),
    )


def _apply(found: Declarations, target: Value, name: str, value: str) -> None:
    """What one attribute says of a function, or of a global."""
    word = ATTRIBUTES.get(name)
    if word is None or word.refused:
        raise _unread(name, f"in @{target.name}")
    if _is_hint(word):
        return
    if name == "enzyme_inactive":
        if isinstance(target, Function):
            found.inactive[target] = None
        elif isinstance(target, GlobalVariable):
            found.inactive_globals[target] = None
        return
    if not isinstance(target, Function) or not value:
        raise FrontDoorError(
            where=f"in @{target.name}", what=f'"{name}" needs the name of a function behind ='
        )
    found.like[target] = value


def read_annotations(module: Module, found: Declarations) -> None:
    """``__attribute__((annotate("enzyme_inactive")))`` and the like."""
    table = module.globals.get(_ANNOTATIONS)
    if not isinstance(table, GlobalVariable) or not isinstance(table.initializer, ConstAggregate):
        return
    texts: list[GlobalVariable] = []

    def is_kept(entry: Value) -> bool:
        if not isinstance(entry, ConstAggregate):
            return True
        target, text = entry.elements[:2]
        if not isinstance(text, GlobalVariable) or not isinstance(text.initializer, ConstString):
            return True
        said = text.initializer.text[2:-1].partition("\\00")[0]
        if not said.startswith("enzyme_"):
            return True
        name, _, value = said.partition("=")
        if name not in ATTRIBUTES:
            return True
        _apply(found, target, name, value)
        texts.append(text)
        return False

    keep_elements(module, table, is_kept)
    for text in texts:
        module.globals.pop(text.name, None)


def keep_elements(module: Module, table: GlobalVariable, is_kept: Callable[[Value], bool]) -> None:
    """Leave only some elements in a global array; without any it goes."""
    assert isinstance(table.initializer, ConstAggregate)
    kept = [e for e in table.initializer.elements if is_kept(e)]
    if len(kept) == len(table.initializer.elements):
        return
    if not kept:
        del module.globals[table.name]
        return
    type_ = array_type(len(kept), kept[0].type)
    table.value_type = type_
    table.initializer = ConstAggregate(type_, kept)


def read_metadata(module: Module, found: Declarations) -> None:
    """Metadata of functions, globals and calls."""
    gradients: dict[Function, dict[str, Function]] = {}
    for function in module.functions.values():
        for name, node in METADATA_OF.findall(function.suffix):
            word = METADATA.get(name)
            if word is None or word.refused:
                continue
            if name == "enzyme_inactive":
                found.inactive[function] = None
            else:
                rule = _function_in(module, function, name, int(node))
                gradients.setdefault(function, {})[name] = rule
        function.suffix = METADATA_OF.sub(_without_metadata, function.suffix).strip()
        for i in function.instructions():
            if "enzyme_inactive" in i.metadata and isinstance(i, Call):
                found.inactive_calls[i] = None
                del i.metadata["enzyme_inactive"]
    for variable in module.globals.values():
        if isinstance(variable, GlobalVariable) and "enzyme_inactive" in variable.suffix:
            if any(name == "enzyme_inactive" for name, _ in METADATA_OF.findall(variable.suffix)):
                found.inactive_globals[variable] = None
                variable.suffix = METADATA_OF.sub(_without_metadata, variable.suffix)
    for function, rules in gradients.items():
        if "enzyme_derivative" in rules:
            found.add_forward(function, rules["enzyme_derivative"])
        both = [rules.get("enzyme_augment"), rules.get("enzyme_gradient")]
        split = rules.get("enzyme_splitderivative")
        if split is not None and both[0] is not None:
            found.add_forward(function, compose(function, both[0], split))
            if both[1] is None:
                continue
        elif split is not None:
            raise FrontDoorError(
                where=f"in @{function.name}",
                what="the metadata !enzyme_splitderivative needs !enzyme_augment beside it",
            )
        if both[0] is not None and both[1] is not None:
            found.gradients[function] = both[0], both[1]
        elif both != [None, None]:
            raise FrontDoorError(
                where=f"in @{function.name}",
                what="the metadata !enzyme_augment and !enzyme_gradient belong together",
            )


def _without_metadata(match: re.Match[str]) -> str:
    word = METADATA.get(match.group(1))
    return match.group() if word is None or word.refused else ""


def _function_in(module: Module, function: Function, name: str, node: int) -> Function:
    found = SYMBOL.search(module.metadata.get(node, ""))
    rule = module.functions.get(found.group(1) or found.group(2)) if found else None
    if rule is None:
        raise FrontDoorError(
            where=f"in @{function.name}",
            what=f"the metadata !{name} does not hold a function of the module",
        )
    return rule


_BEFORE_ATTRIBUTES = re.compile(r"(?:local_)?unnamed_addr|addrspace\(\d+\)")
_EFFECTS = re.compile(r"\b(?:memory\([^)]*\)|readnone|readonly|writeonly|argmemonly|nosync)\s?")


def without_words(module: Module, words: str, unwanted: re.Pattern[str]) -> str:
    """Attributes without some words, also where these stand in a group: then it gets a group of its own."""
    kept: list[str] = []
    for word in words.split(" "):
        if word.startswith("#") and word[1:].isdigit():
            group = module.attribute_groups.get(int(word[1:]), "")
            left = " ".join(unwanted.sub("", group).split())
            if left and left != " ".join(group.split()):
                number = max(module.attribute_groups, default=-1) + 1
                module.attribute_groups[number] = left
                kept.append(f"#{number}")
            elif left:
                kept.append(word)
        else:
            kept.append(word)
    return unwanted.sub("", " ".join(kept)).strip()


def add_attribute(function: Function, word: str) -> None:
    """Say one thing more of a function, where the order of words wants attributes."""
    if word in function.attribute_texts().split():
        return
    words = function.suffix.split(" ")
    words.insert(sum(_BEFORE_ATTRIBUTES.fullmatch(other) is not None for other in words), word)
    function.suffix = " ".join(words).strip()


def forget_effects(module: Module, function: Function) -> None:
    """Take away what is said of memory that a copy uses: its globals are arguments now, or hidden."""
    function.suffix = without_words(module, function.suffix, _EFFECTS)
    for i in function.instructions():
        if isinstance(i, Call) and i.fn_attributes:
            i.fn_attributes = without_words(module, i.fn_attributes, _EFFECTS)

"""The engine's advice, in the words of programs that speak to Enzyme by ``__enzyme_*``.

The engine speaks as its users in Python do. What helps is mostly the same elsewhere, and called otherwise; what only
Python has is left out.
"""

from __future__ import annotations

import re

_REGISTER = "register a derivative of a function around the call: __enzyme_register_gradient"

# What advice in the words of Python looks like, and how it is said here; "" where there is no such thing.
_SAID = tuple(
    (re.compile(pattern), said)
    for pattern, said in (
        (r"put the call into a function of its own and give that one a rule: .*", _REGISTER),
        (
            r"write the function in Python or call one that the derivative table knows",
            f"link its body into the module, or {_REGISTER}",
        ),
        (
            r"pass functions as arguments of their own or in tuples, not in lists or objects",
            "define in the module what the pointer may point to",
        ),
        (
            r"copy what the inactive function returns: .*",
            "copy what the inactive function returns to other memory",
        ),
        (
            r"give both uses one type, as in .*",
            "give both uses one type, or copy member by member what holds both",
        ),
        (
            r"pass the memory as an argument, Duplicated\(.*",
            "pass the memory as an argument with a shadow",
        ),
        (r"pass it as Duplicated\(.*", "pass it with a shadow: enzyme_dup"),
        (r"(.*)pass (.+) as Const", r"\1mark \2 enzyme_const"),
        (r"(.*: )ignore_derivatives\((\w+)\)", r"\1__enzyme_ignore_derivatives(\2)"),
        (r".*\b(?:set_runtime_activity|clear_err_if_const_written)\(mode\).*", ""),
        (r".*\bcall autodiff from Python", ""),
    )
)


def in_these_words(advice: tuple[str, ...]) -> tuple[str, ...]:
    """Each piece of advice, said for programs in C; those that are none are left out.

    >>> in_these_words(("pass it as Duplicated(w, make_zero(w))", "or use set_runtime_activity(mode) in a call"))
    ('pass it with a shadow: enzyme_dup',)
    """
    return tuple(said for text in advice if (said := _said(text)))


def _said(text: str) -> str:
    joined = "or " if text.startswith("or ") else ""
    plain = text.removeprefix("or ")
    for pattern, said in _SAID:
        found = pattern.fullmatch(plain)
        if found is not None:
            made = found.expand(said)
            return joined + made if made else ""
    return text

"""What the words of a call of clang are: sources, the output, and who wants each option."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

# What clang compiles, by how the file ends; the language of C++ links its run time too.
C = frozenset((".c", ".i"))
CPP = frozenset((".cc", ".cpp", ".cxx", ".c++", ".C", ".CPP", ".cp", ".ii"))
IR = frozenset((".ll", ".bc"))
_BY_WORD = {"c": C, "cpp-output": C, "c++": CPP, "c++-cpp-output": CPP, "ir": IR}

# Options whose value is a word of its own, if they do not have it behind them.
_OF_PREPROCESSOR = (
    *("-I", "-D", "-U", "-include", "-isystem", "-iquote", "-idirafter", "-imacros", "-iprefix", "-isysroot"),
)  # fmt: skip
_OF_DEPENDENCIES = ("-MF", "-MT", "-MQ")
_TASKS_OF_DEPENDENCIES = {"-MD": "-M", "-MMD": "-MM", "-MP": "-MP", "-MG": "-MG"}
_OF_LINKER = ("-L", "-l", "-Xlinker", "-T", "-u", "-z", "-e", "-rpath", "-framework", "-soname")
_OF_BOTH = (
    *("-target", "-arch", "-Xclang", "-mllvm", "-march", "-mcpu", "-B", "--sysroot", "-Xpreprocessor", "-Xassembler"),
    *("--param", "-resource-dir", "--gcc-toolchain", "-Xopenmp-target"),
)  # fmt: skip
_ONLY_PREPROCESSOR = (
    "-std=",
    "-nostdinc",
    "-pedantic",
    "-ansi",
    "-fopenmp",
)
_ONLY_LINKER = (
    *("-Wl,", "-shared", "-static", "-pie", "-no-pie", "-rdynamic", "-s", "-nostdlib"),
    *("-nodefaultlibs", "-nostartfiles", "-fuse-ld", "-rtlib", "-stdlib=", "-pthread"),
)  # fmt: skip
_WITH_VALUE = frozenset(("-o", "-x", *_OF_PREPROCESSOR, *_OF_DEPENDENCIES, *_OF_LINKER, *_OF_BOTH))
# With these, clang does not compile.
_OTHER_TASKS = (
    "-E",
    "-M",
    "-MM",
    "-fsyntax-only",
    "-###",
    "--version",
    "--help",
    "-v",
    "-dumpversion",
    "-dumpmachine",
)


@dataclass(slots=True)
class Words:
    """A call of clang, read: options of the compiler proper, of what comes before it, and of the linker, in order."""

    sources: list[tuple[str, str]] = field(default_factory=list)
    output: str | None = None
    stage: str = ""
    emits_ir: bool = False
    before: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)
    linked: list[str] = field(default_factory=list)
    dependencies: list[str] = field(default_factory=list)
    other: bool = False

    @property
    def is_cpp(self) -> bool:
        return any(kind == "c++" for _, kind in self.sources)


def read_words(arguments: Sequence[str]) -> Words:
    """What each word is for.

    >>> read_words(["-O2", "-I", "include", "a.c", "-lm", "-o", "a"]).sources
    [('a.c', 'c')]
    """
    found = Words()
    language = ""
    for option, value in _pairs(arguments):
        whole = [option] if value is None else [option, value]
        if option == "-o":
            found.output = value
        elif option == "-x":
            language = "" if value == "none" else str(value)
        elif option in ("-c", "-S"):
            found.stage = option
        elif option == "-emit-llvm":
            found.emits_ir = True
        elif option in _OTHER_TASKS:
            found.other = True
        elif not option.startswith("-") or option == "-":
            kind = _kind(option, language)
            if kind:
                found.sources.append((option, kind))
            found.linked.append(option)
        elif option in _OF_DEPENDENCIES:
            found.dependencies += whole
        elif option in _TASKS_OF_DEPENDENCIES:
            found.dependencies.append(_TASKS_OF_DEPENDENCIES[option])
        elif _is(option, value, _OF_LINKER) or option.startswith(_ONLY_LINKER):
            found.linked += whole
            if option in ("-pthread",) or option.startswith("-stdlib="):
                found.before.append(option)
        elif _is(option, value, _OF_PREPROCESSOR) or option.startswith(_ONLY_PREPROCESSOR):
            found.before += whole
            if option.startswith("-fopenmp"):
                found.linked.append(option)
        else:
            found.before += whole
            found.after += whole
    return found


def _pairs(arguments: Sequence[str]) -> Iterator[tuple[str, str | None]]:
    """Options with the word that is their value."""
    rest = iter(arguments)
    for word in rest:
        if word in _WITH_VALUE:
            yield word, next(rest, "")
        elif word.startswith(("-o", "-x")) and len(word) > 2:
            yield word[:2], word[2:]
        else:
            yield word, None


def _is(option: str, value: str | None, names: Sequence[str]) -> bool:
    """Is an option one of these, or one of their short forms with the value behind it?"""
    if value is not None:
        return option in names
    return option[:2] in names and len(option) > 2 and not option.startswith("-include")


def _kind(path: str, language: str) -> str:
    """`c`, `c++` or `ir`, or nothing for what is linked."""
    ending = Path(path).suffix
    endings = _BY_WORD.get(language) if language else frozenset((ending,))
    if endings is None:
        return ""
    for kind, known in (("c", C), ("c++", CPP), ("ir", IR)):
        if endings & known:
            return kind
    return ""

"""``python -m enzyme clang ...``: a call of clang in which derivatives are made between its two halves.

Clang compiles each source to IR, with the level of optimisation and all else that was asked for; derivatives take the
place of ``__enzyme_*`` calls; clang goes on from there to whatever the call is to make. Where a program is linked, its
sources are one module for this, so that a function may be differentiated in another file than its own. What clang says
is shown as it is, and its status is the status.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from enzyme.frontdoor.clang import find_clang
from enzyme.frontdoor.clang_options import Words, read_words
from enzyme.frontdoor.failures import FrontDoorError
from enzyme.frontdoor.reading import text_of, without_identifiers

INCLUDE = Path(__file__).parent / "include"
# As the name of a file: standard input, standard output. Not every clang knows it for all that it makes.
_STANDARD = "-"
_QUIET = "-Wno-unused-command-line-argument"
_ENDINGS = {("-c", False): ".o", ("-c", True): ".bc", ("-S", False): ".s", ("-S", True): ".ll"}


class ClangFailed(Exception):
    """Clang ended with a status other than zero, and has said why."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status if status >= 0 else 128 - status


def wrap_clang(arguments: Sequence[str], language: str = "c") -> int:
    """Do what the call asks for; the status to end with."""
    words = read_words(arguments)
    if words.is_cpp:
        language = "c++"
    clang = find_clang(language)
    if clang is None:
        raise FrontDoorError(
            what="there is no clang",
            todo="install clang, or the package ziglang: pip install ziglang",
        )
    try:
        if words.other or not words.sources:
            _run([*clang, "-I", str(INCLUDE), *arguments])
            return 0
        with tempfile.TemporaryDirectory() as folder:
            _compile(clang, words, Path(folder))
    except ClangFailed as failed:
        return failed.status
    return 0


def _compile(clang: list[str], words: Words, folder: Path) -> None:
    if words.stage and words.output and len(words.sources) > 1:
        raise FrontDoorError(
            f"-o with {words.stage} and several sources: each makes a file of its own"
        )
    made = [
        _to_ir(clang, words, source, kind, folder / f"{number}.ll")
        for number, (source, kind) in enumerate(words.sources)
    ]
    if not words.stage:
        return _link(clang, words, made, folder)
    for (source, _), text in zip(words.sources, made, strict=True):
        derived = _derived(text, folder / "derived.ll")
        ending = _ENDINGS[words.stage, words.emits_ir]
        output = words.output or Path(source).with_suffix(ending).name
        emitted = ["-emit-llvm"] if words.emits_ir else []
        target = str(folder / f"made{ending}") if output == _STANDARD else output
        _run([*clang, *words.after, _QUIET, words.stage, *emitted, str(derived), "-o", target])
        if output == _STANDARD:
            sys.stdout.flush()
            sys.stdout.buffer.write(Path(target).read_bytes())
            sys.stdout.buffer.flush()
    return None


def _link(clang: list[str], words: Words, made: list[str], folder: Path) -> None:
    """One program of all sources, in the place of the first of them."""
    derived = _derived(_joined(made), folder / "derived.ll")
    sources = {source for source, _ in words.sources}
    linked: list[str] = []
    for word in words.linked:
        if word not in sources:
            linked.append(word)
        elif str(derived) not in linked:
            linked.append(str(derived))
    output = ["-o", words.output] if words.output else []
    _run([*clang, *words.after, _QUIET, *linked, *output])


def _to_ir(clang: list[str], words: Words, source: str, kind: str, target: Path) -> str:
    """The IR of one source."""
    if kind == "ir":
        given = sys.stdin.buffer.read() if source == _STANDARD else Path(source).read_bytes()
        return text_of(given)
    call = [*clang, *words.before, _QUIET, "-I", str(INCLUDE)]
    _run([*call, "-S", "-emit-llvm", "-x", kind, source, "-o", str(target)])
    if words.dependencies:
        _run([*call, *_dependencies(words, source), "-x", kind, source])
    return target.read_text(encoding="utf-8")


def _dependencies(words: Words, source: str) -> list[str]:
    """The options with which clang writes what a source depends on, and nothing else."""
    ending = _ENDINGS[words.stage, words.emits_ir] if words.stage else ""
    output = words.output or Path(source).with_suffix(ending).name
    found = list(words.dependencies)
    if "-MF" not in found:
        found += ["-MF", str(Path(output).with_suffix(".d"))]
    if "-MT" not in found and "-MQ" not in found:
        found += ["-MT", output]
    return found


def _joined(texts: list[str]) -> str:
    """One module of all."""
    if len(texts) == 1:
        return texts[0]
    import llvmlite.binding as llvm

    try:
        context = llvm.create_context()
        whole, *others = [
            llvm.parse_assembly(without_identifiers(text), context=context) for text in texts
        ]
        for other in others:
            whole.link_in(other)
    except RuntimeError as error:
        raise FrontDoorError(what="the sources do not fit together", why=str(error)) from None
    return str(whole)


def _derived(text: str, target: Path) -> Path:
    """A file with the module, in which derivatives have taken the place of calls."""
    if "enzyme" in text:
        from enzyme.engine.synthesis.printing import print_as_asked
        from enzyme.frontdoor.lower import lower

        print_as_asked()
        text = lower(text)
    target.write_text(text, encoding="utf-8")
    return target


def _run(call: list[str]) -> None:
    status = subprocess.run(call, check=False).returncode
    if status:
        raise ClangFailed(status)

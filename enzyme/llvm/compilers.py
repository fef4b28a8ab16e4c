"""C to LLVM IR, by a clang that is installed."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from enzyme.errors import EnzymeError
from enzyme.frontdoor.clang import LANGUAGES, find_clang
from enzyme.llvm.modules import Module

__all__ = ["compile_c", "find_clang"]


def compile_c(
    source: str, *, options: Sequence[str] = ("-O1",), language: str = "c", quiet: bool = True
) -> Module:
    """The module that clang makes of a program in C, or with `language` in ``"c++"``.

    Parameters
    ----------
    source
        The text of the program.
    options
        For clang: levels of optimisation, folders of headers.
    language
        ``"c"`` or ``"c++"``; names of functions in C++ are mangled unless they are ``extern "C"``.
    quiet
        Whether warnings are dropped.

    Raises
    ------
    EnzymeError
        If there is no clang, or if it does not accept the program; then with what it says.

    Examples
    --------
    >>> from enzyme.llvm import autodiff, compile_c
    >>> from enzymecore import Active, Reverse
    >>> module = compile_c("double cube(double x) { return x * x * x; }")  # doctest: +SKIP
    >>> autodiff(Reverse, module.cube, Active, Active(2.0))                # doctest: +SKIP
    ((12.0,),)
    """
    if language not in LANGUAGES:
        raise EnzymeError(f"language must be one of {', '.join(LANGUAGES)}, not {language!r}")
    command = find_clang(language)
    if command is None:
        raise EnzymeError(
            what="there is no clang",
            todo=(
                "install clang, or the package ziglang: pip install ziglang",
                "or compile elsewhere, and load",
            ),
        )
    with tempfile.TemporaryDirectory() as folder:
        given = Path(folder) / f"program{LANGUAGES[language][2]}"
        made = Path(folder) / "program.ll"
        given.write_text(source, encoding="utf-8")
        call = [*command, "-S", "-emit-llvm", "-g0", *options, "-o", str(made), str(given)]
        done = subprocess.run(call, capture_output=True, text=True, check=False)
        if done.returncode or not made.exists():
            raise EnzymeError(what="clang does not accept the program", why=done.stderr.strip())
        if not quiet and done.stderr:
            print(done.stderr, file=sys.stderr, end="")
        return Module(made.read_text(encoding="utf-8"))

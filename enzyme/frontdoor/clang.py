"""Where clang is: a program of that name, or the one in the package ``ziglang``."""

from __future__ import annotations

import importlib.util
import shutil
import sys

# A language, the program, Zig's word for it, how its files end.
LANGUAGES = {"c": ("clang", "cc", ".c"), "c++": ("clang++", "c++", ".cpp")}


def find_clang(language: str = "c") -> list[str] | None:
    """How to call a clang: the program of that name, or the one in the package ``ziglang``; None without either."""
    program, word, _ = LANGUAGES[language]
    found = shutil.which(program)
    if found is not None:
        return [found]
    if importlib.util.find_spec("ziglang") is not None:
        # Zig's clang looks for undefined behaviour by calls that have no derivative.
        return [sys.executable, "-m", "ziglang", word, "-fno-sanitize=all"]
    return None

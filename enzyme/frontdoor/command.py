"""``python -m enzyme opt IN.ll -o OUT.ll``: the command around `lower`; ``clang`` and ``include`` beside it.

It ends with 0, or prints exactly one line ``error: ...`` on stderr and ends with 1 (2 for wrong usage). What clang says
when it is called comes through as it is, with its status.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from enzyme.errors import EnzymeError
from enzyme.frontdoor.failures import one_line


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        self.exit(2, f"error: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; the exit code."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    options = (
        argparse.Namespace(command=words[0], words=words[1:], traceback=False)
        if words[:1] in _WRAPPED
        else _parser().parse_args(words)
    )
    try:
        return _COMMANDS[options.command](options)
    except (EnzymeError, OSError, UnicodeDecodeError) as error:
        print(f"error: {one_line(error)}", file=sys.stderr)
        return 1
    except Exception as error:  # any other exception is a defect; the promise of one line holds
        if options.traceback:
            raise
        name = type(error).__name__
        print(f"error: internal error: {name}: {one_line(error)}", file=sys.stderr)
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="enzyme", description="Automatic differentiation of LLVM IR.")
    commands = parser.add_subparsers(dest="command", required=True, parser_class=_Parser)
    opt = commands.add_parser(
        "opt", help="replace calls of __enzyme_autodiff* and __enzyme_fwddiff* by derivatives"
    )
    opt.add_argument("input", help="LLVM IR as text (.ll) or bitcode (.bc); - for standard input")
    opt.add_argument(
        "-o", "--output", default="-", help="where to write; - (default) for standard output"
    )
    opt.add_argument("-O", dest="optimise", action="store_true", help="optimise the result (-O3)")
    opt.add_argument(
        "--print-activity",
        metavar="FUNC",
        help="print what the calls make active in FUNC, to stderr",
    )
    opt.add_argument("--print-types", metavar="FUNC", help="print the types in FUNC, to stderr")
    opt.add_argument("--traceback", action="store_true", help="show where an internal error arose")
    commands.add_parser("include", help="print the folder of the header <enzyme/enzyme> for C++")
    for (name,) in _WRAPPED:
        commands.add_parser(name, help=f"call {name}, with derivatives in what it makes")
    return parser


def _include(_: argparse.Namespace) -> int:
    print(Path(__file__).parent / "include")
    return 0


def _clang(options: argparse.Namespace) -> int:
    from enzyme.frontdoor.wrapped_clang import wrap_clang

    return wrap_clang(options.words, "c++" if options.command == "clang++" else "c")


def _read(name: str) -> str:
    """The text of the module in a file, or on standard input; either may hold bitcode."""
    from enzyme.frontdoor.reading import text_of

    if name != "-":
        return text_of(Path(name).read_bytes())
    bytes_ = getattr(sys.stdin, "buffer", None)
    return sys.stdin.read() if bytes_ is None else text_of(bytes_.read())


def _opt(options: argparse.Namespace) -> int:
    from enzyme.engine.synthesis.printing import print_as_asked
    from enzyme.frontdoor.lower import lower
    from enzyme.frontdoor.show import show_activity, show_types

    print_as_asked()
    text = _read(options.input)
    if options.print_activity:
        print(show_activity(text, options.print_activity), file=sys.stderr)
    if options.print_types:
        print(show_types(text, options.print_types), file=sys.stderr)
    made = lower(text, optimise=options.optimise)
    if options.output == "-":
        sys.stdout.write(made)
    else:
        Path(options.output).write_text(made, encoding="utf-8")
    return 0


_COMMANDS = {"opt": _opt, "include": _include, "clang": _clang, "clang++": _clang}
# Their words are clang's.
_WRAPPED = (["clang"], ["clang++"])

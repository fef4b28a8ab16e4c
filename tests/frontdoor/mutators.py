"""Ways to spoil the text of a module: most of what comes out is no module, the rest is one that nobody wrote.

Each takes the lines of a module, a source of chance and the texts of all modules, and returns other lines.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

from enzyme.frontdoor.surface import WORDS

TOKEN = re.compile(r'[%@!#$][-\w.$]+|[%@!#$]"[^"]*"|c?"[^"]*"|[\w.+-]+|\S')
_NUMBER = re.compile(r"^-?\d[\d.e+-]*$")
_LOCAL = re.compile(r"%[-\w.]+")
_GLOBAL = re.compile(r"@[-\w.$]+")

TYPES = (
    *("double", "float", "half", "bfloat", "fp128", "x86_fp80", "i1", "i8", "i16", "i32", "i64", "i128", "i3"),
    *("ptr", "void", "label", "metadata", "token", "<2 x double>", "<4 x float>", "<2 x i64>", "<2 x ptr>"),
    *("[3 x double]", "{ double, i32 }", "<{ i8, double }>", "<vscale x 2 x double>", "ptr addrspace(1)", "i999999"),
    *("[0 x double]", "{}", "[4294967296 x double]", "{ ptr, double }", "[2 x { float, float }]"),
)  # fmt: skip
NUMBERS = (
    *("0", "1", "-1", "2", "7", "8", "255", "65536", "2147483647", "-2147483648", "4294967296"),
    *("9223372036854775807", "18446744073709551616", "1" + "0" * 40, "0.0", "1.0", "-0.0", "1e308", "1e400", "5e-324"),
    *("0x7FF8000000000000", "0x7FF0000000000000", "0x3FF", "0xK3FFF8000000000000000", "0xH3C00", "1.5.5"),
)  # fmt: skip
CONSTANTS = (
    "undef",
    "poison",
    "null",
    "zeroinitializer",
    "none",
    "true",
    "false",
    "splat (double 1.0)",
)
OPCODES = (
    ("fadd", "fsub", "fmul", "fdiv", "frem"),
    ("add", "sub", "mul", "sdiv", "udiv", "srem", "urem", "shl", "lshr", "ashr", "and", "or", "xor"),
    ("sext", "zext", "trunc", "bitcast", "inttoptr", "ptrtoint", "sitofp", "uitofp", "fptosi", "fptoui", "fpext"),
    ("fptrunc", "fpext", "bitcast", "freeze", "fneg"),
    ("load", "store", "alloca", "fence", "cmpxchg", "atomicrmw"),
    ("br", "switch", "ret", "unreachable", "indirectbr", "invoke", "resume", "callbr"),
    ("oeq", "ogt", "oge", "olt", "ole", "one", "ord", "ueq", "ugt", "uge", "ult", "ule", "une", "uno", "true", "false"),
    ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge"),
)  # fmt: skip
ATTRIBUTES = (
    *("noalias", "nocapture", "readonly", "readnone", "writeonly", "nonnull", "noundef", "dereferenceable(8)"),
    *("sret(double)", "byval(double)", "byref(double)", "inalloca(double)", "align 1", "align 4294967296", "immarg"),
    *("nounwind", "noinline", "alwaysinline", "optnone", "returns_twice", "noreturn", "willreturn", "convergent"),
    *("volatile", "atomic", "inbounds", "nsw", "exact", "fast", "nnan", "tail", "musttail", "internal", "private"),
    *("external", "weak", "linkonce_odr", "available_externally", "common", "appending", "thread_local", "dllimport"),
    *('"enzyme_inactive"', '"enzyme_math"="sin"', '"enzyme_type"="{}"', "section \"x\"", "gc \"x\"", "swiftself"),
    *("strictfp", "memory(none)", "memory(argmem: read)", "fastcc", "cc 10", "unnamed_addr", "hidden", "comdat"),
)  # fmt: skip
CALLS = (
    *("@llvm.sqrt.f64", "@llvm.sin.f64", "@llvm.pow.f64", "@llvm.fma.f64", "@llvm.trap", "@llvm.stacksave.p0"),
    *("@malloc", "@free", "@realloc", "@sin", "@atan2", "@printf", "@memcpy", "@setjmp", "@qsort", "@exit"),
)  # fmt: skip

Lines = list[str]
Mutator = Callable[[Lines, random.Random, tuple[str, ...]], None]


def _place(lines: Lines, chance: random.Random) -> int:
    return chance.randrange(len(lines))


def _change_token(
    lines: Lines, chance: random.Random, changed: Callable[[str], str], fits: Callable[[str], bool]
) -> None:
    """Change one token that fits, if a few tries find one."""
    for _ in range(30):
        at = _place(lines, chance)
        found = [m for m in TOKEN.finditer(lines[at]) if fits(m.group())]
        if found:
            m = chance.choice(found)
            lines[at] = lines[at][: m.start()] + changed(m.group()) + lines[at][m.end() :]
            return


def _any(_: str) -> bool:
    return True


def delete_lines(lines: Lines, chance: random.Random, _: tuple[str, ...]) -> None:
    at = _place(lines, chance)
    del lines[at : at + chance.choice((1, 1, 1, 2, 5))]


def repeat_line(lines: Lines, chance: random.Random, _: tuple[str, ...]) -> None:
    at = _place(lines, chance)
    lines.insert(_place(lines, chance) if chance.random() < 0.5 else at, lines[at])


def swap_lines(lines: Lines, chance: random.Random, _: tuple[str, ...]) -> None:
    first = _place(lines, chance)
    second = min(first + 1, len(lines) - 1) if chance.random() < 0.5 else _place(lines, chance)
    lines[first], lines[second] = lines[second], lines[first]


def delete_token(lines: Lines, chance: random.Random, _: tuple[str, ...]) -> None:
    _change_token(lines, chance, lambda _: "", _any)


def repeat_token(lines: Lines, chance: random.Random, _: tuple[str, ...]) -> None:
    _change_token(lines, chance, lambda t: f"{t} {t}", _any)


def swap_tokens(lines: Lines, chance: random.Random, _: tuple[str, ...]) -> None:
    at = _place(lines, chance)
    found = list(TOKEN.finditer(lines[at]))
    if len(found) > 1:
        first, second = sorted(chance.sample(range(len(found)), 2))
        a, b = found[first], found[second]
        text = lines[at]
        lines[at] = (
            text[: a.start()] + b.group() + text[a.end() : b.start()] + a.group() + text[b.end() :]
        )


def change_type(lines: Lines, chance: random.Random, _: tuple[str, ...]) -> None:
    _change_token(lines, chance, lambda _: chance.choice(TYPES), lambda t: t in TYPES)


def change_type_everywhere(lines: Lines, chance: random.Random, _: tuple[str, ...]) -> None:
    """One type becomes another in the whole module, or in one stretch of it: often still a module."""
    present = [t for t in TYPES if re.match(r"^\w+$", t) and any(t in line for line in lines)]
    if not present:
        return
    old, new = chance.choice(present), chance.choice(TYPES)
    begin, end = 0, len(lines)
    if chance.random() < 0.5:
        begin = _place(lines, chance)
        end = begin + chance.randrange(1, 40)
    for at in range(begin, min(end, len(lines))):
        lines[at] = re.sub(rf"\b{old}\b", new, lines[at])


def change_number(lines: Lines, chance: random.Random, _: tuple[str, ...]) -> None:
    _change_token(lines, chance, lambda _: chance.choice(NUMBERS), lambda t: bool(_NUMBER.match(t)))


def change_name(lines: Lines, chance: random.Random, _: tuple[str, ...]) -> None:
    """One operand becomes another name that is there."""
    pattern = _LOCAL if chance.random() < 0.7 else _GLOBAL
    at = _place(lines, chance)
    near = "\n".join(lines[max(0, at - 30) : at + 30])
    names = pattern.findall(near) or pattern.findall("\n".join(lines))
    if not names:
        return
    if pattern is _GLOBAL:
        names += CALLS
    _change_token(
        lines, chance, lambda _: chance.choice(names), lambda t: bool(pattern.fullmatch(t))
    )


def operand_to_constant(lines: Lines, chance: random.Random, _: tuple[str, ...]) -> None:
    _change_token(
        lines,
        chance,
        lambda _: chance.choice(CONSTANTS),
        lambda t: bool(_LOCAL.fullmatch(t) or _NUMBER.match(t) or t in CONSTANTS),
    )


def change_opcode(lines: Lines, chance: random.Random, _: tuple[str, ...]) -> None:
    known = {word for row in OPCODES for word in row}

    def other(token: str) -> str:
        rows = [row for row in OPCODES if token in row]
        return chance.choice(chance.choice(rows if chance.random() < 0.9 else OPCODES))

    _change_token(lines, chance, other, lambda t: t in known)


def cut(lines: Lines, chance: random.Random, _: tuple[str, ...]) -> None:
    at = _place(lines, chance)
    del lines[at + 1 :]
    lines[at] = lines[at][: chance.randrange(len(lines[at]) + 1)]


def splice(lines: Lines, chance: random.Random, texts: tuple[str, ...]) -> None:
    """A stretch of another module."""
    other = drawn(texts, chance).splitlines()
    at, begin = _place(lines, chance), chance.randrange(max(1, len(other)))
    lines[at : at + chance.randrange(3)] = other[begin : begin + chance.choice((1, 1, 2, 5, 20))]


def add_function(lines: Lines, chance: random.Random, texts: tuple[str, ...]) -> None:
    """A whole function of another module, at the end."""
    parts = re.findall(r"^define .*?^}", drawn(texts, chance), re.M | re.S)
    if parts:
        lines += chance.choice(parts).splitlines()


def change_word(lines: Lines, chance: random.Random, _: tuple[str, ...]) -> None:
    """Another word of Enzyme's, with its declaration or without."""
    word = chance.choice(WORDS).name
    if chance.random() < 0.5:
        word += chance.choice(("_f", "X", "2"))
    for at in chance.sample(range(len(lines)), len(lines)):
        found = re.findall(r"(?:__)?enzyme_\w+", lines[at])
        if found:
            old = chance.choice(found)
            everywhere = chance.random() < 0.6
            for k in range(len(lines)) if everywhere else (at,):
                lines[k] = re.sub(rf"\b{old}\b", word, lines[k])
            return


def change_operands(lines: Lines, chance: random.Random, _: tuple[str, ...]) -> None:
    """An operand more, less, or elsewhere in a call of Enzyme's."""
    calls = [k for k, line in enumerate(lines) if "call" in line and "__enzyme_" in line]
    calls = [k for k in calls if not lines[k].endswith("(")]
    if not calls:
        return
    at = chance.choice(calls)
    head, bracket, rest = lines[at].partition(lines[at].split("(")[-1])
    operands = bracket.rstrip(")").split(", ")
    kind = chance.randrange(4)
    k = chance.randrange(len(operands))
    if kind == 0:
        del operands[k]
    elif kind == 1:
        operands.insert(k, chance.choice(operands))
    elif kind == 2:
        marker = chance.choice([w.name for w in WORDS if not w.name.startswith("__")])
        operands.insert(k, f'metadata !"{marker}"')
    else:
        chance.shuffle(operands)
    lines[at] = head + ", ".join(operands) + ")" + rest


def add_attribute(lines: Lines, chance: random.Random, _: tuple[str, ...]) -> None:
    added = chance.choice(ATTRIBUTES)
    _change_token(lines, chance, lambda t: f"{t} {added}", _any)


def change_character(lines: Lines, chance: random.Random, _: tuple[str, ...]) -> None:
    at = _place(lines, chance)
    k = chance.randrange(len(lines[at]) + 1)
    text = chance.choice(
        ("", '"', "{", "}", "(", ")", ",", "%", "@", "\\", "\t", "\0", "é", "x", "0")
    )
    lines[at] = lines[at][:k] + text + lines[at][k + chance.randrange(2) :]


# How often each is chosen.
MUTATORS: dict[Mutator, int] = {
    delete_lines: 3,
    repeat_line: 3,
    swap_lines: 4,
    delete_token: 2,
    repeat_token: 2,
    swap_tokens: 3,
    change_type: 4,
    change_type_everywhere: 6,
    change_number: 6,
    change_name: 9,
    operand_to_constant: 6,
    change_opcode: 8,
    cut: 1,
    splice: 3,
    add_function: 2,
    change_word: 5,
    change_operands: 5,
    add_attribute: 4,
    change_character: 2,
}


def drawn(texts: tuple[str, ...], chance: random.Random) -> str:
    """The shortest of three: small modules have all that the parser must know, and are through ten times as fast."""
    return min(chance.choices(texts, k=3), key=len)


def mutated(texts: tuple[str, ...], chance: random.Random) -> str:
    """One of the texts after one to three mutations."""
    lines = drawn(texts, chance).splitlines()
    for _ in range(chance.choice((1, 1, 1, 2, 2, 3))):
        mutator = chance.choices(list(MUTATORS), list(MUTATORS.values()))[0]
        if not lines:
            lines = [""]
        mutator(lines, chance, texts)
    return "\n".join(lines) + "\n"

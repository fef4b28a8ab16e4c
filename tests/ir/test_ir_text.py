"""Reading and printing: the corpus of syntax, names, speed, and errors that name the line."""

from __future__ import annotations

from pathlib import Path

import llvmlite.binding as llvm
import pytest

from enzyme.engine.ir.clone import clone_function
from enzyme.engine.ir.instructions import Call, Raw
from enzyme.engine.ir.lexer import quote_name, unescape
from enzyme.engine.ir.parser import parse_module
from enzyme.engine.ir.printer import print_function, print_instruction, print_module
from enzyme.engine.ir.types import I32
from enzyme.engine.ir.values import ConstInt
from enzyme.engine.ir.verifier import verify_module
from enzyme.errors import IRParseError
from tests.counting import calls

CORPUS = sorted((Path(__file__).parent / "corpus").glob("*.ll"))


def canonical(text: str) -> str:
    module = llvm.parse_assembly(text, context=llvm.create_context())
    module.verify()
    return str(module)


def test_corpus_is_large():
    assert len(CORPUS) >= 60


@pytest.mark.parametrize("path", CORPUS, ids=lambda p: p.stem)
def test_round_trip(path):
    """Equal in LLVM's own printing, read as written by hand and as printed by LLVM."""
    text = path.read_text()
    expected = canonical(text)
    for source in (text, expected):
        module = parse_module(source)
        verify_module(module)
        printed = print_module(module)
        assert canonical(printed) == expected
        assert print_module(parse_module(printed)) == printed


@pytest.mark.parametrize("path", CORPUS, ids=lambda p: p.stem)
def test_clones_are_accepted(path):
    module = parse_module(canonical(path.read_text()))
    for function in list(module.functions.values()):
        if function.blocks:
            clone_function(function, "copy." + function.name)
    verify_module(module)
    canonical(print_module(module))


BODY = "define i32 @f(i32 %x) {{\nentry:\n  {}\n  ret i32 %x\n}}\n"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("frobnicate i32 %x", "unknown instruction 'frobnicate'"),
        ("%y = frob i32 %x", "unknown instruction 'frob'"),
        ("%y = add i32 %x, %nowhere", "undefined value %nowhere"),
        ("%y = add frob i32 %x, 1", "unknown type 'frob'"),
        ("%y = add i64 %x, 1", "of type i32, not i64"),
        ("%y = add i32 %x 1", "expected ','"),
        ("%y = icmp weird i32 %x, 1", "unknown predicate"),
        ("%y = load i32, i32* null", "typed pointers"),
        ("%y = load i32, ptr @missing", "undefined symbol @missing"),
        ("%y = call i32 @missing(i32 1)", "undefined symbol @missing"),
        ("%y = atomicrmw frob ptr null, i32 1 seq_cst", "unknown operation"),
        ("%y = add i32 %x, 1, frob 3", "unexpected 'frob'"),
        ("%y = add i32 %x, 1.5", "expected a value of type i32"),
        ("%y = fadd double 1, 1.0", "expected a value of type double"),
        ("%x = add i32 1, 1", "%x is defined twice"),
        ("store i32 %x, ptr null, align x", "an alignment"),
        ("%y = store i32 1, ptr null", "cannot have a name"),
        ("br label %nowhere\nb:", "undefined block %nowhere"),
        ("ret i32 1\nentry:", "defined twice"),
        ("%y = extractvalue {i32} zeroinitializer, 1", "has no element 1"),
        ("%y = getelementptr frob i8, ptr null, i64 1", "unknown type"),
        ("call void null() frobnicating", "unknown instruction 'frobnicating'"),
        ("%y = add i32 ptrtoint frob (ptr null to i32), 1", "unknown word 'frob'"),
        ("#dbg_value(i32 %x, 5)", "unknown type '5'"),
    ],
)
def test_unknown_in_body(line, message):
    with pytest.raises(IRParseError) as caught:
        parse_module(BODY.format(line))
    assert message in str(caught.value)
    assert caught.value.line in (3, 4)
    assert caught.value.column > 0
    assert caught.value.text in BODY.format(line).split("\n")


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("\nfrob\n", 2, "unknown top-level construct 'frob'"),
        ("define void @f() {\n  ret void\n", 1, "bracket without its end"),
        ("define void @f() {\nentry:\n}", 3, "block without terminator"),
        ("define void @f() {\n}", 2, "function without blocks"),
        ("@g = frob", 1, "expected global"),
        ("@g = global i32 1 frob 3", 1, "unknown word 'frob'"),
        ("@g = global i32 1\n@g = global i32 2", 2, "defined twice"),
        ("@g = global frob 1", 1, "unknown type 'frob'"),
        ("@g = global ptr @h", 1, "undefined symbol @h"),
        ("@g = global i32* null", 1, "typed pointers"),
        ("attributes #0 = {\nnounwind }", 1, "one line"),
        ("!0 = !{\n!1 }", 1, "one line"),
        ("%t = type i32", 1, "must be a struct"),
        ("declare void @f() ~", 1, "unknown '~'"),
        ("declare i32 %f()", 1, "name of a function"),
    ],
)
def test_unknown_at_top(text, line, message):
    with pytest.raises(IRParseError) as caught:
        parse_module(text)
    assert message in str(caught.value)
    assert caught.value.line == line


def test_line_numbers_count_comments():
    with pytest.raises(IRParseError) as caught:
        parse_module("; one\n; two\ndefine void @f() { ; three\n\n  oops ; here\n}")
    assert (caught.value.line, caught.value.column) == (5, 3)


def test_every_deletion_of_a_token_is_an_error_or_kept():
    """No token may vanish: without it the text is refused, or LLVM prints something else too."""
    text = canonical((Path(__file__).parent / "corpus" / "memory.ll").read_text())
    lines = text.split("\n")
    for index, line in enumerate(lines):
        words = line.split(" ")
        for position in range(len(words)):
            if not words[position].strip():
                continue
            changed = " ".join(words[:position] + words[position + 1 :])
            mutant = "\n".join([*lines[:index], changed, *lines[index + 1 :]])
            try:
                printed = print_module(parse_module(mutant))
            except IRParseError:
                continue
            try:
                expected = canonical(mutant)
            except RuntimeError:
                continue
            assert canonical(printed) == expected, changed


def test_names():
    module = parse_module(
        'define i32 @f(i32 %0, i32 %"a b") {\n  %2 = add i32 %0, %"a b"\n'
        '  %"5" = add i32 %2, 1\n  %plain = add i32 %"5", 1\n  ret i32 %plain\n}'
    )
    function = module.functions["f"]
    assert [a.name for a in function.args] == ["", "a b"]
    assert [i.name for i in function.entry.instructions] == ["", "5", "plain", ""]
    assert function.entry.name == ""


def test_duplicate_and_numbered_names_are_told_apart():
    module = parse_module(
        "define i32 @f(i32 %x) {\nentry:\n  %y = add i32 %x, 1\n  %z = add i32 %y, 2\n"
        "  %z.1 = add i32 %z, 3\n  ret i32 %z.1\n}"
    )
    function = module.functions["f"]
    y, z, z1, _ = function.entry.instructions
    y.name = "z"
    z1.name = ""
    function.args[0].name = "entry"
    assert print_function(function).split("\n") == [
        "define i32 @f(i32 %entry) {",
        "entry.1:",
        "  %z = add i32 %entry, 1",
        "  %z.1 = add i32 %z, 2",
        "  %0 = add i32 %z.1, 3",
        "  ret i32 %0",
        "}",
    ]
    canonical(print_module(module))
    assert z.name == "z"


def test_quoting():
    for name in ("a", "a.b-c", "_x", ".5", "5", "a b", 'q"', "back\\slash", "é", "$x", "\x01raw"):
        quoted = quote_name(name)
        assert (unescape(quoted[1:-1]) if quoted[0] == '"' else quoted) == name
        canonical(f"@{quoted} = global i32 0")


def test_bundle_operands_are_uses():
    module = parse_module((Path(__file__).parent / "corpus" / "bundles.ll").read_text())
    function = module.functions["g"]
    call = next(i for i in function.instructions() if isinstance(i, Call) and i.bundles)
    assert function.args[0] in call.operands and call.arguments == call.operands[:1]
    call.replace_operand(function.args[0], function.args[1])
    assert '"align"(ptr %n' in print_instruction(call)
    assert call.callee_name == "llvm.assume"


def test_raw_instructions_follow_replacement():
    module = parse_module(
        "define i32 @f(ptr %p, i32 %v) {\n"
        "  %1 = atomicrmw add ptr %p, i32 %v seq_cst, align 4, !foo !0\n  ret i32 %1\n}\n!0 = !{}"
    )
    function = module.functions["f"]
    raw = function.entry.instructions[0]
    assert isinstance(raw, Raw) and raw.type is I32
    function.args[1].replace_uses_with(ConstInt(I32, 7))
    assert print_instruction(raw) == "%1 = atomicrmw add ptr %p, i32 7 seq_cst, align 4, !foo !0"


def test_wrapped_metadata_of_an_erased_value_is_poison():
    module = parse_module(
        "declare void @llvm.foo(metadata)\ndefine void @f(i32 %x) {\n  call void @llvm.foo(metadata i32 %y)\n"
        "  %y = add i32 %x, 1\n  ret void\n}"
    )
    call, add, _ = module.functions["f"].entry.instructions
    assert "metadata i32 %y" in print_instruction(call)
    add.erase()
    assert "metadata i32 poison" in print_instruction(call)


def test_work_is_linear():
    def text(count):
        body = "\n".join(
            f"  %a{k} = fmul double %a{k - 1}, 1.500000e+00\n"
            f"  %p{k} = getelementptr inbounds double, ptr %p, i64 {k}\n"
            f"  store double %a{k}, ptr %p{k}, align 8, !tbaa !0"
            for k in range(1, count + 1)
        )
        return f"define double @f(double %a0, ptr %p) {{\n{body}\n  ret double %a{count}\n}}\n!0 = !{{}}\n"

    def work(given):
        print_module(parse_module(given))

    small, large = (calls(work, text(count)) for count in (250, 1000))
    assert large < 4.1 * small

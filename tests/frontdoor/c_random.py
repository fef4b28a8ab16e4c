"""Draws programs in C: `f(double *x, double *y, double a, float b, int n, struct part *p)` and what it calls.

Loops, branches, arrays, structures, pointers, calls, pointers to functions, casts, unions, memory on stack and heap,
static globals, functions of `<math.h>`. All values stay small, and where a branch is taken on a number, both branches
are equal to first order at the border or the border is between fixed numbers, so that differences can be trusted;
what is drawn decides the structure only.
"""

# ruff: noqa: E501

from __future__ import annotations

import random

ITEMS = 6
# Without headers, which take longer to read than a program.
HEAD = """typedef unsigned long size_t;
void *malloc(size_t), *calloc(size_t, size_t), *memcpy(void *, const void *, size_t), *memmove(void *, const void *, size_t);
void free(void *);
double sin(double), cos(double), tanh(double), exp(double), sqrt(double), log(double), atan(double), fabs(double);
double erf(double), cbrt(double), pow(double, double), log1p(double), asinh(double), expm1(double), ldexp(double, int);
double floor(double), fma(double, double, double), atan2(double, double), hypot(double, double), fmax(double, double);
double fmin(double, double), copysign(double, double), fmod(double, double);
struct part { double v; float w; int k; double c[3]; };
struct node { double v; struct node *next; };
union cell { double d; long i; float f[2]; };
static double table[4] = {0.5, -0.25, 0.75, 1.25};
static int turns = 3;
"""
_UNARY = (
    "sin({0})", "cos({0})", "tanh({0})", "exp(-({0}) * ({0}))", "sqrt(1.5 + ({0}) * ({0}))", "log(2.0 + ({0}) * ({0}))",
    "atan({0})", "fabs({0})", "1.0 / (1.5 + ({0}) * ({0}))", "-({0})", "erf({0})", "cbrt(2.0 + sin({0}))",
    "pow(2.0 + sin({0}), 1.5)", "pow(1.0 + 0.1 * sin({0}), 3)", "log1p(0.5 + 0.25 * sin({0}))", "asinh({0})", "expm1(0.3 * sin({0}))",
    "square({0})", "(double)(float)({0})", "sin((float)({0}))", "ldexp({0}, -1)", "floor(0.3) + ({0})",
)  # fmt: skip
_BINARY = (
    "({0} + {1})", "({0} - {1})", "({0} * {1})", "({0} / (2.0 + {1} * {1}))", "fma({0}, {1}, 0.25)", "atan2({0}, 2.0 + {1} * {1})",
    "hypot({0}, 1.0 + fabs({1}))", "fmax({0}, {1})", "fmin({0}, {1})", "mix({0}, {1})", "pow(1.5 + 0.5 * sin({0}), {1} * 0.25)",
    "copysign({0}, 1.0 + {1} * {1})", "pick[{2}]({0}, {1})", "fmod(0.3 * sin({0}), 2.0) + {1}",
)  # fmt: skip
_HELPERS = """
static double square(double v) { return v * v * 0.5; }
static double mix(double u, double v) { return 0.75 * u + 0.25 * u * v; }
static double wave(double u, double v) { return sin(u) * cos(v); }
static double (*const pick[2])(double, double) = {mix, wave};
"""


class Function:
    """Writes the body of one function; `reals` can be read, `places` written, each an expression of C."""

    def __init__(self, chance: random.Random, helpers: list[str], depth: int) -> None:
        self.chance = chance
        self.helpers = helpers
        self.depth = depth
        self.lines: list[str] = []
        self.count = 0
        self.reals: list[str] = []
        self.places: list[str] = []
        self.arrays: list[str] = []
        self.frees: list[str] = []
        self.indices: list[str] = []

    def fresh(self, word: str) -> str:
        self.count += 1
        return f"{word}{self.count}"

    def index(self) -> str:
        """An index within the items of an array."""
        chance = self.chance
        if self.indices and chance.random() < 0.7:
            name = chance.choice(self.indices)
            return chance.choice(
                (
                    name,
                    f"({name} + {chance.randrange(6)}) % 6",
                    f"(5 - {name})",
                    f"({name} * 5) % 6",
                )
            )
        return str(chance.randrange(ITEMS))

    def atom(self) -> str:
        chance = self.chance
        kind = chance.random()
        if kind < 0.15:
            return repr(round(chance.uniform(-1.5, 1.5), 2))
        if kind < 0.45 and self.arrays:
            return f"{chance.choice(self.arrays)}[{self.index()}]"
        if kind < 0.5 and self.indices:
            return f"(0.1 * {chance.choice(self.indices)})"
        if kind < 0.55:
            return f"table[{chance.randrange(4)}]"
        return chance.choice(self.reals)

    def expression(self, depth: int = 2) -> str:
        chance = self.chance
        if depth == 0 or chance.random() < 0.2:
            return self.atom()
        kind = chance.random()
        if kind < 0.35:
            return chance.choice(_UNARY).format(self.expression(depth - 1))
        if kind < 0.42:
            u, v = self.atom(), self.expression(depth - 1)
            return f"({self.condition()} ? {u} : {v})"
        two = self.expression(depth - 1), self.expression(depth - 1)
        selector = (
            f"({chance.choice(self.indices)} & 1)" if self.indices else str(chance.randrange(2))
        )
        return chance.choice(_BINARY).format(*two, selector)

    def place(self) -> str:
        if self.arrays and self.chance.random() < 0.5:
            return f"{self.chance.choice(self.arrays)}[{self.index()}]"
        return self.chance.choice(self.places)

    def condition(self) -> str:
        chance = self.chance
        kind = chance.random()
        if kind < 0.5 and self.indices:
            return (
                f"{chance.choice(self.indices)} % {chance.choice((2, 3))} == {chance.randrange(2)}"
            )
        if kind < 0.7:
            return f"n > {chance.randrange(6)}"
        # Between numbers: at a border nobody comes near to.
        return f"{chance.choice(self.reals)} {chance.choice('<>')} {chance.choice((0.123456, -0.654321, 1.0987))}"

    def emit(self, text: str) -> None:
        self.lines.append(text)

    def assign(self) -> None:
        place = self.place()
        # Bounded, so that nothing grows in loops.
        value = self.expression(self.chance.choice((1, 2, 2, 3)))
        how = self.chance.choice(("=", "=", "+=", "-=", "damp", "damp", "*="))
        if how == "damp":
            self.emit(f"{place} = 0.5 * {place} + sin({value});")
        elif how == "*=":
            self.emit(f"{place} *= 0.5 + 0.4 * cos({value});")
        else:
            self.emit(f"{place} {how} tanh({value});")

    def block(self, size: int, nest: int) -> None:
        """Statements in a scope of their own."""
        reals, places, arrays = len(self.reals), len(self.places), len(self.arrays)
        frees = self.frees
        self.frees = []
        for _ in range(size):
            self.statement(nest)
        for name in self.reals[reals:]:
            if self.chance.random() < 0.5:
                self.emit(f"{self.chance.choice(self.places[:places])} += 0.3 * sin({name});")
        for name in reversed(self.frees):
            self.emit(f"free({name});")
        self.frees = frees
        del self.reals[reals:], self.places[places:], self.arrays[arrays:]

    def statement(self, nest: int) -> None:
        chance = self.chance
        makers = (
            [self.assign] * 5
            + [self.local] * 2
            + [self.local_array, self.structure, self.union, self.copy]
        )
        makers += [self.pointer, self.heap, self.out_call, self.nodes, self.float_array]
        if nest:
            makers += [lambda: self.loop(nest)] * 3 + [
                lambda: self.while_loop(nest),
                lambda: self.branch(nest),
            ]
            makers += [lambda: self.switch(nest)]
        chance.choice(makers)()

    def local(self) -> None:
        name, value = self.fresh("v"), self.expression()
        kind = self.chance.choice(("double", "double", "float"))
        self.emit(f"{kind} {name} = {value};")
        self.reals.append(name)
        self.places.append(name)

    def local_array(self) -> None:
        name, k = self.fresh("t"), self.fresh("k")
        value = self.atom()
        self.emit(f"double {name}[{ITEMS}];")
        self.emit(
            f"for (int {k} = 0; {k} < {ITEMS}; {k}++) {name}[{k}] = {value} * (0.5 + 0.1 * {k});"
        )
        self.arrays.append(name)

    def float_array(self) -> None:
        name, k = self.fresh("g"), self.fresh("k")
        value = self.atom()
        self.emit(f"float {name}[{ITEMS}] = {{0}};")
        self.emit(f"for (int {k} = 0; {k} < n; {k}++) {name}[{k}] = (float)({value}) * 0.5f;")
        self.arrays.append(name)

    def heap(self) -> None:
        name, k = self.fresh("h"), self.fresh("k")
        value = self.atom()
        made = self.chance.choice(
            (f"malloc({ITEMS} * sizeof(double))", f"calloc({ITEMS}, sizeof(double))")
        )
        self.emit(f"double *{name} = (double *){made};")
        self.emit(f"for (int {k} = 0; {k} < {ITEMS}; {k}++) {name}[{k}] = {value} - 0.1 * {k};")
        self.arrays.append(name)
        self.frees.append(name)

    def structure(self) -> None:
        name = self.fresh("s")
        a, b = self.atom(), self.atom()
        if self.chance.random() < 0.5:
            self.emit(f"struct part {name} = {{{a}, (float)({b}), 2, {{{a}, 0.5, {b}}}}};")
        else:
            self.emit(f"struct part {name}; {name}.v = {a}; {name}.w = {b}; {name}.k = n % 3;")
            self.emit(f"{name}.c[0] = {b}; {name}.c[1] = 0.25; {name}.c[2] = {a};")
        if self.chance.random() < 0.4:
            other = self.fresh("s")
            self.emit(f"struct part {other} = {name};")
            self.reals += [f"{other}.v", f"{other}.c[{name}.k % 3]"]
            self.places += [f"{other}.v", f"{other}.w", f"{other}.c[1]"]
        self.reals += [f"{name}.v", f"{name}.w", f"{name}.c[{name}.k]"]
        self.places += [f"{name}.v", f"{name}.c[2]", f"{name}.w"]

    def union(self) -> None:
        name, value = self.fresh("u"), self.expression()
        if self.chance.random() < 0.5:
            self.emit(f"union cell {name}; {name}.d = {value};")
            self.reals.append(f"{name}.d")
            self.places.append(f"{name}.d")
        else:
            self.emit(f"union cell {name}; {name}.f[0] = {value}; {name}.f[1] = {self.atom()};")
            self.reals += [f"{name}.f[0]", f"{name}.f[1]"]
            self.places += [f"{name}.f[0]", f"{name}.f[1]"]

    def copy(self) -> None:
        pairs = [a for a in self.arrays if a[0] != "g"]
        if len(pairs) < 2:
            return self.assign()
        first, second = self.chance.sample(pairs, 2)
        word = self.chance.choice(("memcpy", "memmove"))
        count = self.chance.choice((f"{ITEMS}", "3", "n"))
        self.emit(f"{word}({first}, {second}, {count} * sizeof(double));")
        return None

    def pointer(self) -> None:
        pairs = [a for a in self.arrays if a[0] != "g"]
        if not pairs:
            return self.assign()
        name = self.fresh("q")
        first, second = self.chance.choice(pairs), self.chance.choice(pairs)
        chosen = self.chance.choice(
            (
                f"{first} + {self.chance.randrange(3)}",
                f"&{first}[{self.index()}]",
                f"({self.condition()} ? {first} : {second})",
            )
        )
        self.emit(f"double *{name} = {chosen};")
        self.reals.append(f"*{name}")
        self.places.append(f"*{name}")
        if self.indices and self.chance.random() < 0.3:
            self.emit(f"if ({self.condition()}) {name} = {second};")
        return None

    def nodes(self) -> None:
        """A list of three, walked."""
        head, node, k = self.fresh("l"), self.fresh("m"), self.fresh("k")
        value, total = self.atom(), self.fresh("v")
        on_heap = self.chance.random() < 0.5
        self.emit(f"struct node *{head} = 0;")
        store = self.fresh("z")
        if not on_heap:
            self.emit(f"struct node {store}[3];")
        made = "(struct node *)malloc(sizeof(struct node))" if on_heap else f"&{store}[{k}]"
        self.emit(f"for (int {k} = 0; {k} < 3; {k}++) {{ struct node *{node} = {made};")
        self.emit(
            f"{node}->v = {value} * (1.0 + 0.2 * {k}); {node}->next = {head}; {head} = {node}; }}"
        )
        self.emit(f"double {total} = 0;")
        self.emit(
            f"for (struct node *{node} = {head}; {node}; {node} = {node}->next) {total} += sin({node}->v);"
        )
        if on_heap:
            self.emit(
                f"while ({head}) {{ struct node *{node} = {head}->next; free({head}); {head} = {node}; }}"
            )
        self.reals.append(total)

    def out_call(self) -> None:
        """A call of another function: `double helper(double *, double, int, double *out)`."""
        pairs = [a for a in self.arrays if a[0] != "g"]
        if not self.helpers or not pairs:
            return self.assign()
        out, got = self.fresh("o"), self.fresh("v")
        array = self.chance.choice(pairs)
        index = self.chance.choice(self.indices) if self.indices else "n"
        self.emit(f"double {out} = {self.atom()};")
        self.emit(
            f"double {got} = {self.chance.choice(self.helpers)}({array}, {self.expression(1)}, {index}, &{out});"
        )
        self.reals += [out, got]
        self.places.append(out)
        return None

    def loop(self, nest: int) -> None:
        name = self.fresh("i")
        bound = self.chance.choice(("n", "n", "4", "turns", "6"))
        if self.indices and self.chance.random() < 0.3:
            bound = f"{self.chance.choice(self.indices)} % 5 + 1"
        header = self.chance.choice(
            (
                f"for (int {name} = 0; {name} < {bound}; {name}++)",
                f"for (int {name} = {bound} - 1; {name} >= 0; {name}--)",
                f"for (long {name} = 0; {name} < {bound}; {name} += 2)",
            )
        )
        self.emit(header + " {")
        self.indices.append(name)
        if self.chance.random() < 0.25:
            word = self.chance.choice(("break", "continue"))
            self.emit(f"if ({self.condition()}) {word};")
        self.block(self.chance.choice((1, 2, 2, 3)), nest - 1)
        self.indices.pop()
        self.emit("}")

    def while_loop(self, nest: int) -> None:
        name = self.fresh("w")
        self.emit(f"int {name} = 0;")
        do = self.chance.random() < 0.4
        test = f"{name} < {self.chance.choice(('n', '3', '5'))}"
        if self.chance.random() < 0.4:
            test += f" && {self.chance.choice(self.reals)} < 0.98765"
        self.emit("do {" if do else f"while ({test}) {{")
        self.emit(f"{name}++;")
        self.block(self.chance.choice((1, 2)), nest - 1)
        self.emit(f"}} while ({test});" if do else "}")

    def branch(self, nest: int) -> None:
        self.emit(f"if ({self.condition()}) {{")
        self.block(self.chance.choice((1, 2)), nest - 1)
        if self.chance.random() < 0.6:
            self.emit("} else {")
            self.block(self.chance.choice((1, 2)), nest - 1)
        self.emit("}")

    def switch(self, nest: int) -> None:
        on = self.chance.choice(self.indices) if self.indices else "n"
        self.emit(f"switch ({on} % 4) {{")
        for case in self.chance.sample(range(4), 3):
            self.emit(f"case {case}: {{")
            self.block(1, nest - 1)
            self.emit("}" if self.chance.random() < 0.3 else "} break;")
        self.emit("default: {")
        self.block(1, nest - 1)
        self.emit("} }")


def program(seed: object) -> str:
    """The text of `f` and its helpers."""
    chance = random.Random(str(seed))
    text = HEAD + _HELPERS
    helpers: list[str] = []
    for k in range(chance.choice((0, 1, 1, 2, 3))):
        inner = Function(chance, list(helpers), 0)
        inner.reals, inner.places, inner.arrays = ["a", "*out"], ["a", "*out"], ["x"]
        inner.block(chance.choice((2, 3, 4)), 1)
        value = inner.expression(1)
        body = "\n".join(inner.lines)
        attribute = chance.choice(("", "static ", "__attribute__((noinline)) static "))
        early = "if (n > 40) return a;\n" if chance.random() < 0.3 else ""
        text += f"{attribute}double helper{k}(double *x, double a, int n, double *out) {{\nn = n % 6;\n{early}{body}\nreturn {value};\n}}\n"
        helpers.append(f"helper{k}")
    main = Function(chance, helpers, 0)
    main.reals = ["a", "b", "p->v", "p->w", "p->c[1]"]
    main.places = ["a", "p->v", "p->w", "p->c[1]", "result"]
    main.arrays = ["x", "y"]
    main.reals.append("result")
    main.emit("double result = 0.25 * a;")
    main.block(chance.choice((3, 5, 7, 9)), chance.choice((1, 2, 3)))
    main.emit(f"result += {main.expression(2)};")
    body = "\n".join(main.lines)
    return (
        text
        + f"double f(double *x, double *y, double a, float b, int n, struct part *p) {{\n{body}\nreturn result;\n}}\n"
    )


DRIVERS = """
struct numbers { double a; float b; };
struct numbers __enzyme_autodiff(void *, double *, double *, double *, double *, double, float, int, struct part *, struct part *);
double __enzyme_fwddiff(void *, double *, double *, double *, double *, double, double, float, float, int, struct part *, struct part *);
void reverse(double *x, double *dx, double *y, double *dy, double a, double *da, float b, float *db, int n, struct part *p, struct part *dp) {
  struct numbers r = __enzyme_autodiff((void *)f, x, dx, y, dy, a, b, n, p, dp);
  *da = r.a;
  *db = r.b;
}
double forward(double *x, double *dx, double *y, double *dy, double a, double da, float b, float db, int n, struct part *p, struct part *dp) {
  return __enzyme_fwddiff((void *)f, x, dx, y, dy, a, da, b, db, n, p, dp);
}
"""

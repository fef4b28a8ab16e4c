"""Functions of numpy, and arrays of other kinds of numbers."""

from __future__ import annotations

from tests.fuzz.expressions import Scope
from tests.fuzz.statements import Feature, Made, Statements


def new_vector(w: Statements, s: Scope, *options: str) -> Made:
    name = w.name("made")
    return [f"{name} = {w.one(options)}"], s.plus(vectors=[name])


def new_number(w: Statements, s: Scope, *options: str) -> Made:
    name = w.name("r")
    return [f"{name} = {w.one(options)}"], s.plus(wild=[name])


# --- functions of numpy ---------------------------------------------------------------------------


def whole(w: Statements, s: Scope) -> Made:
    """A new vector."""
    v, u = w.one(s.vectors), w.one(s.vectors)
    return new_vector(
        w,
        s,
        f"np.roll({v}, {w.index(s, 3)})",
        f"np.where({v} > {w.leaf(s)}, {v}, {u})",
        f"np.clip({v}, -0.4, 0.6)",
        f"np.concatenate(({v}[:2], {u}[2:]))",
        f"np.linspace({w.leaf(s)}, {w.leaf(s)}, 5)",
        f"squash({v}, {w.one([u, '0.2'])})",
        f"np.full(5, {w.leaf(s)})",
        f"np.flip({v})",
        f"np.array([math.sin(e) * {w.one(s.scalars)} for e in {v}])",
    )


def poured(w: Statements, s: Scope) -> Made:
    """An array of another length or of large values, which goes into a vector."""
    v, u, g = w.one(s.vectors), w.one(s.vectors), w.one(s.grids)
    how = w.one(
        [
            f"np.diff({v}.copy())",
            f"np.cumsum({v})",
            f"np.cumprod({v})",
            f"np.outer({v}, {u})[1]",
            f"np.convolve({v}, {u}[:3])",
            f"np.concatenate(({v}, {u}[1:3]))",
            f"np.append({v}, {u})",
            f"np.repeat({v}, 2)",
            f"np.sum({g}, axis={w.one([1, 0])})",
            f"np.diag({g}[:3, :3])",
            f"np.stack(({v}, {u}))[:, 2]",
        ]
    )
    return [f"pour({w.one(s.vectors)}, {how})"], s


def reduced(w: Statements, s: Scope) -> Made:
    """A number from an array."""
    v, g = w.one(s.vectors), w.one(s.grids)
    return new_number(
        w,
        s,
        f"{v}.prod()",
        f"{v}.min()",
        f"{v}.max()",
        f"{v}.mean()",
        f"{g}.sum()",
        f"{v}.var()",
        f"np.array([{w.leaf(s)}, {w.leaf(s)}, 9.0]).std()",
        f"np.interp({w.leaf(s)}, np.array([-1.0, 0.1, 2.0]), {v}[:3].astype(np.float64))",
        f"np.trace({g}[:, 1:])",
        f"np.sqrt(1.0 + {w.leaf(s)} ** 2) + np.maximum({w.leaf(s)}, 0.1)",
    )


def place_of_extreme(w: Statements, s: Scope) -> Made:
    k, v = w.name("k"), w.one(s.vectors)
    return [f"{k} = {w.one([f'np.argmax({v})', f'np.argmin({v})'])}"], s.plus(
        integers=[k], positions=[k]
    )


def ordered(w: Statements, s: Scope) -> Made:
    """A new vector, sorted."""
    v, name = w.one(s.vectors), w.name("sorted")
    how = w.one([f"np.sort({v})", f"{v}[np.argsort({v})]"])
    lines = [f"{name} = {how}"]
    s = s.plus(vectors=[name])
    if w.chance(40):
        k = w.name("k")
        lines.append(f"{k} = np.searchsorted({name}, {w.leaf(s)})")
        s = s.plus(integers=[k])
    return lines, s


def dear_number(w: Statements, s: Scope) -> Made:
    v = w.one(s.vectors)
    return new_number(
        w,
        s,
        f"np.median({v})",
        f"np.nansum({v})",
        f"sorted([{w.leaf(s)} * 1.0, {w.leaf(s)} * 1.0])[0]",
    )


def dot(w: Statements, s: Scope) -> Made:
    g, v, i, j = w.one(s.grids), w.one(s.vectors), w.name("i"), w.name("j")
    total = w.name("dot")
    return [
        f"for {i} in range(3):",
        f"    {total} = 0.0",
        f"    for {j} in range(4):",
        f"        {total} += {g}[{i}, {j}] * {v}[{j}]",
        f"    {w.element(s.plus(positions=[i]))} = math.sin({total})",
    ], s


# --- other kinds of numbers -----------------------------------------------------------------------


def complex_number(w: Statements, s: Scope) -> Made:
    z = w.name("z")
    e, f = w.expression(s, 1), w.leaf(s)
    lines = [f"{z} = complex({e}, 1.5 + {f} * {f})"]
    form = w.one(["product", "quotient", "conjugate", "power"])
    lines.append(
        {
            "product": f"{z} = {z} * complex({w.leaf(s)}, 0.4)",
            "quotient": f"{z} = complex(0.5, {w.leaf(s)}) / {z}",
            "conjugate": f"{z} = {z}.conjugate() + 0.5j * {z}",
            "power": f"{z} = {z} * {z} + 1j * {w.leaf(s)}",
        }[form]
    )
    parts = [f"{z}.real", f"{z}.imag", f"(abs({z}) ** 2)", f"abs({z})"]
    lines.append(f"{w.element(s)} = math.sin({w.one(parts)})")
    return lines, s.plus(wild=parts)


def complex_array(w: Statements, s: Scope) -> Made:
    z, i = w.name("z"), w.name("i")
    inner = s.plus(positions=[i], integers=[i])
    return [
        f"{z} = np.zeros(5, np.complex128)",
        f"for {i} in range(5):",
        f"    {z}[{i}] = complex({w.leaf(inner)}, {w.leaf(inner)}) * (1.0 + 0.5j)",
    ], s.plus(atoms=[f"{z}[{w.index(s, 5)}].real"], wild=[f"({z}[1] * {z}[2]).imag"])


def rounded(w: Statements, s: Scope) -> Made:
    h, i = w.name("h"), w.name("i")
    return [
        f"{h} = np.zeros(5, np.float32)",
        f"for {i} in range(5):",
        f"    {h}[{i}] = {w.bounded(s.plus(positions=[i], integers=[i]))}",
    ], s.plus(vectors=[h])


def missing(w: Statements, s: Scope) -> Made:
    """An array filled with nan, in part overwritten."""
    m, i, test = w.name("m"), w.name("i"), w.one(["math", "np"])
    inner = s.plus(positions=[i], integers=[i])
    return [
        f"{m} = np.full(5, np.nan)",
        f"{m}[1] = {w.bounded(s)}",
        f"for {i} in range(5):",
        f"    if {w.condition(inner)}:",
        f"        {m}[{i}] = {w.bounded(inner)}",
        f"    if not {test}.isnan({m}[{i}]):",
        f"        {w.element(inner)} = {m}[{i}] * 0.9",
    ], s


FEATURES = [
    Feature(dot),
    Feature(missing),
    Feature(complex_number),
    Feature(complex_array),
    *[Feature(reduced)] * 3,
    Feature(place_of_extreme),
    *[Feature(whole)] * 3,
    *[Feature(poured)] * 3,
    Feature(rounded, dear=True),
    Feature(ordered, dear=True),
    Feature(dear_number, dear=True),
]

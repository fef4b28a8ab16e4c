"""Random programs: Python source of a function that the engine must differentiate.

Every value that is stored is bounded (it went through sin, tanh, ... or an average), so loops
neither overflow nor leave the domain of a function; every `while` has a counter beside its
condition on data.  Simple choices stand first in every list, which is what hypothesis shrinks to.
Not generated: exceptions that are caught, calls of linear algebra libraries.
"""

from __future__ import annotations

import re
from typing import Any

from hypothesis import strategies as st

from tests.fuzz import arrays, calls, complexes, containers, objects, ruled, views
from tests.fuzz.expressions import Scope
from tests.fuzz.helpers import HEAD, HELPERS
from tests.fuzz.program import Program, from_text
from tests.fuzz.statements import Statements

__all__ = ["Program", "from_text", "programs"]

FEATURES = [
    *calls.FEATURES,
    *views.FEATURES,
    *arrays.FEATURES,
    *objects.FEATURES,
    *containers.FEATURES,
    *complexes.FEATURES,
    *ruled.FEATURES,
]

# Options of `njit`, without blanks.
OPTIONS = [
    'error_model="numpy"',
    "boundscheck=True",
    "nogil=True",
    "fastmath=True",
    'inline="always"',
    "parallel=True",
]

# At most so many statements: small programs are many per hour, large ones let constructs meet.
SIZES = [3, 6, 12]

# What a program may begin with: things that are then used everywhere.
OPENINGS = [f for f in objects.FEATURES + containers.FEATURES + complexes.FEATURES if f.opens]


@st.composite
def programs(draw: Any) -> Program:
    """A random program."""
    # Rarely: the primal must then be compiled as well, and finite differences mean nothing.
    single = draw(st.integers(0, 9)) == 9
    layout = draw(st.sampled_from(["C", "C", "F", "A", "overlap"]))
    returns = draw(st.integers(0, 5)) < 5
    size = draw(st.sampled_from(SIZES))
    writer = Statements(draw, single, returns, size, dear=1, features=FEATURES)
    scope = Scope(
        scalars=("s", "t"),
        vectors=("x", "w"),
        owned=("x", "w") if layout != "A" else ("w",),
        grids=("y",),
        integers=("n",),
    )
    body = ["    s = 0.5 * a", "    t = b * 1.0", "    w = x.copy()"]
    for _ in range(writer.one([0, 1, 2])):
        lines, scope = writer.one(OPENINGS).make(writer, scope)
        body += ["    " + line for line in lines]
    body += writer.block(scope, "    ")
    while writer.budget > 0 and writer.chance(85):
        body += writer.block(scope, "    ")
    if returns:
        body.append(f"    return {writer.expression(scope)} * 1.0")
    text = "\n".join(body) + "\n"
    parts = "".join(part.text for part in writer.parts)
    if "np.random" in parts + text:
        text = "    np.random.seed(3)\n" + text
    text = parts + "@njit\ndef program(x, y, a, b, n):\n" + text
    used = [helper for name, helper in HELPERS.items() if re.search(rf"\b({name})\b", text)]
    source = "\n".join([HEAD, *used, text])
    options = draw(st.sampled_from(OPTIONS)) if draw(st.integers(0, 3)) == 3 else ""
    special = draw(st.sampled_from(["", "", "", "", "kinks", "kinks", "infinite"]))
    if "fastmath" in options and ("np.nan" in source or special == "infinite"):
        options = ""  # it promises that there are no such numbers
    return Program(source, single, layout, draw(st.integers(0, 3)), options, special)

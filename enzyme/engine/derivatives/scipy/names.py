"""How the names of special functions begin in IR: those of SciPy's, and those that we have made."""

PREFIX = "scipy."
OURS = "enzyme.special."

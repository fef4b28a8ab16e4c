"""Machine code of the special functions that derivatives need and SciPy has not: `engine.derivatives.scipy` calls them.

Each is a function in Python that numba compiles when a derivative that calls it is loaded, and a piece
(`frontend.pieces`): compiled once per process, or taken from disk.
"""

"""What holds for the doctests of all packages; the tests have settings of their own."""

from __future__ import annotations

import importlib.util


def pytest_ignore_collect(collection_path):
    """Leave out the examples in modules for packages that are not installed."""
    inside = collection_path.parts[-3:-1] == ("enzyme", "interop") and collection_path.is_dir()
    return True if inside and importlib.util.find_spec(collection_path.name) is None else None

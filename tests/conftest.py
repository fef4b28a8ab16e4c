"""Settings that hold for every test.

Compiled code must come from this run and never from an earlier one, so caches on disk go to a
folder that dies with the test process.  The hypothesis profile is chosen by the environment
variable HYPOTHESIS_PROFILE: `dev` (default), `ci` or `fuzz`.

Most derivatives are compiled quickly, see `effort`; in tests marked `optimised` all get what users get. In one test of
ten the IR is verified after every stage, see `stages`.  Of large tables a share runs, see `rotation`.
"""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import tempfile
import zlib

import hypothesis
import pytest

from tests import rotation
from tests.memory import poison

# Set at import, not in a fixture: numba and the disk cache read the environment once.
_cache = tempfile.mkdtemp(prefix="enzyme-tests-")
atexit.register(shutil.rmtree, _cache, ignore_errors=True)
os.environ["NUMBA_CACHE_DIR"] = _cache
os.environ["XDG_CACHE_HOME"] = _cache
# A folder in which derivatives are kept from run to run, to see that it makes no difference.
if "ENZYME_TESTS_KEPT" in os.environ:
    os.environ["ENZYME_CACHE_DIR"] = os.environ["ENZYME_TESTS_KEPT"]
if poison.SWITCH in os.environ:
    poison.settle_in()

# One example may compile several functions: no deadline, and slow generation is no failure.
_common = {
    "deadline": None,
    "suppress_health_check": [hypothesis.HealthCheck.too_slow],
    "print_blob": True,
}
hypothesis.settings.register_profile("dev", max_examples=20, **_common)
hypothesis.settings.register_profile("ci", max_examples=30, derandomize=True, **_common)
hypothesis.settings.register_profile(
    "fuzz", max_examples=int(os.environ.get("FUZZ_EXAMPLES", "2000")), **_common
)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))


def pytest_addoption(parser):
    parser.addoption("--sample", action="store_true", help="run a few tests of every file")


# With --sample, at least one test of a file, and one in so many; of the files of doctests, one in so many.
TESTS_IN, DOCTEST_FILES_IN = 80, 8


def pytest_collection_modifyitems(config, items):
    """Leave out what has its turn on another day, and for --sample most of the rest."""
    rest = rotation.rest_today(items)
    if config.getoption("--sample"):
        rest |= {item.nodeid for item in items} - _sample(items)
    config.hook.pytest_deselected(items=[item for item in items if item.nodeid in rest])
    items[:] = [item for item in items if item.nodeid not in rest]


def _sample(items) -> set[str]:
    """The few tests of --sample; a hash of their names decides, so it is the same ones every time."""
    files: dict[object, list[pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("slow") is None:
            files.setdefault(item.path, []).append(item)
    kept: set[str] = set()
    for path, found in files.items():
        names = sorted((item.nodeid for item in found), key=_hash)
        if not isinstance(found[0], pytest.DoctestItem) or _hash(path.name) % DOCTEST_FILES_IN == 0:
            kept.update(names[: max(1, len(names) // TESTS_IN)])
    return kept


def _hash(name: str) -> int:
    return zlib.crc32(name.encode())


_file = None


def _set_aside(path):
    """Between two files: let the garbage collector never look again at what is alive now.

    Functions of a test module and what they were compiled to stay to the end; looking through millions of objects in
    every collection took a third of the time of a whole run.
    """
    global _file
    if path != _file:
        _file = path
        gc.collect()
        gc.freeze()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    from enzyme.backend import passes
    from tests.effort import hurry_numba, options_for
    from tests.stages import verifying

    hurry_numba()

    _set_aside(item.path)
    marked = item.get_closest_marker("optimised") is not None
    options = passes.POST_DEFAULT if marked else options_for(item.nodeid)
    verified = verifying(item.nodeid, item.get_closest_marker("unverified") is None)
    with passes.compiling_with(options), verified:
        return (yield)

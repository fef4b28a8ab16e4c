"""Settings that hold for every test.

Compiled code must come from this run and never from an earlier one, so caches on disk go to a
folder that dies with the test process.  The hypothesis profile is chosen by the environment
variable HYPOTHESIS_PROFILE: `dev` (default), `ci` or `fuzz`.
"""

from __future__ import annotations

import atexit
import os
import shutil
import tempfile

import hypothesis

# Set at import, not in a fixture: numba and the disk cache read the environment once.
_cache = tempfile.mkdtemp(prefix="enzyme-tests-")
atexit.register(shutil.rmtree, _cache, ignore_errors=True)
os.environ["NUMBA_CACHE_DIR"] = _cache
os.environ["ENZYME_CACHE_DIR"] = _cache

# One example may compile several functions: no deadline, and slow generation is no failure.
_common = {
    "deadline": None,
    "suppress_health_check": [hypothesis.HealthCheck.too_slow],
    "print_blob": True,
}
hypothesis.settings.register_profile("dev", max_examples=20, **_common)
hypothesis.settings.register_profile("ci", max_examples=60, derandomize=True, **_common)
hypothesis.settings.register_profile(
    "fuzz", max_examples=int(os.environ.get("FUZZ_EXAMPLES", "2000")), **_common
)
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "dev"))

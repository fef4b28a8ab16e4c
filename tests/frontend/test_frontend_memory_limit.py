"""The pool keeps an eighth of what the process may have."""

from __future__ import annotations

import resource

import pytest

from enzyme.frontend.memory_limit import share_of_memory

MIB = 1 << 20


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@pytest.mark.parametrize(
    ("told", "files", "least"),
    [
        ("0::/a/b\n", {"a/b/memory.max": 80 * MIB, "a/memory.max": 160 * MIB}, 80),
        ("0::/a/b\n", {"a/b/memory.max": "max", "a/memory.max": 160 * MIB}, 160),
        ("0::/a\n", {"memory.max": 40 * MIB}, 40),
        ("3:cpu,memory:/c\n1:name=x:/d\n", {"memory/c/memory.limit_in_bytes": 16 * MIB}, 16),
        ("", {"memory/memory.limit_in_bytes": 24 * MIB}, 24),
    ],
)
def test_groups_of_processes(told, files, least, tmp_path):
    for name, limit in files.items():
        write(tmp_path / "groups" / name, f"{limit}\n")
    write(tmp_path / "process", told)
    assert share_of_memory(tmp_path / "groups", tmp_path / "process") == least * MIB // 8


def test_the_process_and_the_machine(tmp_path, monkeypatch):
    nowhere = tmp_path / "nowhere"
    whole = share_of_memory(nowhere, nowhere)
    assert whole > 32 * MIB
    monkeypatch.setattr(resource, "getrlimit", lambda _: (80 * MIB, resource.RLIM_INFINITY))
    assert share_of_memory(nowhere, nowhere) == 10 * MIB
    assert 0 < share_of_memory() <= 10 * MIB

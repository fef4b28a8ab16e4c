"""A folder of entries that are found by digest. Whatever is wrong with it, it is as if there were nothing in it.

An entry is one file: a mark, a checksum, and the content, which is unpickled. So it is only read if this user wrote it
and nobody else can. Files appear whole, under their name or not at all; the oldest go when there are too many bytes.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import re
import secrets
import stat
import time
from pathlib import Path

from enzymecore.record import record

_logger = logging.getLogger("enzyme")
_MARK = b"enzyme derivative 1\n"
_SUFFIX, _UNFINISHED = ".derivative", ".unfinished"
_OURS = re.compile(r"[0-9a-f]{64}(\.[\w ]+)?\.derivative|[0-9a-f]{16}\.unfinished")
_HOUR = 3600.0
# Neither follow a link nor wait for somebody to write.
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
MOST_BYTES = 1 << 29


@record
class Store:
    """The entries in one folder, and how many bytes they may have together.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     store = Store(Path(folder))
    ...     store.write("abc", b"content")
    ...     store.read("abc"), store.read("abd")
    (b'content', None)
    """

    folder: Path
    most_bytes: int = MOST_BYTES

    def _path(self, key: str) -> Path:
        return self.folder / f"{key}{_SUFFIX}"

    def read(self, key: str) -> bytes | None:
        """The content of an entry; None if there is none that can be trusted."""
        path = self._path(key)
        try:
            handle = os.open(path, _FLAGS)
            try:
                if not _is_ours(os.fstat(handle)):
                    _logger.warning("%s is not used: others can write it", path)
                    return None
                data = _all_of(handle)
                with contextlib.suppress(OSError):
                    os.utime(handle)  # what is used stays
            finally:
                os.close(handle)
        except OSError:
            return None
        head = len(_MARK) + hashlib.sha256().digest_size
        content = data[head:]
        if data[:head] != _head(key, content):
            _logger.warning("%s is damaged, and made anew", path)
            return None
        return content

    def write(self, key: str, content: bytes) -> None:
        """Keep an entry, if that can be done."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            unfinished = self.folder / f"{secrets.token_hex(8)}{_UNFINISHED}"
            handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            try:
                with open(handle, "wb") as file:
                    file.write(_head(key, content) + content)
                os.replace(unfinished, self._path(key))
            except BaseException:
                with contextlib.suppress(OSError):
                    unfinished.unlink()
                raise
            self._make_room()
        except OSError as error:
            _logger.warning("nothing is kept in %s: %s", self.folder, error)

    def drop(self, key: str) -> None:
        """Forget an entry."""
        with contextlib.suppress(OSError):
            self._path(key).unlink()

    def _make_room(self) -> None:
        """Remove the entries that nobody has used for longest, and what a process left behind that died writing."""
        found = []
        with os.scandir(self.folder) as entries:
            for entry in entries:
                if _OURS.fullmatch(entry.name):
                    with contextlib.suppress(OSError):
                        about = entry.stat(follow_symlinks=False)
                        found.append((about.st_mtime, about.st_size, entry.path))
        total = sum(size for _, size, _ in found)
        late = time.time() - _HOUR
        for used, size, path in sorted(found):
            died = path.endswith(_UNFINISHED) and used < late
            if died or (total > self.most_bytes and not path.endswith(_UNFINISHED)):
                with contextlib.suppress(OSError):
                    os.unlink(path)
                total -= size

    def size(self) -> tuple[int, int]:
        """How many entries there are, and how many bytes they have."""
        try:
            sizes = [path.stat().st_size for path in self.folder.glob(f"*{_SUFFIX}")]
        except OSError:
            return 0, 0
        return len(sizes), sum(sizes)


def _head(key: str, content: bytes) -> bytes:
    """What an entry begins with; the key is in it, so that files cannot be taken for each other."""
    return _MARK + hashlib.sha256(key.encode() + b"\n" + content).digest()


def _all_of(handle: int) -> bytes:
    """What is in a file."""
    with open(handle, "rb", closefd=False) as file:
        return file.read()


def _is_ours(about: os.stat_result) -> bool:
    """Can nobody but this user, and the administrator, have written a file?"""
    if not stat.S_ISREG(about.st_mode):
        return False
    if not hasattr(os, "geteuid"):
        return True
    return about.st_uid == os.geteuid() and not about.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


__all__ = ["MOST_BYTES", "Store"]

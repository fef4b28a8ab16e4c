"""Writes `docs/opcodes.md`: ``python -m tests.opcodes.document``."""

from __future__ import annotations

from pathlib import Path

from enzyme.engine.synthesis.answers import document

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "opcodes.md"

if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")

"""tests/bare.sh, which CI runs: what it says where it cannot work."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("user", "text"), [("1000", "Run this as root"), ("0", "Debian package: mmdebstrap")]
)
def test_it_says_what_it_needs(tmp_path: Path, user: str, text: str) -> None:
    """On a path with the fewest programs, one of which says who the user is."""
    (tmp_path / "id").write_text(f"#!/bin/sh\necho {user}\n", encoding="utf-8")
    (tmp_path / "id").chmod(0o755)
    (tmp_path / "dirname").symlink_to("/usr/bin/dirname")
    done = subprocess.run(
        ["/bin/bash", ROOT / "tests" / "bare.sh"],
        env={**os.environ, "PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert text in done.stderr
    assert len(done.stderr.splitlines()) == 1

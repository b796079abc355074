"""The guide of `log` shows what the program prints."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

GUIDE = Path(__file__).resolve().parents[3] / "docs/guide/log.md"
CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.slow
def test_each_line_that_the_guide_shows_is_printed(tmp_path: Path) -> None:
    lines = [
        line for block in CONSOLE.findall(GUIDE.read_text("utf-8")) for line in block.split("\n")
    ]
    script = "\n".join(line[2:] for line in lines if line[:2] in ("$ ", "> "))
    shown = [line for line in lines if line and line[:2] not in ("$ ", "> ")]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script],
        cwd=tmp_path,
        env=os.environ | {"PATH": path, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert len(shown) >= 3
    assert [line for line in shown if line not in done.stdout] == []

"""A Python that Heapscope starts takes no module from the current folder, a stranger's perhaps."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from heapscope.base.child_process import SAFE_PATH, python_module, run, safe_children

#: Modules of the standard library that each of the processes imports, and those by other names.
NAMES = sorted(
    {*sys.stdlib_module_names, "heapscope", "ziglang", "esp_kconfiglib", "distributed", "dask"}
    - {"encodings", "codecs", "_sitebuiltins"}
)


@pytest.fixture
def strange(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The current folder, whose every module leaves a mark."""
    for name in NAMES:
        text = f"import os\nos.close(os.open({str(tmp_path / 'MARK')!r}, os.O_CREAT | os.O_RDWR))\n"
        (tmp_path / f"{name}.py").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(SAFE_PATH, raising=False)
    return tmp_path / "MARK"


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("heapscope.config.kconfig_worker", ("Kconfig", "answer.json")),
        ("heapscope", ("--version",)),
        ("ziglang", ("version",)),
    ],
)
def test_a_module_that_is_started_takes_none_from_the_current_folder(
    strange: Path, module: str, arguments: tuple[str, ...]
) -> None:
    run(python_module(module, *arguments), capture_output=True)
    assert not strange.exists()
    assert "-P" in python_module(module)


def test_processes_of_a_library_take_none_either(strange: Path) -> None:
    """They begin as those of multiprocessing: Python with a text, in this process's environment."""
    command = [sys.executable, "-c", "import json, tempfile"]
    with safe_children():
        subprocess.run(command, check=True)
    assert not strange.exists()
    assert SAFE_PATH not in os.environ
    subprocess.run(command, check=False, capture_output=True)
    assert strange.exists()  # the trap works


@pytest.mark.slow
def test_a_sweep_in_a_strangers_folder_runs_none_of_its_code(
    strange: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    script = tmp_path_factory.mktemp("ours") / "script.py"
    script.write_text(
        "from heapscope.fleet.sweep.cluster import local_cluster\n"
        "if __name__ == '__main__':\n"
        "    with local_cluster(1) as client:\n"
        "        client.submit(int, 1).result()\n",
        encoding="utf-8",
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr
    assert not strange.exists()

"""A second decoder, written from SPEC.md alone, reads what the lab's decoder reads: the golden
traces, and random recordings of the recorder that ships, over lines that lose and change bytes."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from needs import c_compiler
from second_decoder import read

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
RECORDINGS = 40
GOLDEN = sorted((ROOT / "format/golden/v1").glob("*.hst"))


@pytest.mark.parametrize("path", GOLDEN, ids=[path.stem for path in GOLDEN])
def test_a_golden_trace_reads_as_its_text(path: Path) -> None:
    assert read(path.read_bytes()) == path.with_suffix(".txt").read_text("ascii")


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    recorder, device = ROOT / "tests/recorder", ROOT / "device"
    sources = [
        *(recorder / name for name in ("recordings/recordings.c", "device.c", "line.c")),
        *(HERE / name for name in ("reading.c", "stream.c")),
        *(device / "src/recorder").glob("*.c"),
        *(device / "src/trace").glob("*.c"),
        *(ROOT / "lab/native/trace").glob("*.c"),
    ]
    flags = ["-std=c11", "-O1", f"-I{device}/include", f"-I{ROOT}/lab/native", f"-I{recorder}"]
    flags += ["-DHS_RECORDER_CORES=2", '-DHS_RECORDER_PORT="port_for_tests.h"']
    built = tmp_path_factory.mktemp("recordings") / "recordings"
    subprocess.run([*c_compiler(), *flags, *map(str, sources), "-o", str(built)], check=True)
    return built


def test_random_recordings_read_alike(program: Path, seed: int, tmp_path: Path) -> None:
    command = [str(program), str(seed), str(RECORDINGS), str(tmp_path)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    whole = damaged = snapshots = totals = 0
    for path in sorted(tmp_path.glob("*.hst")):
        wanted = path.with_suffix(".txt").read_text("ascii")
        assert read(path.read_bytes()) == wanted, f"recording {path.stem} of seed {seed}"
        whole += "\nhealth lost_chunks 0\n" in wanted
        damaged += "\nhealth skipped_bytes 0\n" not in wanted
        snapshots += wanted.count(" snapshot_end ")
        totals += wanted.count(" lost_kind key 8 ")
    assert whole > 4
    assert damaged > 10
    assert snapshots > RECORDINGS
    assert totals > RECORDINGS  # in front of snapshots

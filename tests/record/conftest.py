"""Programs in C, made once, and their recordings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from recording.programs import Build, Recorded, build_in

from heapscope.capture.record.recording import RecordResult
from heapscope.capture.record.session import RecordOptions, record


@pytest.fixture(scope="session")
def build(tmp_path_factory: pytest.TempPathFactory) -> Build:
    """build("threads"), build("calls", "-m32"), build("calls", musl=True): the program's path."""
    folder = tmp_path_factory.mktemp("programs")
    return lambda name, *flags, musl=False: build_in(folder, name, *flags, musl=musl)


@pytest.fixture
def recorded(tmp_path: Path) -> Recorded:
    """recorded(program, argument, ..., out=..., drop=True): what the recording gave."""

    def run(*command: object, **settings: object) -> RecordResult:
        options = RecordOptions(out=str(settings.pop("out", tmp_path / "T.hst")))
        return record([str(word) for word in command], replace(options, **settings))

    return run

"""A file is replaced whole, and the next run removes the part that a killed one left."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from heapscope.base.errors import InputError
from heapscope.base.output import open_output
from heapscope.base.whole_file import whole_file, write_whole

POSIX = pytest.mark.skipif(sys.platform == "win32", reason="links, pipes and locks of POSIX")
WRITER = (
    "import sys, time\n"
    "from pathlib import Path\n"
    "from heapscope.base.whole_file import whole_file\n"
    "with whole_file(Path(sys.argv[1])) as file:\n"
    "    file.write(b'half'); file.flush(); print('begun', flush=True); time.sleep(600)\n"
)


@contextmanager
def writing(target: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another process, in the middle of the file."""
    command = [sys.executable, "-c", WRITER, str(target)]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"begun\n"
        try:
            yield process
        finally:
            process.kill()


def parts(folder: Path) -> list[Path]:
    return sorted(folder.glob(".*.part"))


def test_what_a_killed_run_left_is_removed_by_the_next_one(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    target.write_bytes(b"old")
    with writing(target) as process:
        process.kill()
        process.wait()
    assert (len(parts(tmp_path)), target.read_bytes()) == (1, b"old")
    write_whole(target, b"new")
    assert (parts(tmp_path), target.read_bytes()) == ([], b"new")


def test_what_a_run_still_writes_is_left_to_it(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    with writing(target):
        write_whole(target, b"new")
        assert [path.read_bytes() for path in parts(tmp_path)] == [b"half"]
    assert target.read_bytes() == b"new"


@POSIX
def test_only_files_of_its_own_name_are_removed(tmp_path: Path) -> None:
    target = tmp_path / "page.html"
    kept = [".page.html.0123456.part", ".page.html.0123456z.part", ".other.01234567.part"]
    for name in kept:
        (tmp_path / name).write_bytes(b"")
    (tmp_path / ".page.html.01234567.part").symlink_to(".other.01234567.part")
    os.mkfifo(tmp_path / ".page.html.89abcdef.part")
    write_whole(target, b"new")
    assert {path.name for path in parts(tmp_path)} == {
        *kept,
        ".page.html.01234567.part",
        ".page.html.89abcdef.part",
    }


@POSIX
def test_a_run_whose_file_was_taken_for_a_left_one_begins_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the moments at which it makes the file and locks it."""
    taken = [tmp_path]

    def lock(file: object) -> None:
        if taken:
            taken.pop()
            parts(tmp_path)[0].unlink()

    monkeypatch.setattr("heapscope.base.whole_file.lock", lock)
    write_whole(tmp_path / "page.html", b"new")
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]


@POSIX
def test_a_file_is_on_the_disk_before_it_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "page.html"
    flushed: list[tuple[bool, bool]] = []
    monkeypatch.setattr(os, "fsync", lambda number: flushed.append((number > 2, target.exists())))
    write_whole(target, b"new")
    assert flushed == [(True, False), (True, True)]  # the file, then the folder


@pytest.mark.parametrize(("error", "kept"), [(errno.ENOSPC, False), (errno.EINVAL, True)])
def test_a_disk_that_refuses_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: int, *, kept: bool
) -> None:
    """A system of files that flushes none writes all the same."""
    target = tmp_path / "page.html"
    target.write_bytes(b"old")

    def refuse(number: int) -> None:
        raise OSError(error, os.strerror(error))

    monkeypatch.setattr(os, "fsync", refuse)
    if kept:
        write_whole(target, b"new")
    else:
        with pytest.raises(OSError, match="No space"), whole_file(target) as file:
            file.write(b"new")
    assert target.read_bytes() == (b"new" if kept else b"old")
    assert parts(tmp_path) == []


def test_the_longest_name_has_room_for_what_is_added(tmp_path: Path) -> None:
    name = "\U0001f600" * 63  # 252 bytes of the 255
    write_whole(tmp_path / name, b"new")
    assert (tmp_path / name).read_bytes() == b"new"


@POSIX
def test_places_that_take_no_file_are_named(tmp_path: Path) -> None:
    loop = tmp_path / "loop"
    loop.symlink_to("loop")
    (tmp_path / "file").write_bytes(b"")
    for place, stated in (
        (loop, "Too many levels of symbolic links"),
        (loop / "x", "Too many levels of symbolic links"),
        (tmp_path, "is a folder"),
        (tmp_path / "none" / "x", "there is no such folder"),
        (tmp_path / "file" / "x", "there is no such folder"),
    ):
        with pytest.raises(InputError, match=stated), open_output(place) as write:
            write(b"new")


@POSIX
def test_the_file_of_standard_output_is_standard_output(tmp_path: Path) -> None:
    """It is not replaced under the feet of what is printed to it."""
    script = (
        "import sys\n"
        "from heapscope.base.output import open_output\n"
        "for name in ('/dev/stdout', sys.argv[1], '-'):\n"
        "    with open_output(name) as write: write(b'written\\n')\n"
        "print('printed')\n"
    )
    out = tmp_path / "out.txt"
    with out.open("wb") as file:
        command = [sys.executable, "-c", script, str(out)]
        subprocess.run(command, stdout=file, check=True)
    assert out.read_bytes() == b"written\nwritten\nwritten\nprinted\n"


@POSIX
def test_a_pipe_is_written_to_and_its_reader_may_leave(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with open_output(pipe) as write:
        write(b"new")
    assert os.read(reader, 9) == b"new"
    os.close(reader)

    def written() -> None:
        left = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        with open_output(pipe) as write:
            os.close(left)
            write(b"x" * 100_000)

    with pytest.raises(InputError, match="Broken pipe"):
        written()
    assert pipe.is_fifo()

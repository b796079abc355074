"""`import`: every line in, whole files out."""

from __future__ import annotations

import io
import stat
import sys
from pathlib import Path

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from heapscope import __version__
from heapscope.base import output
from heapscope.base.errors import HeapscopeError, InputError
from heapscope.base.output import open_output
from heapscope.capture.left_out import BadLine
from heapscope.capture.line_forms import import_text
from heapscope.capture.line_import import ImportResult
from heapscope.trace.info import read_info


def write(folder: Path, content: str | bytes, name: str = "in.txt") -> Path:
    file = folder / name
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    return file


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


def test_events_and_origin_are_in_the_trace(tmp_path: Path) -> None:
    result = import_text(write(tmp_path, "a 7 100\nf 7\n", "prog.txt"), tmp_path / "T.hst")
    assert (result.lines, result.events, result.bad_lines) == (2, 2, 0)
    assert result.messages == ()
    assert result.bytes_written == (tmp_path / "T.hst").stat().st_size
    assert read_info(tmp_path / "T.hst").metadata == {
        "word_size": "4",
        "source": "text",
        "recorder": f"heapscope {__version__}",
        "program": "prog",
    }


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_last_line_may_lack_its_end(tmp_path: Path, end: str) -> None:
    source = write(tmp_path, end.join(["a 0 100", "f 0"]))
    assert import_text(source, tmp_path / "T.hst").events == 2


def test_compressed_text_is_read_and_a_zst_name_compresses(tmp_path: Path) -> None:
    text = "".join(f"a {i} 100\n" for i in range(50_000)).encode()
    source = write(tmp_path, zstandard.compress(text), "big.txt.zst")
    result = import_text(source, tmp_path / "T.hst.zst")
    packed = (tmp_path / "T.hst.zst").read_bytes()
    assert packed[:4] == b"\x28\xb5\x2f\xfd"
    assert len(packed) < result.bytes_written
    info = read_info(tmp_path / "T.hst.zst")
    assert (info.events.total, info.metadata["program"]) == (50_000, "big")


def test_the_first_bad_line_is_reported_by_number_and_safe_text(tmp_path: Path) -> None:
    source = write(tmp_path, b"a 0 100\n\nnonsense \x1b[31m\xff\na x y\nf 0\n")
    result = import_text(source, tmp_path / "T.hst")
    assert (result.events, result.bad_lines) == (2, 2)
    reason = "it does not have this form"
    assert result.first_bad == BadLine(number=3, reason=reason, text="nonsense \\x1b[31m\\xff")
    assert "first line 3: nonsense" in result.messages[0]


def test_a_reused_id_is_counted_with_its_line(tmp_path: Path) -> None:
    result = import_text(write(tmp_path, "a 0 100\na 0 200\n"), tmp_path / "T.hst")
    assert (result.ids_reused, result.first_reused) == (1, 2)
    assert "first in line 2" in result.messages[0]


@pytest.mark.parametrize(
    ("content", "what"),
    [
        (b"", "is empty"),
        (b"# only\nt comments\n! and marks\n", "no allocation"),
        (b"hello\nworld\n", "line 1: hello"),
        (b"\x7fELF" + bytes(200), "ELF"),
        (b"I (243) heap_init: Initializing.\n", "boot log"),
    ],
)
def test_an_input_without_events_is_an_error_and_leaves_nothing(
    tmp_path: Path, content: bytes, what: str
) -> None:
    source = write(tmp_path, content)
    with pytest.raises(InputError, match="not one event") as caught:
        import_text(source, tmp_path / "T.hst")
    assert what in caught.value.message
    assert names(tmp_path) == ["in.txt"]


def test_a_trace_given_as_text_is_recognised(tmp_path: Path) -> None:
    import_text(write(tmp_path, "a 0 100\n"), tmp_path / "T.hst")
    with pytest.raises(InputError, match="is a trace already") as caught:
        import_text(tmp_path / "T.hst", tmp_path / "U.hst")
    assert "heapscope replay" in caught.value.remedy


def test_a_damaged_input_is_imported_up_to_the_damage(tmp_path: Path) -> None:
    text = "".join(f"a {i} {i * 7919 % 5000 + 1}\n" for i in range(100_000)).encode()
    packed = zstandard.compress(text)
    source = write(tmp_path, packed[: len(packed) // 2], "cut.zst")
    result = import_text(source, tmp_path / "T.hst")
    assert 0 < result.events < 100_000
    assert result.source_loss is not None
    assert result.source_loss.offset == len(packed) // 2
    assert "cut off" in result.messages[0]


def test_the_old_file_stays_when_the_import_fails(tmp_path: Path) -> None:
    out = write(tmp_path, b"precious", "T.hst")
    with pytest.raises(InputError):
        import_text(write(tmp_path, "nothing\n"), out)
    assert out.read_bytes() == b"precious"
    assert names(tmp_path) == ["T.hst", "in.txt"]


def test_an_interruption_leaves_nothing(tmp_path: Path) -> None:
    def interrupt(done: int, total: int | None) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_text(write(tmp_path, "a 0 1\n"), tmp_path / "T.hst", progress=interrupt)
    assert names(tmp_path) == ["in.txt"]


def test_the_output_must_not_be_the_input(tmp_path: Path) -> None:
    source = write(tmp_path, "a 0 100\n")
    (tmp_path / "link").symlink_to(source)
    for out in (source, tmp_path / "link", tmp_path / "." / "in.txt"):
        with pytest.raises(InputError, match="is the input"):
            import_text(source, out)
    assert source.read_text() == "a 0 100\n"


def test_an_output_that_cannot_be_is_named(tmp_path: Path) -> None:
    source = write(tmp_path, "a 0 100\n")
    with pytest.raises(InputError, match="is a folder"):
        import_text(source, tmp_path)
    with pytest.raises(InputError, match="no such folder"):
        import_text(source, tmp_path / "gone" / "T.hst")


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "T.hst").symlink_to(tmp_path / "real" / "T.hst")
    import_text(write(tmp_path, "a 0 100\n"), tmp_path / "T.hst")
    assert (tmp_path / "T.hst").is_symlink()
    assert read_info(tmp_path / "real" / "T.hst").events.total == 1


@pytest.mark.skipif(sys.platform == "win32", reason="no modes there")
def test_the_file_has_the_mode_of_any_new_file(tmp_path: Path) -> None:
    import_text(write(tmp_path, "a 0 100\n"), tmp_path / "T.hst")
    (tmp_path / "other").touch()
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("T.hst", "other")]
    assert modes[0] == modes[1]


@pytest.mark.skipif(sys.platform != "linux", reason="needs /dev/full")
def test_a_full_disk_is_reported(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No space left") as caught:
        import_text(write(tmp_path, "a 0 100\n"), "/dev/full")
    assert "room" in caught.value.remedy
    assert Path("/dev/full").is_char_device()


@pytest.mark.skipif(sys.platform == "win32", reason="needs /dev/null")
def test_a_device_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    import_text(write(tmp_path, "a 0 100\n"), "/dev/null")
    assert Path("/dev/null").is_char_device()


def test_standard_output_takes_the_trace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stdout = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", stdout)
    import_text(write(tmp_path, "a 0 100\n"), "-")
    import_text(tmp_path / "in.txt", tmp_path / "T.hst")
    assert stdout.buffer.getvalue() == (tmp_path / "T.hst").read_bytes()


def test_standard_input_has_no_program_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(b"a 0 100\n")), encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", stdin)
    assert import_text("-", tmp_path / "T.hst").file == "standard input"
    assert "program" not in read_info(tmp_path / "T.hst").metadata


def test_a_failing_write_in_the_middle_leaves_nothing(tmp_path: Path) -> None:
    def fail() -> None:
        with open_output(tmp_path / "T.hst") as write_bytes:
            write_bytes(b"some")
            raise OSError(28, "No space left on device")

    with pytest.raises(InputError, match="cannot be written: No space"):
        fail()
    assert names(tmp_path) == []


def test_the_temporary_file_lies_beside_the_output(tmp_path: Path) -> None:
    with open_output(tmp_path / "T.hst") as write_bytes:
        write_bytes(b"x")
        (name,) = names(tmp_path)
        assert name.startswith(".T.hst.")
        assert name.endswith(".part")
    assert names(tmp_path) == ["T.hst"]
    assert output.STDOUT == "-"


LINE = st.one_of(
    st.builds(lambda i, n: f"a {i} {n}".encode(), st.integers(0, 9), st.integers(0, 1 << 33)),
    st.builds(lambda i: f"f {i}".encode(), st.integers(0, 9)),
    st.builds(lambda i, n: f"r {i} {n}".encode(), st.integers(0, 9), st.integers(0, 1 << 33)),
    st.binary(max_size=60),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(lines=st.lists(LINE, max_size=30))
def test_any_bytes_as_text_raise_nothing_but_our_errors(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
) -> None:
    folder = tmp_path_factory.mktemp("any")
    source = write(folder, b"\n".join(lines))
    done = imported(source, folder / "T.hst")
    if isinstance(done, ImportResult):
        assert read_info(folder / "T.hst").events.total == done.events
    else:
        assert done.message
        assert done.remedy
        assert names(folder) == ["in.txt"]


def imported(source: Path, out: Path) -> ImportResult | HeapscopeError:
    try:
        return import_text(source, out)
    except HeapscopeError as error:
        return error

"""Layouts that a user writes, and every mistake in them named with its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from heapscope.base.capabilities import parse
from heapscope.base.errors import HeapscopeError, InputError
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.toml_file import read_layout

FULL = """\
# A board with PSRAM.
name = "my board"
chip = "esp32"
sdk = "5.5"
order = "size"
allocator = "idf-4.2"
request_max = 0x40_0000

[malloc]
small = "DEFAULT|INTERNAL"
threshold = 16384
large = "DEFAULT|SPIRAM"
fallback = "DEFAULT"

[[region]]
start = 0x3F80_0000
size = 0x40_0000
kind = "SPIRAM"
caps = ["SPIRAM|DEFAULT", "", "8BIT|32BIT"]
allocator = "idf-5.5+light"

[[region]]
start = 0x3FFE_0440
size = 15072
kind = "D/IRAM"
caps = ["", "DMA|8BIT|INTERNAL|DEFAULT", "32BIT|EXEC"]
startup_use = 0
startup_stack = true
iram_alias = true
optional = true
"""


def load(folder: Path, text: str | bytes) -> Layout:
    file = folder / "F.toml"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_layout(file)


def test_every_key_is_taken(tmp_path: Path) -> None:
    layout = load(tmp_path, FULL)
    assert (layout.name, layout.chip, layout.sdk) == ("my board", "esp32", "5.5")
    assert layout.request_max == 4 << 20
    assert layout.malloc.threshold == 16384
    assert layout.malloc.large == parse("DEFAULT|SPIRAM")
    assert layout.malloc.fallback == parse("DEFAULT")
    small, psram = layout.regions  # by size
    assert (small.start, small.size, small.kind) == (0x3FFE0440, 15072, "D/IRAM")
    assert small.caps == (0, parse("DMA|8BIT|INTERNAL|DEFAULT"), parse("32BIT|EXEC"))
    assert (small.allocator, psram.allocator) == ("idf-4.2", "idf-5.5+light")
    assert (small.startup_stack, small.iram_alias, small.optional) == (True, True, True)
    assert (psram.startup_stack, psram.iram_alias, psram.optional) == (False, False, False)


def test_a_start_and_a_size_are_enough(tmp_path: Path) -> None:
    layout = load(tmp_path, "[[region]]\nstart = 0x20000000\nsize = 65536\n")
    (region,) = layout.regions
    assert (region.kind, region.allocator) == ("RAM", "idf-5.5")
    assert region.caps == (parse("8BIT|32BIT|DMA|INTERNAL|DEFAULT"), 0, 0)
    assert layout.malloc.small == parse("DEFAULT|INTERNAL")
    assert layout.name == layout.source == str(tmp_path / "F.toml")


@pytest.mark.parametrize(
    ("order", "first"), [("listed", 0x2000), ("address", 0x1000), ("size", 0x2000)]
)
def test_the_order_is_as_given(tmp_path: Path, order: str, first: int) -> None:
    text = f'order = "{order}"\n'
    text += "[[region]]\nstart = 0x2000\nsize = 1024\n[[region]]\nstart = 0x1000\nsize = 2048\n"
    assert load(tmp_path, text).regions[0].start == first


def test_malloc_may_be_one_set(tmp_path: Path) -> None:
    text = 'malloc = "8BIT"\n[[region]]\nstart = 0\nsize = 64\n'
    assert load(tmp_path, text).malloc.small == 4


def broken(old: str, new: str) -> str:
    assert old in FULL
    return FULL.replace(old, new, 1)


MISTAKES = [
    (broken('name = "my', 'nme = "my'), "line 2: nme: unknown key", "did you mean name?"),
    (broken("size = 0x40", "sise = 0x40"), "line 17: region 1, sise: unknown key", "mean size"),
    (broken("size = 15072", "siez = 15072"), "line 24: region 2, siez: unknown key", "mean size"),
    (broken("threshold", "treshold"), "line 11: malloc, treshold: unknown key", "threshold"),
    (broken("size = 15072", 'size = "15072"'), "line 24: region 2, size: is a string", "a number"),
    (broken("size = 15072", "size = 15072.0"), "line 24: region 2, size: is a fraction", "number"),
    (broken("size = 15072", "size = true"), "line 24: region 2, size: is true or false", "number"),
    (broken("size = 15072", "size = 15074"), "size: 0x3ae2 is not a multiple of 4", "round"),
    (broken("size = 15072", "size = 60"), "line 24: region 2, size: 60 is out of range", "64 to"),
    (broken("size = 15072", "size = -4"), "size: -4 is out of range", "64 to"),
    (broken("size = 15072", "size = 4294967296"), "size: 4294967296 is out of range", "64 to"),
    (broken("size = 15072\n", ""), "line 22: region 2, size: missing", "add size"),
    (broken("start = 0x3FFE_0440", "start = 0x3FFE_0442"), "0x3ffe0442 is not a multiple", "round"),
    (broken("start = 0x3FFE_0440", "start = 1_0000_0000_0000"), "start: .*out of range", "0 to"),
    (
        broken("start = 0x3FFE_0440", "start = 0x3FBF_FFFC"),
        "line 23: region 2, start: .*inside reg",
        "",
    ),
    (broken("start = 0x3FFE_0440", "start = 0xFFFF_FF00"), "ends behind the 32-bit space", ""),
    (broken('"idf-5.5+light"', '"idf-9"'), "line 20: region 1, allocator: unknown", "idf-4.2"),
    (broken('"idf-4.2"', '"best"'), "line 6: allocator: unknown allocator 'best'", "idf-4.2"),
    (broken('"8BIT|32BIT"]', '"9BIT"]'), "line 19: region 1, caps: unknown cap.*9BIT", "8BIT"),
    (broken('"8BIT|32BIT"]', '"", ""]'), "line 19: region 1, caps: 4 priorities", "1 to 3"),
    (broken('"8BIT|32BIT"]', "5]"), "line 19: region 1, caps: is a number", "8BIT"),
    (broken('["SPIRAM|DEFAULT", "", "8BIT|32BIT"]', '""'), "line 19: region 1, caps: none", ""),
    (broken('"size"\n', '"random"\n'), "line 5: order: unknown 'random'", "listed, address, size"),
    (broken("startup_stack = true", "startup_stack = 1"), "startup_stack: is a number", "true"),
    (broken('kind = "D/IRAM"', 'kind = ""'), "line 25: region 2, kind: 0 characters", "1 to 100"),
    (broken('kind = "D/IRAM"', "kind = 5"), "line 25: region 2, kind: is a number", "a string"),
    (broken("[malloc]", "[[malloc]]"), "malloc: is a list", "8BIT"),
    ("malloc = 5\n[[region]]\nstart = 0\nsize = 64\n", "line 1: malloc: is a number", "8BIT"),
    ('name = "x"\n', "region: missing", "[[region]]"),
    ("region = 5\n", "line 1: region: is a number", "[[region]] tables"),
    ("region = [5]\n", "line 1: region: is a list", "[[region]] tables"),
    ("[[region]\n", "not TOML: .*line 1", "toml.io"),
    ("size = " + "9" * 5000, "not TOML", "toml.io"),
    ("x = " + "[" * 100_000, "not TOML: nested too deep", "toml.io"),
    (b'name = "\xff"', "not UTF-8 at byte 8", "UTF-8"),
    ("", "region: missing", "[[region]]"),
    ("#" * (2 << 20), "more than 1 MiB, too long for a layout", "layout"),
    ("\x7fELF" + "\0" * 100, "not TOML", ""),
]


@pytest.mark.parametrize(("text", "message", "remedy"), MISTAKES, ids=lambda value: None)
def test_a_mistake_is_named_with_its_place(
    tmp_path: Path, text: str | bytes, message: str, remedy: str
) -> None:
    with pytest.raises(InputError, match=message) as caught:
        load(tmp_path, text)
    assert str(tmp_path / "F.toml") in caught.value.message
    assert remedy in caught.value.remedy
    assert caught.value.remedy


def test_more_regions_than_can_be_replayed_are_an_error(tmp_path: Path) -> None:
    text = "".join(f"[[region]]\nstart = {i * 64}\nsize = 64\n" for i in range(33))
    with pytest.raises(InputError, match="33 regions, at most 32"):
        load(tmp_path, text)


def test_hostile_text_in_a_file_is_escaped(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        load(tmp_path, '"\\u001b[31m" = 1\n')
    assert "\x1b" not in caught.value.message
    layout = load(tmp_path, 'name = "\\u001b[31m"\n[[region]]\nstart = 0\nsize = 64\n')
    assert layout.name == "\\x1b[31m"


def test_a_byte_order_mark_does_not_matter(tmp_path: Path) -> None:
    assert load(tmp_path, b"\xef\xbb\xbf" + FULL.encode()).name == "my board"


VALUE = st.recursive(
    st.one_of(
        st.integers(-(1 << 70), 1 << 70).map(str),
        st.booleans().map(lambda flag: str(flag).lower()),
        st.sampled_from(['"8BIT|DMA"', '"idf-4.2"', '"size"', "1.5", "nan", "1979-05-27", '""']),
        st.text(st.characters(codec="ascii", categories=("L", "N")), max_size=9).map(repr),
    ),
    lambda inner: st.lists(inner, max_size=4).map(lambda items: "[" + ",".join(items) + "]"),
    max_leaves=4,
)
KEYS = ["name", "order", "allocator", "malloc", "start", "size", "kind", "caps", "startup_use", "x"]
LINE = st.one_of(
    st.just("[[region]]"),
    st.sampled_from(["[malloc]", "[region]", "start = 0x20000000", "size = 4096"]),
    st.builds(lambda key, value: f"{key} = {value}", st.sampled_from(KEYS), VALUE),
)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    content=st.one_of(
        st.binary(max_size=200), st.lists(LINE, max_size=12).map(lambda ls: "\n".join(ls).encode())
    )
)
def test_any_bytes_as_a_layout_raise_nothing_but_our_errors(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    error = error_of(tmp_path_factory.mktemp("any"), content)
    assert error is None or (error.message and error.remedy)


def error_of(folder: Path, content: bytes) -> HeapscopeError | None:
    try:
        load(folder, content)
    except HeapscopeError as error:
        return error
    return None

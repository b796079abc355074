"""Rules that a user writes, and every mistake in them named with its place."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from heapscope.base.errors import InputError
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.place_file import read_placement
from heapscope.simulation.replay.run import replay

from .conftest import ReadRules, Story, malloc, two_regions

FULL = """\
# a heap for TLS
[[private]]
name = "tls"
size = "24KB"
allocator = "idf-4.2+light"
from = "DRAM"

[[private]]
name = "fixed"
size = 0x1000
start = 0x2000_0000

[[rule]]
task = ["tls", "mbed*"]
site = "ssl.c:*"
heap = [0, "lwip"]
size = ["1KB", 20000]
private = "tls"
fallback = true

[[rule]]
min = "16KB"
region = "0x00080000"

[[rule]]
max = 64
private = "fixed"
"""


def test_every_key_is_taken(rules: ReadRules) -> None:
    result = rules(FULL)
    tls, fixed = result.heaps
    assert (tls.name, tls.size, tls.allocator, tls.start) == ("tls", 24576, "idf-4.2+light", None)
    assert tls.taken_from == (0, 1)
    assert (fixed.size, fixed.start, fixed.taken_from) == (4096, 1 << 29, ())
    first, second, third = result.rules
    assert (first.tasks, first.sites, first.heaps) == (("tls", "mbed*"), ("ssl.c:*",), (0, "lwip"))
    assert (first.size_min, first.size_max) == (1024, 20000)
    assert (first.regions, first.fallback) == ((3,), True)
    assert (second.regions, second.fallback) == ((1,), True)
    assert (third.regions, third.fallback) == ((4,), False)
    assert first.conditions == (
        "task tls or mbed*, site ssl.c:*, heap 0 or lwip, size 1,024 to 20,000"
    )
    assert second.conditions == "size from 16,384"
    assert third.conditions == "size 0 to 64"
    assert result.by_name
    assert not rules('[[rule]]\nregion = "DRAM"').by_name


def broken(old: str, new: str) -> str:
    assert old in FULL
    return FULL.replace(old, new, 1)


@pytest.mark.parametrize(
    ("text", "message", "remedy"),
    [
        ("", "rule: missing", "[[rule]]"),
        ("rule = 5", "rule: is a number", "[[rule]]"),
        ("[[rule]]\nregion = 'DRAM'\n[[rules]]", "line 3: rules: unknown key", "rule?"),
        ("[[rule]\n", "not TOML", "toml.io"),
        ("a = " + "[" * 5000, "not TOML", "correct it"),
        (
            broken('from = "DRAM"', 'from = "DRM"'),
            "line 6: private 1, from: unknown region",
            "dram?",
        ),
        (broken('"24KB"', '"24XB"'), "line 4: private 1, size: '24XB' is not", "64KB"),
        (broken('"24KB"', "-1"), "line 4: private 1, size: -1 is out of range", "give 16"),
        (broken('"24KB"', "true"), "line 4: private 1, size: is true or false", "a number"),
        (broken('size = "24KB"\n', ""), "line 2: private 1, size: missing", "size ="),
        (broken('"idf-4.2+light"', '"idf-4.2+lite"'), "line 5: private 1, allocator", "valid"),
        (broken('name = "fixed"', 'name = "tls"'), "line 9: private 2, name: 'tls'", "otherwise"),
        (broken('name = "fixed"\n', ""), "line 8: private 2, name: missing", "NAME"),
        (
            broken("0x2000_0000", "0x0001_0000"),
            "line 11: private 2, start: 0x00010000 to",
            "from =",
        ),
        (broken("0x2000_0000", "0xFFFF_F000"), "line 10: private 2, size: it ends", "smaller"),
        (broken("0x2000_0000", "3"), "line 11: private 2, start: 0x3 is not a multiple", "round"),
        (broken("start = 0x2000_0000", 'start = 4\nfrom = "DRAM"'), "from is there too", "leave"),
        (broken('private = "fixed"', 'private = "fxed"'), "line 27: rule 3, private", "fixed?"),
        (broken('private = "fixed"', 'region = "DRAM"'), "no rule places anything", "[[rule]]"),
        (
            broken('private = "fixed"\n', ""),
            "line 25: rule 3, region: or private",
            "one of region, private and pool",
        ),
        (broken("max = 64", 'max = 64\nregion = "DRAM"'), "rule 3, region: and private", "one of"),
        (
            broken("0x00080000", "0x00080001"),
            "rule 2, region: unknown region '0x00080001'",
            "valid",
        ),
        (broken("0x00080000", "IRM"), "rule 2, region: unknown region 'IRM'", "did you mean iram?"),
        (broken('region = "0x00080000"', "region = 5"), "rule 2, region: is a number", "a string"),
        (broken('["tls", "mbed*"]', "[]"), "line 14: rule 1, task: 0 names", "give 1"),
        (broken('["tls", "mbed*"]', "[5]"), "line 14: rule 1, task: is a number", "a name"),
        (broken('"ssl.c:*"', '""'), "line 15: rule 1, site: 0 characters", "give 1"),
        (broken('[0, "lwip"]', "-1"), "line 16: rule 1, heap: -1 is out of range", "0 to 65535"),
        (broken('[0, "lwip"]', "65536"), "line 16: rule 1, heap", "0 to 65535"),
        (broken('["1KB", 20000]', "[1, 2, 3]"), "line 17: rule 1, size: is a list", "two sizes"),
        (broken('["1KB", 20000]', '"1KB"'), "line 17: rule 1, size: is a string", "two sizes"),
        (broken('["1KB", 20000]', '[9, "8"]'), "line 17: rule 1, size: 9 is above 8", "first"),
        (broken('["1KB", 20000]', "[0, 4294967296]"), "out of range", "4294967295"),
        (broken('min = "16KB"', "min = 5\nmax = 4"), "rule 2, max: 4 is out of range", "give 5"),
        (broken('min = "16KB"', "min = 5\nsize = [1, 2]"), "rule 2, min: size is there", "leave"),
        (
            broken("fallback = true", 'fallback = "yes"'),
            "line 19: rule 1, fallback",
            "true or false",
        ),
        (broken("fallback = true", "falback = true"), "falback: unknown key", "fallback?"),
        ("[[rule]]\nregion = 'DRAM'\n" * 65, "65 rules, at most 64", "patterns"),
    ],
)
def test_a_mistake_is_named_with_its_place(
    rules: ReadRules, text: str, message: str, remedy: str
) -> None:
    with pytest.raises(InputError) as caught:
        rules(text)
    assert "rules.toml" in caught.value.message
    assert message in caught.value.message
    assert remedy in caught.value.remedy


def test_a_file_that_is_not_there_or_no_text_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_placement(tmp_path / "gone.toml", two_regions())
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="not UTF-8"):
        read_placement(tmp_path / "bytes.toml", two_regions())
    (tmp_path / "large.toml").write_bytes(b"#" * (2 << 20))
    with pytest.raises(InputError, match="more than 1 MiB, too long for rules"):
        read_placement(tmp_path / "large.toml", two_regions())


VALUES = st.recursive(
    st.sampled_from(['"DRAM"', '"a"', '"x*"', "0", "-1", "64", '"1KB"', "true", "1.5", "1e400"])
    | st.sampled_from(["99999999999999999999", '""', "[]", "{}", "1979-05-27", '"\\u0000"', '"["']),
    lambda inner: st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
    max_leaves=4,
)
KEYS = st.sampled_from(
    [
        *("task", "site", "heap", "size", "min", "max", "region", "private", "fallback"),
        *("name", "from", "start", "allocator", "rule", "x"),
    ]
)
TABLES = st.tuples(
    st.sampled_from(["[[rule]]", "[[rule]]", "[[private]]", "[rule]", "[[x]]", ""]),
    st.dictionaries(KEYS, VALUES, max_size=5),
).map(lambda table: "\n".join([table[0], *(f"{key} = {value}" for key, value in table[1].items())]))


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(text=st.lists(TABLES, max_size=4).map("\n".join) | st.text(max_size=60))
def test_any_file_is_taken_or_refused_in_words(tmp_path: Path, text: str) -> None:
    """A file that is taken can be replayed, or a message says that the layout cannot hold it."""
    file = tmp_path / "any.toml"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    trace = tmp_path / "T.hst"
    if not trace.exists():
        Story(events=[malloc(0, 16)], names={}).write(trace)
    try:
        replay(trace, two_regions(), placement=read_placement(file, two_regions()))
    except InputError as error:
        stated = (error.message, error.remedy)
        assert all(stated)


# ---- heaps that a layout cannot hold -------------------------------------------------------------


def refused(tmp_path: Path, text: str, layout: Layout | None = None) -> InputError:
    trace = Story(events=[malloc(0, 16)], names={}).write(tmp_path / "T.hst")
    file = tmp_path / "rules.toml"
    file.write_text(text, encoding="utf-8")
    used = layout or two_regions()
    with pytest.raises(InputError) as caught:
        replay(trace, used, placement=read_placement(file, used))
    return caught.value


def private(number: int, size: int, more: str = "") -> str:
    heap = f'[[private]]\nname = "h{number}"\nsize = {size}\n{more}\n'
    return heap + f'[[rule]]\nprivate = "h{number}"\n'


def test_a_heap_that_finds_no_room_says_how_much_there_is(tmp_path: Path) -> None:
    error = refused(tmp_path, private(1, 40000, 'from = "IRAM"'))
    assert "private h1 of 40,000 B finds no room in 0x00100000 IRAM" in error.message
    most = int(error.message.split(" is ")[-1].removesuffix(" B").replace(",", ""))
    assert 15000 < most < 16384
    refused(tmp_path, private(1, most + 1, 'from = "IRAM"'))
    trace = tmp_path / "T.hst"
    (tmp_path / "rules.toml").write_text(private(1, most, 'from = "IRAM"'), encoding="utf-8")
    placement = read_placement(tmp_path / "rules.toml", two_regions())
    assert replay(trace, two_regions(), placement=placement).summary.failures == 0


def test_the_second_heap_has_what_the_first_one_left(tmp_path: Path) -> None:
    text = private(1, 25000) + private(2, 25000) + private(3, 25000)
    assert (
        "private h3 of 25,000 B finds no room in malloc's memory" in refused(tmp_path, text).message
    )


def test_a_heap_that_is_too_small_for_its_allocator_says_what_would_do(tmp_path: Path) -> None:
    for more in ("", "start = 0x20000000"):
        error = refused(tmp_path, private(1, 100, more))
        assert "private h1 of 100 B cannot hold a heap of idf-5.5: it is too small" in error.message
        assert "make it at least" in error.remedy


def test_more_heaps_than_can_be_kept_apart_are_refused(tmp_path: Path) -> None:
    many = "".join(private(n, 1000) for n in range(15))
    assert "17 memory kinds, at most 16" in refused(tmp_path, many).message
    many = "".join(private(n, 1000) for n in range(30))
    assert (
        "30 private heaps and pools, and 3 regions, at most 32" in refused(tmp_path, many).message
    )


def test_the_regions_of_a_chip_have_the_names_that_are_printed(rules: ReadRules) -> None:
    layout = load_chip("esp32").layout(idf="5.5")
    for name in ("0x3ffe0440 D/IRAM", "0x3FFE0440", "1073611840"):
        regions = rules(f'[[rule]]\nregion = "{name}"', layout).rules[0].regions
        assert [layout.regions[index].start for index in regions] == [0x3FFE0440]
    regions = rules('[[rule]]\nregion = "D/IRAM"', layout).rules[0].regions
    assert [layout.regions[index].kind for index in regions] == ["D/IRAM", "D/IRAM"]


def test_no_stack_of_a_task_goes_to_iram(tmp_path: Path) -> None:
    """Its bytes are emulated by handlers of exceptions, which need a stack themselves."""
    (tmp_path / "rules.toml").write_text('[[rule]]\nmin = 1\nregion = "IRAM"\n', encoding="utf-8")
    layout = load_chip("esp32").layout(idf="4.2", cores=1, iram_8bit=True)
    placement = read_placement(tmp_path / "rules.toml", layout)
    stacks, everything = placement.rules
    assert (stacks.number, stacks.sites) == (0, ("*xTask*Create*",))
    assert not set(stacks.regions) & set(everything.regions)
    words = load_chip("esp32").layout(idf="4.2", cores=2)  # no byte access: nothing to keep out
    assert len(read_placement(tmp_path / "rules.toml", words).rules) == 1

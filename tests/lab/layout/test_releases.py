"""Versions as people and logs write them, and the releases that they name."""

from __future__ import annotations

import re

import pytest

from heapscope.base.errors import InputError
from heapscope.config.releases import arduino_cores, arduino_release, find_release, minors, releases


@pytest.mark.parametrize(
    ("text", "name", "allocator"),
    [
        ("5.1.4", "5.1.4", "idf-5.1"),
        ("v5.3.1-dirty", "5.3.1", "idf-5.3"),
        ("5.1.4-497-gdc859c1e67", "5.1.4", "idf-5.1"),
        ("ESP-IDF v4.4.6-dirty", "4.4.6", "idf-5.1"),
        ("esp-idf v5.5", "5.5", "idf-5.5"),
        ("v5.5-beta1", "5.5", "idf-5.5"),
        ("v6.0-rc1", "6.0", "idf-5.5"),
        ("release/v5.1", "5.1.7", "idf-5.1"),
        ("idf-release_v5.5-129cd0d2-v4", "5.5.5", "idf-5.5"),
        ("4.4.0", "4.4", "idf-4.4.0"),
        (" 5.2.3 ", "5.2.3", "idf-5.2"),
        ("V4.2.1", "4.2.1", "idf-4.2"),
        ("4.0.4", "4.0.4", "idf-3.3"),
        ("3.40100.200827", "4.1", "idf-4.2"),
        ("3.50301.0", "5.3.1", "idf-5.3"),
        ("6.1", "6.1-beta1", "idf-5.5"),
        ("HEAD-2026-07", "head-2026-07", "idf-5.5"),
    ],
)
def test_a_spelling_names_its_release(text: str, name: str, allocator: str) -> None:
    release = find_release(text)
    assert (release.name, release.allocator) == (name, allocator)


@pytest.mark.parametrize(
    ("text", "allocator"),
    [
        ("v4.3-dev-1303-gcd4fa46f5", "idf-4.2"),
        ("v4.3-dev-1901-g178b122c1-dirty", "idf-4.3.0"),
        ("v4.4-dev-1594-g1d7068e4b-dirty", "idf-4.3.0"),
        ("v4.4-beta1-189-ga79dc75f0a", "idf-4.3.2"),
        ("v4.4.3-180-g345a12c1f98", "idf-4.4.2"),
        ("v4.4.3-181-g345a12c1f98", "idf-5.1"),
        ("v5.0-dev-1908-gcfee73658be", "idf-4.4.0"),
        ("v5.2-dev-3300-g54f0517724", "idf-5.1"),
        ("v5.2-dev-3623-g63952fe2f6c", "idf-5.2"),
        ("v5.4-dev-9999-g63952fe2f6c", "idf-5.5"),
    ],
)
def test_a_version_between_releases_has_the_allocator_of_its_commit(
    text: str, allocator: str
) -> None:
    release = find_release(text)
    assert release.allocator == allocator
    assert text in release.note


def test_a_patch_release_that_is_not_known_takes_the_nearest_and_says_so() -> None:
    release = find_release("v5.3.9-dirty")
    assert (release.name, release.given) == ("5.3.5", "v5.3.9-dirty")
    assert "5.3.9 is not known; 5.3.5 is taken" in release.note


def test_a_known_release_has_no_note() -> None:
    for name in releases():
        if re.fullmatch(r"\d\.\d\.\d", name):
            assert find_release(f"v{name}-dirty").note == ""


def test_a_minor_alone_is_its_first_release_and_the_note_tells_later_ones() -> None:
    assert "from 4.4.2 on the allocator is another one" in find_release("4.4").note
    assert find_release("v4.4").note == ""  # as a log prints it, which means just this release
    assert find_release("5.5").note == ""


@pytest.mark.parametrize(
    "text",
    ["", "4", "3.2", "5.6", "5.50", "4.20", "5.5x", "v6.2-dev", "x", "4.2\x1b", "٤.٢", "9" * 999],
)
def test_an_unknown_minor_is_an_error_that_names_the_known_ones(text: str) -> None:
    with pytest.raises(InputError, match="unknown ESP-IDF version") as caught:
        find_release(text)
    assert all(minor in caught.value.remedy for minor in minors())
    assert "\x1b" not in caught.value.message


def test_rows_follow_one_another() -> None:
    numbered = [name for name in releases() if re.fullmatch(r"\d\.\d(\.\d)?|6\.1-beta1", name)]
    assert len(numbered) == 87
    for name in releases():
        assert find_release(name).name in (name, name.rpartition("-")[0])


@pytest.mark.parametrize(
    ("core", "name"),
    [
        ("2.0.17", "4.4.7"),
        ("arduino 3.0.7", "5.1.4"),
        ("v3.3.10", "5.5.4"),
        ("2.0.0", "4.4-dev"),
        ("1.0.6", "3.3.5"),
    ],
)
def test_a_core_of_arduino_names_its_release(core: str, name: str) -> None:
    assert arduino_release(core).name == name


def test_a_core_that_is_not_known_takes_the_nearest_and_says_so() -> None:
    result = arduino_release("2.0.12")
    assert result.name == "4.4.5"
    assert "the nearest known to 2.0.12" in result.note


def test_every_core_is_of_a_known_release_but_those_before_the_first() -> None:
    unknown = [core for core, release in arduino_cores().items() if release < minors()[0]]
    assert unknown == ["1.0.4"]
    for core in arduino_cores():
        if core not in unknown:
            assert find_release(arduino_release(core).given).name == arduino_release(core).name
    with pytest.raises(InputError, match=r"unknown ESP-IDF version '3\.2\.3'"):
        arduino_release("1.0.4")


@pytest.mark.parametrize("core", ["", "4.0.0", "2.1", "x", "2.0.17.1"])
def test_an_unknown_core_is_an_error_that_names_the_known_ones(core: str) -> None:
    with pytest.raises(InputError, match="unknown core of arduino-esp32") as caught:
        arduino_release(core)
    assert "2.0.x" in caught.value.remedy

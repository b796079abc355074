"""The class of a C++ object, by its table of virtual functions."""

from __future__ import annotations

import struct

import pytest

from heapscope.answers.image.vtables import class_at
from heapscope.memory.image.memory_image import MemoryImage, MemorySegment
from heapscope.memory.image.symbols import FirmwareSymbol, FirmwareSymbols

AT, TABLE = 0x3FC8_0000, 0x3C02_0040


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_ZTV6Sensor", "Sensor"),
        ("_ZTVN7esphome6sensor12FilterOffsetE", "esphome::sensor::FilterOffset"),
        ("_ZTVN12_GLOBAL__N_16SecretE", "(anonymous)::Secret"),
        ("_ZTV3MapIiE", "3MapIiE"),
        ("_ZTV99Sensor", "99Sensor"),
        ("_ZTI6Sensor", ""),
    ],
)
def test_an_object_has_the_name_of_its_class(symbol: str, name: str) -> None:
    assert class_of(symbol, TABLE + 8) == name


@pytest.mark.parametrize("word", [TABLE, TABLE + 4, TABLE + 12, 0])
def test_another_word_is_no_class(word: int) -> None:
    assert class_of("_ZTV6Sensor", word) == ""


def class_of(symbol: str, word: int) -> str:
    symbols = FirmwareSymbols([FirmwareSymbol(TABLE, 24, symbol)], file="a.elf")
    memory = MemorySegment(AT, struct.pack("<II", word, 7))
    image = MemoryImage(segments=(memory,), files=("a",), what="memory", symbols=symbols)
    return class_at(image, AT)

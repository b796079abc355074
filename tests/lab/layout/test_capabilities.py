"""Capabilities by name, and the other small values of options."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from heapscope.base import capabilities
from heapscope.base.errors import HeapscopeError, InputError
from heapscope.base.request import parse_request
from heapscope.config.releases import find_release
from heapscope.memory.layout.allocator import host_model, parse_allocator, unmodelled
from heapscope.memory.layout.pool import pool_layout
from heapscope.native.library import allocator_names

BITS = {
    **{"EXEC": 0, "32BIT": 1, "8BIT": 2, "DMA": 3, "PID2": 4, "PID7": 9, "SPIRAM": 10},
    **{"INTERNAL": 11, "DEFAULT": 12, "IRAM_8BIT": 13, "RETENTION": 14, "RTCRAM": 15},
    **{"CACHE_ALIGNED": 19, "SIMD": 20},
}


@pytest.mark.parametrize(("name", "bit"), BITS.items())
def test_bits_are_those_of_esp_heap_caps_h(name: str, bit: int) -> None:
    assert capabilities.CAPABILITIES[name] == 1 << bit
    assert capabilities.parse(name) == 1 << bit


@pytest.mark.parametrize(
    "text", ["8BIT|DMA", "dma,8bit", "MALLOC_CAP_DMA | MALLOC_CAP_8BIT", "DMA+8BIT", "0xC", "12"]
)
def test_a_set_can_be_written_in_several_ways(text: str) -> None:
    assert capabilities.parse(text) == 12


def test_nothing_is_the_empty_set() -> None:
    assert capabilities.parse("") == capabilities.parse("0") == 0
    assert capabilities.format(0) == "0"


def test_bits_without_a_name_are_kept() -> None:
    assert capabilities.format(1 << 25 | 8) == "DMA|0x2000000"
    assert capabilities.parse("DMA|0x2000000") == 1 << 25 | 8


def test_the_old_name_of_spm_is_known() -> None:
    assert capabilities.parse("TCM") == capabilities.CAPABILITIES["SPM"]


@given(st.integers(0, capabilities.ALL))
def test_format_and_parse_are_inverse(bits: int) -> None:
    assert capabilities.parse(capabilities.format(bits)) == bits


def test_an_unknown_capability_gets_the_list_and_the_nearest() -> None:
    with pytest.raises(InputError, match="unknown capability 'INTRENAL'") as caught:
        capabilities.parse("8BIT|INTRENAL")
    assert "did you mean INTERNAL?" in caught.value.remedy
    assert "SPIRAM" in caught.value.remedy


@pytest.mark.parametrize("text", ["0xFFFFFFFF", "0x80000000", "-1", "4294967295", "\x1b[31m"])
def test_numbers_out_of_range_are_no_capabilities(text: str) -> None:
    with pytest.raises(InputError) as caught:
        capabilities.parse(text)
    assert "\x1b" not in caught.value.message


def test_allocators_are_those_of_the_library() -> None:
    some = {"heapscope", "idf-4.2", "idf-4.2+light", "idf-4.2+track", "idf-5.5+light+track"}
    assert some <= set(allocator_names())
    for name in allocator_names():
        assert parse_allocator(f" {name.upper()} ") == name


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("idf-4.2+light+track", "idf-4.2+track"),  # without poisoning 4.x cannot track
        ("idf-4.3.2-psram+Track+Light", "idf-4.3.2-psram+track"),
        ("idf-5.5+track+light", "idf-5.5+light+track"),
        ("IDF-5.5+track", "idf-5.5+track"),
    ],
)
def test_flavours_are_known_in_any_order(text: str, name: str) -> None:
    assert parse_allocator(text) == name
    assert name in allocator_names()


@pytest.mark.parametrize("text", ["tlsf+track", "idf-5.5+", "idf-5.5+heavy", "+track", "a\0b", "ä"])
def test_a_flavour_that_an_allocator_does_not_have_is_unknown(text: str) -> None:
    with pytest.raises(InputError, match="unknown allocator"):
        parse_allocator(text)


def test_an_unknown_allocator_gets_the_list_and_the_nearest() -> None:
    with pytest.raises(InputError, match=r"unknown allocator 'idf-5\.4'") as caught:
        parse_allocator("idf-5.4")
    assert "did you mean idf-5.5?" in caught.value.remedy
    listed = caught.value.remedy
    assert all(name in listed for name in allocator_names() if "+" not in name)
    assert listed.index("ESP-IDF: ") < listed.index("Heapscope: ") < listed.index("Rust: ")


@pytest.mark.parametrize(
    ("metadata", "name"),
    [
        ({}, ""),
        ({"allocator": "idf-5.5"}, ""),
        ({"allocator": "IDF-5.5", "poisoning": "light"}, ""),
        ({"allocator": "idf-5.5+light", "poisoning": "light"}, ""),
        ({"allocator": "idf-5.5", "poisoning": "none"}, ""),
        ({"allocator": "idf-5.5", "poisoning": "none", "tracking": "1"}, ""),
        ({"allocator": "idf-4.2", "poisoning": "light", "tracking": "1"}, ""),
        ({"allocator": "umm", "tracking": "1"}, "umm+track"),
        ({"poisoning": "comprehensive"}, ""),
        ({"allocator": "glibc"}, "glibc"),
        ({"allocator": "idf-5.5", "poisoning": "comprehensive"}, ""),
        ({"allocator": "umm", "poisoning": "comprehensive"}, "umm+full"),
    ],
)
def test_an_allocator_of_a_recording_without_a_model_is_named(
    metadata: dict[str, str], name: str
) -> None:
    assert unmodelled(metadata) == name


@pytest.mark.parametrize(
    ("recorded", "model"),
    [
        ("FreeRTOS (pvPortMalloc)", "heap_4"),
        ("Zephyr k_malloc (k_malloc), Zephyr k_heap (k_heap_alloc)", "zephyr-k_malloc"),
        ("Zephyr k_malloc (k_malloc)", "zephyr-k_malloc"),
        ("Zephyr k_heap (k_heap_alloc), Zephyr sys_heap (sys_heap_alloc)", "sys_heap"),
        ("ThreadX (_tx_byte_allocate)", "threadx"),
        ("RT-Thread (rt_malloc)", ""),  # its configuration says which
        ("FreeRTOS (pvPortMalloc), ESP-IDF (heap_caps_malloc)", ""),
        ("FreeRTOS (pvPortMalloc), lwIP (mem_malloc)", ""),
        ("lwIP (mem_malloc)", "lwip-mem"),
        ("Zephyr malloc (malloc)", "zephyr-malloc"),
        ("Zephyr malloc riscv32", "zephyr-malloc-16"),
        ("newlib-nano (malloc)", "newlib-nano"),
        ("newlib-nano 4.4.0.20231231", "newlib-nano"),
        ("newlib-nano 4.3.0", "newlib-nano-4.3"),
        ("newlib-nano 4.2.0", ""),  # it damages itself
        ("newlib-nano 4.1.0", "newlib-nano-4.1"),
        ("newlib-nano 3.3.0", "newlib-nano-3.3"),
        ("newlib-nano 2.5.0", ""),
        ("newlib 4.5.0", "newlib"),
        ("picolibc 1.8.12 arm", "picolibc"),
        ("picolibc 1.8.12 rv32imc", "picolibc-16"),
        ("picolibc 1.8.10 riscv32", "picolibc-1.8.11-16"),
        ("picolibc 1.8.8 riscv32", "picolibc-1.8.11"),
        ("picolibc 1.8.6 riscv32", "picolibc-1.8"),
        ("picolibc 1..8", ""),
        ("glibc 2.36", ""),
        ("", ""),
    ],
)
def test_the_model_of_a_firmwares_heap_on_a_host_is_proposed_if_there_is_one(
    recorded: str, model: str
) -> None:
    assert host_model(recorded) == model


@pytest.mark.parametrize("size", [64, 4096, 250_000, 262_136, 1 << 30])
def test_a_pool_is_one_region_with_every_capability(size: int) -> None:
    layout = pool_layout(size, "idf-4.2")
    (region,) = layout.regions
    assert (region.start, region.size, region.kind) == (0x2000_0000, size, "pool")
    assert region.allocator == "idf-4.2"
    assert region.start % 4096 == 0
    assert all(region.caps[0] & bit for bit in capabilities.CAPABILITIES.values())
    assert layout.malloc.small == capabilities.parse("DEFAULT|INTERNAL")
    layout.check()


def test_a_pool_alone_is_idf_5_5() -> None:
    assert pool_layout(4096).regions[0].allocator == "idf-5.5"


@pytest.mark.parametrize("size", [-1, 0, 63, (1 << 30) + 1, 1 << 40])
def test_a_pool_out_of_bounds_is_an_error(size: int) -> None:
    with pytest.raises(InputError, match=f"{size} bytes") as caught:
        pool_layout(size)
    assert "64 to 1073741824" in caught.value.remedy


@given(st.text(max_size=40))
def test_any_text_gives_a_value_or_our_error(text: str) -> None:
    for parse in (capabilities.parse, parse_request, find_release, parse_allocator):
        error = error_of(parse, text)
        assert error is None or error.remedy


def error_of(parse: Callable[[str], object], text: str) -> HeapscopeError | None:
    try:
        parse(text)
    except HeapscopeError as error:
        return error
    return None

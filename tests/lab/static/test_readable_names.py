"""Names of C++ and Rust out of symbols."""

from __future__ import annotations

import pytest

from heapscope.base.readable_name import readable_name, readable_text

NAMES = {
    "main": "main",
    "_start": "_start",
    "_Z8loopTaskPv": "loopTask",
    "_ZL7s_cache": "s_cache",
    "_ZN8Adafruit7displayEv": "Adafruit::display",
    "_ZNK6Sensor4readEi": "Sensor::read",
    "_ZN12_GLOBAL__N_16bufferE": "(anonymous namespace)::buffer",
    "_ZN8Adafruit99displayEv": "_ZN8Adafruit99displayEv",
    # The older form of Rust, with a hash.
    "_ZN4core3fmt5Write9write_str17h0123456789abcdefE": "core::fmt::Write::write_str",
    "_ZN60_$LT$alloc..vec..Vec$LT$T$GT$$u20$as$u20$core..ops..Drop$GT$4drop17h0123456789abcdefE": (
        "<alloc::vec::Vec<T> as core::ops::Drop>::drop"
    ),
    # The newer one, by RFC 2603.
    "_RNvCs1234_7mycrate3foo": "mycrate::foo",
    "_RNvMs_NtCsabc_4test3fooNtB4_3Bar3baz": "<test::foo::Bar>::baz",
    "_RNvXs5_NtCs1_4core3fmtuNtB5_7Display3fmt": "<() as core::fmt::Display>::fmt",
    "_RNCNvCs1_3foo3bar0": "foo::bar::{closure#0}",
    "_RINvCs1_3foo3barKj7_E": "foo::bar<7>",
    "_RINvC1a1fTjhERShAhj4_E": "a::f<(usize, u8), &[u8], [u8; 4]>",
    "_RINvC1a1fFUKCEuE": 'a::f<unsafe extern "C" fn()>',
    "_RINvC1a1fDNtC1b1Tp1XyEL_E": "a::f<dyn b::T<X = u64>>",
}


@pytest.mark.parametrize("symbol", NAMES)
def test_a_symbol_has_the_name_of_its_source(symbol: str) -> None:
    assert readable_name(symbol) == NAMES[symbol]


@pytest.mark.parametrize("symbol", ["_R", "_RNv", "_RNvC", "_RB_", "_RNvB_3foo", "_RN" * 500])
def test_what_is_no_name_stays_as_it_is(symbol: str) -> None:
    assert readable_name(symbol) == symbol


def test_names_in_a_sentence_are_readable() -> None:
    assert readable_text("_ZN1a1bEv calls main") == "a::b calls main"

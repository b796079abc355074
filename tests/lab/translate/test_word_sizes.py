"""The word size of an answer that is of several recordings."""

from __future__ import annotations

from heapscope.trace.provenance import largest_word, of_wide_pointers, word_size


def test_of_several_recordings_the_largest_word_counts() -> None:
    assert largest_word(4, 8, None) == 8
    assert largest_word(4, None) == 4
    assert largest_word(None) is None


def test_a_word_size_is_a_number_or_unknown() -> None:
    assert [word_size({"word_size": text}) for text in ("8", "0", "eight", "9" * 30)] == [
        8,
        None,
        None,
        None,
    ]


def test_a_translation_says_which_bound_it_is() -> None:
    facts = {"word_size": "4", "translated": "least; exact: 73.4 %"}
    assert of_wide_pointers(facts).endswith("the others the smallest that is possible.")
    assert of_wide_pointers({"word_size": "4", "translated": "some other words"}) == ""

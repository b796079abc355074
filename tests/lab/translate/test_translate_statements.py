"""The statement of a source, and what it shows of a request."""

from __future__ import annotations

import pytest

from heapscope.capture.translate.definitions import CALLS, is_of_literals, is_product_of_a_size


@pytest.mark.parametrize(
    ("statement", "product"),
    [
        ("p = malloc(sizeof(T));", True),
        ("p = malloc(n * sizeof *p);", True),
        ("p = (T *)malloc((sizeof(T)) * n);", True),
        ("p = calloc(n + 3, sizeof(T));", True),
        ("p = realloc(p, (size_t)n * sizeof(p[0]));", True),
        ("if (!(p = malloc(sizeof(struct a) * (n + 1))))", True),
        ("return malloc(sizeof(struct x));", True),
        ("p = malloc(sizeof(T) + n);", False),
        ("p = (T *)malloc((sizeof(T)) + n);", False),
        ("p = malloc(2 * (n + sizeof(T)));", False),
        ("p = malloc(n * sizeof(T) / 2);", False),
        ("p = malloc(sizeof(A) * sizeof(B));", False),
        ("p = realloc(p, m ? n * sizeof(T) : 0);", False),
        ("p = of_a_pool(n, sizeof(T));", False),
        ("p = malloc(of(sizeof(T)));", False),
        ("p = malloc(n);", False),
    ],
)
def test_a_number_of_one_type_is_distinguished_from_anything_else(
    statement: str, product: bool
) -> None:
    assert is_product_of_a_size(statement, CALLS) is product


def test_a_wrapper_counts_by_the_argument_that_it_hands_on() -> None:
    statement = "p = made(n * sizeof(T), flags);"
    assert is_product_of_a_size(statement, {"made": (0,)})
    assert not is_product_of_a_size(statement, {"made": (1,)})


@pytest.mark.parametrize(
    ("statement", "literal"),
    [
        ("p = malloc(256);", True),
        ("p = malloc(strlen(s) + 1);", True),
        ("p = malloc(strlen(f(x)) + strlen(b) + 2);", True),
        ("p = realloc(p, 0x20);", True),
        ("p = malloc(n + 1);", False),
        ("p = malloc(SIZE);", False),
        ("p = malloc(sizeof(T));", False),
        ("p = malloc(2), q = malloc(n);", False),
    ],
)
def test_literals_are_the_same_on_a_chip(statement: str, literal: bool) -> None:
    assert is_of_literals(statement) is literal

"""Requests as a user writes them after --need, in a plan, a budget and a list of --requests."""

from __future__ import annotations

import pytest

from heapscope.base.errors import InputError
from heapscope.base.request import Request, parse_request, parse_requests
from heapscope.base.rows.request import RequestRow
from heapscope.base.sizes import parse_size
from heapscope.logs.reader.requests import parse_series


@pytest.mark.parametrize(
    ("text", "request_"),
    [
        ("16717", Request(16717)),
        ("16_717", Request(16717)),
        ("16.5KB", Request(16896)),
        ("16.3KB", Request(16692)),  # 16,691.2: a part of a byte counts as one
        ("32KB:INTERNAL", Request(32768, 0x800)),
        ("16717:DMA|8BIT", Request(16717, 12)),
        ("4KB:DMA,8BIT", Request(4096, 12)),
        (16717, Request(16717)),
        ("0x1000:0x1800", Request(4096, 0x1800)),
        ("4294967295", Request(4294967295)),
        ("1:", Request(1)),
        ("1:malloc", Request(1)),
    ],
)
def test_a_request_is_bytes_and_capabilities(text: int | str, request_: Request) -> None:
    assert parse_request(text) == request_
    assert parse_request(request_.text) == request_
    assert RequestRow.of(request_).is_of(request_)
    assert parse_series(str(text).replace(",", "|")) == (request_,)


@pytest.mark.parametrize(
    "text",
    ["", "0", "-5", "4294967296", "16__717", "_1", "1_", "1e3", "1.5", "1.5B", "1.", ".5KB", "x",
     "DMA", ":DMA", "٣", "4194304KB", "1234567890123456", "1.1234567KB", "16,717"],
)  # fmt: skip
def test_a_request_without_a_size_is_an_error(text: str) -> None:
    with pytest.raises(InputError, match=r"--need: '.*' is not a number of bytes"):
        parse_request(text)


def test_a_request_with_an_unknown_capability_is_an_error() -> None:
    with pytest.raises(InputError, match="unknown capability 'FAST'"):
        parse_request("100:FAST")


@pytest.mark.parametrize("text", ["free>=150KB", "tcp_rx<20", "contiguous=16717"])
def test_an_amount_is_reported_to_be_a_goal_of_tune(text: str) -> None:
    with pytest.raises(InputError, match="is an amount, and not a request") as caught:
        parse_request(text)
    assert f'tune takes amounts: --goal "{text}"' in caught.value.remedy


def test_two_spellings_are_one_request_and_a_replay_has_eight_at_most() -> None:
    assert parse_requests(["4KB", "4096", "4_096:malloc"]) == (Request(4096),)
    with pytest.raises(InputError, match="9 needs, at most 8"):
        parse_requests(range(1, 10))


def test_kilobytes_have_1024_bytes_and_fractions_are_exact() -> None:
    sizes = {"0.1MB": 104858, "0.000001KB": 1, "2.25 MiB": 2359296, "1_000b": 1000, "0x10k": 16384}
    for text, size in sizes.items():
        assert parse_size(text, what="--pool") == size, text

"""Requests that a user asks about, one after the other: `--requests "35000*7, 4096:DMA"`."""

from __future__ import annotations

import re

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.request import Request, parse_request

REQUESTS_MAX = 1000  # in all

_ONE = re.compile(r"(?P<need>[^*]+?)\s*(?:\*\s*(?P<count>[0-9]{1,7})\s*(?P<more>:[^*]+)?)?")


def parse_series(text: str) -> tuple[Request, ...]:
    """Each request as often as it is made. Raises InputError naming the invalid entry."""
    requests: list[Request] = []
    for part in text.split(","):
        request, count = _part(part.strip())
        if not 0 < count <= REQUESTS_MAX - len(requests):
            raise InputError(
                f"--requests: more than {REQUESTS_MAX} requests, or none, by "
                f"'{printable(part.strip())}'",
                remedy=f"give 1 to {REQUESTS_MAX} in all",
            )
        requests += [request] * count
    return tuple(requests)


def _part(part: str) -> tuple[Request, int]:
    match = _ONE.fullmatch(part)
    if match is None:
        raise InputError(
            f"--requests: '{printable(part)}' is not a request",
            remedy="write bytes, how often, and capabilities: 35000*7, 4096:DMA, 512:8BIT|DMA*3",
        )
    request = parse_request(match["need"] + (match["more"] or ""), what="--requests")
    return request, int(match["count"] or 1)

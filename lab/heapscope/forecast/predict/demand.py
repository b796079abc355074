"""The connections that a program opens at the same time."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Demand:
    """`tls`: sessions, each on a TCP connection of its own."""

    tcp: int = 1
    udp: int = 0
    tls: int = 0

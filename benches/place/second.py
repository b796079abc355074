"""The second recording of each captured trace: another run of the same program."""

from __future__ import annotations

from collections.abc import Sequence

#: How the names of one program's traces begin. The runs of one program differ in its configuration,
#: in what the network did or in the key. Two runs of script_study with 1.6 million events are left
#: out, as they take an hour; a prefix counts before a shorter one.
PROGRAMS = (
    *("ice_study_", "ice_", "tenants_at_", "tls228_ec_", "tls228_rsa_"),
    *("tls35_ec_", "tls35_rsa_", "tls_study_net_", "tls_study_", "wifi_at_", "wifi_"),
)


def second_of(names: Sequence[str]) -> dict[str, str]:
    """For each trace of a program with two recordings or more the next one of it, by name; the
    first is that of the last."""
    programs: dict[str, list[str]] = {}
    for name in sorted(names):
        for program in PROGRAMS:
            if name.startswith(program):
                programs.setdefault(program, []).append(name)
                break
    return {
        name: rows[(place + 1) % len(rows)]
        for rows in programs.values()
        if len(rows) > 1
        for place, name in enumerate(rows)
    }

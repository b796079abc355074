"""The systems that a wheel is made for."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Target:
    """One wheel. `zig`: the system as zig names it, with the oldest version that is served.
    `system` and `processor`: as CMake names them. `platform`: the wheel's tag."""

    name: str
    zig: str
    system: str
    processor: str
    platform: str


#: The oldest with memfd_create, which the recorder calls.
GLIBC = "2.27"

#: Each name is what `--only` takes.
TARGETS = (
    Target(
        name="linux-x86_64",
        zig=f"x86_64-linux-gnu.{GLIBC}",
        system="Linux",
        processor="x86_64",
        platform="manylinux_2_27_x86_64",
    ),
    Target(
        name="linux-aarch64",
        zig=f"aarch64-linux-gnu.{GLIBC}",
        system="Linux",
        processor="aarch64",
        platform="manylinux_2_27_aarch64",
    ),
    Target(
        name="musl-x86_64",
        zig="x86_64-linux-musl",
        system="Linux",
        processor="x86_64",
        platform="musllinux_1_2_x86_64",
    ),
    Target(
        name="musl-aarch64",
        zig="aarch64-linux-musl",
        system="Linux",
        processor="aarch64",
        platform="musllinux_1_2_aarch64",
    ),
    Target(
        name="macos-x86_64",
        zig="x86_64-macos.11.0",
        system="Darwin",
        processor="x86_64",
        platform="macosx_11_0_x86_64",
    ),
    Target(
        name="macos-arm64",
        zig="aarch64-macos.11.0",
        system="Darwin",
        processor="arm64",
        platform="macosx_11_0_arm64",
    ),
    Target(
        name="windows-x64",
        zig="x86_64-windows-gnu",
        system="Windows",
        processor="AMD64",
        platform="win_amd64",
    ),
)

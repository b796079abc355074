"""Cargo for the tests of the crate: the one on the path, and one that can build Rust's own library
for a chip out of its sources."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from needs import MissingError, need_program, need_rust_sources

ROOT = Path(__file__).resolve().parents[2]
BUILT = ROOT / "build" / "rust"  #: kept from one run to the next
CHIP = "riscv32imac-unknown-none-elf"
#: The same for all programs, so that Rust's library is compiled once: frame pointers, and a linker
#: without a gcc in front of it.
FLAGS = (
    "-Clinker=riscv64-unknown-elf-ld",
    "-Clinker-flavor=ld",
    "-Clink-arg=-melf32lriscv",
    "-Clink-arg=-Tmemory.x",
    "-Clink-arg=-Tlink.x",
    "-Cforce-frame-pointers=yes",
)


@dataclass(frozen=True, kw_only=True)
class Cargo:
    """`rustc`: the compiler that it runs. `environment`: beside that of the test."""

    cargo: str
    environment: dict[str, str]

    def __call__(self, *arguments: str | Path, cwd: Path, **more: str) -> str:
        done = self._run(*arguments, cwd=cwd, **more)
        assert done.returncode == 0, f"cargo {arguments}\n{done.stdout}{done.stderr}"
        return done.stdout

    def refused(self, *arguments: str | Path, cwd: Path, **more: str) -> str:
        done = self._run(*arguments, cwd=cwd, **more)
        assert done.returncode != 0, f"cargo {arguments}\n{done.stdout}{done.stderr}"
        return done.stderr

    def fetch(self, folder: Path) -> None:
        """Brings the crates that a project names; what follows may be offline."""
        done = self._run("fetch", cwd=folder)
        if done.returncode != 0:
            raise MissingError(f"crates of the registry: {done.stderr.strip()}")

    def _run(
        self, *arguments: str | Path, cwd: Path, **more: str
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.cargo, *map(str, arguments)],
            cwd=cwd,
            env={**os.environ, **self.environment, **more},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )


def need_cargo() -> Cargo:
    """The one on the path."""
    cargo = need_program("cargo", package="cargo")
    return Cargo(cargo=cargo, environment={"CARGO_TARGET_DIR": str(BUILT / "host")})


def need_cargo_of_chips() -> Cargo:
    """One whose compiler has the sources of Rust's library beside it."""
    need_program("riscv64-unknown-elf-gcc", package="gcc-riscv64-unknown-elf")
    cargo = need_rust_sources()
    environment = {
        "CARGO_TARGET_DIR": str(BUILT / "chip"),
        "RUSTC": str(cargo.with_name("rustc")),
        "RUSTC_BOOTSTRAP": "1",
    }
    return Cargo(cargo=str(cargo), environment=environment)


def build_for_chip(cargo: Cargo, project: Path, *, features: Sequence[str] = ()) -> Path:
    """The program of a project, for CHIP."""
    cargo(
        *("build", "--release", "--offline", "--target", CHIP, "-Zbuild-std=core,alloc"),
        *("--features", ",".join(features)),
        cwd=project,
        RUSTFLAGS=" ".join(FLAGS),
    )
    return BUILT / "chip" / CHIP / "release" / "gateway"

"""The sources of the programs: pinned, checked, never committed, as those of studies/workloads."""

from __future__ import annotations

from tools.sources import Crate

__all__ = ["LUA", "LVGL", "QUICKJS"]

LUA = Crate(
    name="lua-src",
    version="547.0.0",  # Lua 5.4.7
    sha256="1edaf29e3517b49b8b746701e5648ccb5785cde1c119062cbabbc5d5cd115e42",
    needs={"cc": ("1.0.54", ())},
    folder="lua-5.4.7",
)
QUICKJS = Crate(
    name="libquickjs-sys",
    version="0.10.0",  # QuickJS 2021-03-27
    sha256="9a5ed371d2ba0d9b4e09aebe7a0a90a729b27a83cf603dfdb53ad524f33b7d87",
    needs={
        "bindgen": ("0.57.0", ()),
        "cc": ("1.0.66", ()),
        "copy_dir": ("0.1.2", ()),
    },
    folder="embed/quickjs",
)
LVGL = Crate(
    name="lvgl-sys",
    version="0.6.2",  # LVGL 8.3.5
    sha256="d697d889a2fd6bdfd350843cb9c9d8dc5b6a33f4eb8962a42f205e147a4643c2",
    needs={"bindgen": ("0.64.0", ()), "cc": ("1.0.79", ()), "cty": ("0.2.2", ())},
    folder="vendor/lvgl",
)

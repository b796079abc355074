//! Compiles the C sources of the recorder and of the heap.

use std::path::{Path, PathBuf};
use std::{env, fs};

/// Folders of C sources below `device`.
const PARTS: [&str; 3] = ["src/heap", "src/recorder", "src/trace"];

fn main() {
    let here = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it"));
    let packed = here.join("device");
    let device = if packed.is_dir() {
        packed
    } else {
        here.join("../..")
    };
    let mut build = cc::Build::new();
    build
        .include(device.join("include"))
        .include(device.join("compat/recorder"))
        .include(here.join("c"))
        .define("HS_RECORDER_PORT", "\"rust_port.h\"")
        .define("HS_RECORDER_BLACK_BOX", "0")
        .define("HS_RECORDER_SNAPSHOTS", "0")
        .flag_if_supported("-std=c11")
        .flag_if_supported("-ffreestanding")
        .file(here.join("c/rust_recorder.c"));
    if env::var_os("CARGO_FEATURE_STD").is_some() && has("CARGO_CFG_TARGET_OS", "linux") {
        build
            .define("HS_RUST_RECORD", "1")
            .file(here.join("c/rust_record.c"));
    }
    if has("CARGO_CFG_TARGET_HAS_ATOMIC", "32") {
        build.define("HS_RUST_ATOMIC", "1");
    }
    if env::var_os("CARGO_FEATURE_CALLERS").is_some() {
        let flags = env::var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
        assert!(
            flags.contains("force-frame-pointers=yes") || flags.contains("force-frame-pointers=true"),
            "feature `callers` of heapscope: follows frame pointers, which the compiler leaves out; \
             set RUSTFLAGS=\"-C force-frame-pointers=yes\""
        );
        build.define("HS_RECORDER_CALLERS", "4");
    }
    for part in PARTS {
        for source in sources(&device.join(part)) {
            build.file(source);
        }
    }
    build.compile("heapscope");
    for folder in ["include", "src", "compat/recorder"] {
        println!("cargo:rerun-if-changed={}", device.join(folder).display());
    }
    println!("cargo:rerun-if-changed={}", here.join("c").display());
}

fn has(variable: &str, word: &str) -> bool {
    env::var(variable).is_ok_and(|list| list.split(',').any(|one| one == word))
}

fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries =
        fs::read_dir(folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut found: Vec<PathBuf> = entries
        .map(|entry| entry.expect("the folder can be read").path())
        .filter(|path| path.extension().is_some_and(|end| end == "c"))
        .collect();
    found.sort();
    found
}

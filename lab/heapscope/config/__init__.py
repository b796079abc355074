"""A firmware's configuration: what its files say, what they leave to Kconfig, and the rules between
options. `lint` checks with it; `predict` and `tune` read the same values and the same rules.

- `lines`, `read_file`: sdkconfig, sdkconfig.defaults and sdkconfig.json as settings with their
  lines.
- `option`, `tables`: the option table: name, type, range and default by chip, PSRAM and SDK
  version; choices, dependencies. `renames`: old names, with inversion, in every SDK version.
- `config`: `Config`, the typed value of every option with its origin, `read_config()` and
  `Config.changed_to()`, a copy with other values.
- `limits`: the range of a number that counts here.
- `expression`, `evaluate`: conditions as syntax trees over options, and their three-valued value.
- `kconfig_tree`: the values and refusals of a real Kconfig, where an ESP-IDF is at hand.
- `rules`: the rules as conditions. `Rule.hard` marks those that a build enforces (B, K, R): every
  check of one says `when => must`, which a search over configurations can take as a constraint.

An option's value is a bool, an int (int and hex) or a str; None is "not known". Names are those of
the newest SDK, without CONFIG_. Nothing here imports another stage of the lab.
"""

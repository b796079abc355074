"""A firmware's configuration: what its files say, what they leave to Kconfig, and the rules between
options. `lint` checks with it; `predict` and `tune` read the same values and the same rules.

- `read_file`: sdkconfig, sdkconfig.defaults and sdkconfig.json as text; `setting`: one of their
  lines.
- `config`: `Config`, the typed value of every option as the release's own program computes it from
  the lines (`heapscope.config.kconfig`), `read_config()` and `Config.changed_to()`, a copy with
  other values.
- `kconfig_tree`: the options of an ESP-IDF at hand, in place of a release's.
- `expression`, `evaluate`: conditions as syntax trees over options, and their three-valued value.
- `rules`: the rules as conditions. `Rule.hard` marks those that a build enforces (B, K, R): every
  check of one says `when => must`, which a search over configurations can take as a constraint.

An option's value is a bool, an int (int and hex) or a str; None is "not known". Names are those of
any release, without CONFIG_.
"""

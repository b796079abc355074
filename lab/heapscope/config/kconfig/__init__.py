"""The options of ESP-IDF's releases, and what a release's own program makes of the lines of a
configuration.

- `condition`: conditions of Kconfig as trees.
- `table`: the options of one release on one chip, from data/options.
- `values`: the value of every option, for the values that a user gave.
- `lines`: the lines of a file as the release reads them.
- `fate`: what becomes of each line, and why.
- `names`: the name of an option in another release.
- `words`, `definitions`, `option_lines`, `kconfig_file`: a reader of Kconfig files.
- `own_options`: the options of a release with those that such files define.

Names are without CONFIG_. Values are text here, as the program has them; `config` gives them types.
"""

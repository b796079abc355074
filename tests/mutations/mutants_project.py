"""Broken in what reads the files of a project."""

from __future__ import annotations

from mutant import Mutant

KCONFIG = "tests/lab/kconfig/test_project_kconfig.py"
FILES = "tests/lab/config/test_project_files.py"
LINT = "tests/lab/lint/test_lint_project.py"

PROJECT = (
    Mutant(
        "options of a project",
        "menus do not hide what is in them",
        "lab/heapscope/config/kconfig/own_options.py::_OptionDefinitions._symbol",
        "both(each.prompt, each.visible, depend)",
        "both(each.prompt, depend)",
        KCONFIG,
    ),
    Mutant(
        "options of a project",
        "a choice counts what hangs on its members",
        "lab/heapscope/config/kconfig/own_options.py::_members",
        "if not above:",
        "if True:",
        KCONFIG,
    ),
    Mutant(
        "options of a project",
        "options that hang on an unread file are judged",
        "lab/heapscope/config/kconfig/own_options.py::_OptionDefinitions.unsure",
        "results.add(name)",
        "pass",
        KCONFIG,
    ),
    Mutant(
        "options of a project",
        "files outside the project are read",
        "lab/heapscope/config/kconfig/kconfig_file.py::KconfigReader._inside",
        "return any(path.is_relative_to(root) for root in self._roots.values())",
        "return path.is_absolute()",
        KCONFIG,
    ),
    Mutant(
        "files of a project",
        "the order is that of ESP-IDF 4.4 in every release",
        "lab/heapscope/config/project.py::Project.files",
        'if RELEASES.index(release) < RELEASES.index("5.0.9"):',
        "if release:",
        FILES,
    ),
    Mutant(
        "files of a project",
        "a broken Kconfig file is not reported",
        "lab/heapscope/config/lint/find.py::kconfig_findings",
        "for place, message in project.faults:",
        "for place, message in project.faults[:0]:",
        LINT,
    ),
)

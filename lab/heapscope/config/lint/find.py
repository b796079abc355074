"""All findings of a configuration."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from heapscope.base.printable import printable
from heapscope.config.config import Config
from heapscope.config.expression import names
from heapscope.config.lint.finding import LintFinding, LintResult, SeverityCounts, spelled_lines
from heapscope.config.lint.lines import line_findings
from heapscope.config.lint.values import value_findings
from heapscope.config.project_options import ProjectOptions
from heapscope.config.rules import SEVERITIES, Check, Rule, all_rules
from heapscope.config.setting import Setting
from heapscope.config.value import value_text


def lint(
    config: Config, *, notes: Iterable[str] = (), project: ProjectOptions | None = None
) -> LintResult:
    results = [*rule_findings(config), *value_findings(config)]
    results += line_findings(config, whole=project is not None and project.whole)
    results += kconfig_findings(project) if project is not None else ()
    findings = tuple(sorted(_once(results), key=lambda each: _order(config, each)))
    names = tuple(file.name for file in config.files)
    if not names and project is not None:
        names = (str(project.folder),)
    counted = Counter(finding.severity for finding in findings)
    return LintResult(
        files=names,
        chip=config.chip,
        idf=config.sdk,
        failed=any(finding.hard for finding in findings),
        counts=SeverityCounts(**{severity: counted[severity] for severity in SEVERITIES}),
        options=len(config.settings),
        listed=sum(name in config.table.symbols for name in config.settings),
        undecided=tuple(_undecided(config)),
        notes=tuple(notes),
        findings=findings,
    )


def kconfig_findings(project: ProjectOptions) -> Iterator[LintFinding]:
    """Lines of the project's Kconfig files at which the release's program stops."""
    for place, message in project.faults:
        yield LintFinding(
            rule="kconfig-file",
            file=place.file,
            line=place.line,
            option="",
            message=f"ESP-IDF's Kconfig program stops here: {printable(message, limit=200)}",
        )


def rule_findings(config: Config) -> Iterator[LintFinding]:
    """One for each check that is broken. Kconfig itself keeps those of severity K: it leaves a line
    out that would break one (`lint.values`)."""
    for rule in all_rules():
        for check in rule.checks if rule.severity != "K" else ():
            if check.counts_in(config.sdk) and check.broken(config):
                yield _finding(config, rule, check)


def _finding(config: Config, rule: Rule, check: Check) -> LintFinding:
    blamed = _blamed(config, check)
    values = check.replacements(config)
    values = {name: value for name, value in values.items() if config.name_here(name)}
    removed = [each for name in check.remove if (each := config.setting(name)) is not None]
    return LintFinding(
        rule=rule.id,
        file=blamed.file if blamed else config.files[0].name if config.files else "",
        line=blamed.line if blamed else 0,
        option=blamed.written if blamed else "",
        message=check.sentence(lambda name: _shown(config, name)),
        values=values,
        write=spelled_lines(config, values),
        remove=tuple((each.written, each.file, each.line) for each in removed),
    )


def _blamed(config: Config, check: Check) -> Setting | None:
    """A line that the user wrote before one that says what is the default anyway; of a rule against
    an option that is off, its "is not set"."""
    matches = [each for name in check.lines if (each := config.setting(name)) is not None]
    matches = [each for each in matches if each.file]
    wrong = [each for each in matches if config.changed(each.name)]
    return next(iter(wrong or matches), None)


def _shown(config: Config, name: str) -> str:
    value = config.value(name)
    return "?" if value is None else value_text(value)


def _undecided(config: Config) -> Iterator[str]:
    for rule in all_rules():
        checks = [check for check in rule.checks if check.counts_in(config.sdk)]
        if any(_exists(config, check) and check.broken(config) is None for check in checks):
            yield rule.id


def _exists(config: Config, check: Check) -> bool:
    """The release has all options of a check."""
    return all(config.name_here(name) for each in (check.when, check.must) for name in names(each))


def _once(findings: list[LintFinding]) -> Iterator[LintFinding]:
    """Where a rule speaks of a line, "depends" need not say it again; nor is a line that cannot be
    read worth more than that."""
    hard = {(each.file, each.line) for each in findings if each.hard and each.rule not in _OTHER}
    for finding in findings:
        if finding.rule not in _GENERAL or (finding.file, finding.line) not in hard:
            yield finding


_GENERAL = ("depends", "choice", "selected", "fixed")
_OTHER = (*_GENERAL, "duplicate")  # that says nothing of the option


def _order(config: Config, finding: LintFinding) -> tuple[int, int, int, str]:
    """The worst first, then by place."""
    files = [file.name for file in config.files]
    place = files.index(finding.file) if finding.file in files else len(files)
    return list(SEVERITIES).index(finding.severity), place, finding.line, finding.rule

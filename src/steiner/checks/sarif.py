"""Findings as SARIF 2.1.0, which code hosts and editors show beside the lines of a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from steiner.checks.rules import DRAWING_RULES, RULES
from steiner.errors import printable
from steiner.findings import Finding

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {"fatal": "error", "error": "error", "warning": "warning", "note": "note"}


def sarif(findings: Sequence[Finding], version: str) -> dict[str, Any]:
    """One run of `steiner check`: all rules, and what they found."""
    rules = [*RULES.values(), *DRAWING_RULES.values()]
    place = {rule.code: k for k, rule in enumerate(rules)}
    driver = {
        "name": "steiner",
        "version": version,
        "rules": [
            {
                "id": rule.code,
                "name": rule.name,
                "shortDescription": {"text": rule.what},
                "help": {"text": rule.fix or rule.what},
                "defaultConfiguration": {"level": LEVELS[rule.severity]},
            }
            for rule in rules
        ],
    }
    results = [_result(finding, place[finding.code]) for finding in findings]
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}


def _result(finding: Finding, rule: int) -> dict[str, Any]:
    said = [finding.text, f"Likely: {finding.cause}." * bool(finding.cause), f"Fix: {finding.fix}." * bool(finding.fix)]
    names = {"link": finding.link, "joint": finding.joint}
    logical = [{"name": printable(name), "kind": kind} for kind, name in names.items() if name]
    location: dict[str, Any] = {"logicalLocations": logical} if logical else {}
    if finding.file:
        place: dict[str, Any] = {"artifactLocation": {"uri": Path(finding.file).as_posix()}}
        if finding.line:
            place["region"] = {"startLine": finding.line}
        location["physicalLocation"] = place
    return {
        "ruleId": finding.code,
        "ruleIndex": rule,
        "level": LEVELS[finding.severity],
        "message": {"text": printable(" ".join(filter(None, said)))},
        "locations": [location] if location else [],
    }

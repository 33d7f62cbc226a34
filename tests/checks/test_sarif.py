"""Findings for code hosts: the parts of SARIF 2.1.0 that they read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import steiner as st
from steiner.checks.rules import DRAWING_RULES, RULES
from steiner.checks.sarif import sarif

FILES = Path(__file__).parent / "files"


def test_every_result_points_to_its_rule_and_its_line():
    findings = [*st.check(FILES / "triangle_bad.urdf"), *st.check(FILES / "limits_swapped_bad.urdf")]
    log = json.loads(json.dumps(sarif(findings, "1.2")))
    (run,) = log["runs"]
    driver = run["tool"]["driver"]
    assert log["version"] == "2.1.0" and driver["name"] == "steiner" and driver["version"] == "1.2"
    assert {rule["id"] for rule in driver["rules"]} == {r.code for r in (*RULES.values(), *DRAWING_RULES.values())}
    assert all(rule["shortDescription"]["text"] for rule in driver["rules"])
    assert len(run["results"]) == len(findings)
    for result, finding in zip(run["results"], findings, strict=True):
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == finding.code
        place = result["locations"][0]["physicalLocation"]
        assert place["region"]["startLine"] == finding.line and place["artifactLocation"]["uri"] == finding.file
    assert [r["level"] for r in run["results"]] == ["error", "warning"]
    assert run["results"][0]["locations"][0]["logicalLocations"] == [{"name": "upper", "kind": "link"}]


@pytest.mark.parametrize("name", ["unreadable_bad.urdf", "mimic_free_bad.urdf", "overlap_bad.yaml"])
def test_findings_without_a_line_or_a_rule_of_a_model_fit_too(name):
    log = sarif(st.check(FILES / name), "1.2")
    assert log["runs"][0]["results"][0]["message"]["text"]

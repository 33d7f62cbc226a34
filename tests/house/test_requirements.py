"""The page that maps requirements to code and tests tells the truth."""

from __future__ import annotations

from tests.requirements import PAGE, REQUIREMENTS, ROOT, page, proofs

LATER = {"E7b"}  # motion has a room of its own


def test_every_requirement_has_code_and_a_test_of_its_name():
    proved, faults = proofs(), []
    for key in REQUIREMENTS.keys() - LATER:
        if not proved.get(key):
            faults.append(f"{key}: no test is named test_{key}_…")
        rooms = (name.partition(" ")[0] for name in REQUIREMENTS[key][1].split(", "))
        faults += [f"{key}: {room} does not exist" for room in rooms if not (ROOT / "src" / "steiner" / room).exists()]
    faults += [f"{key}: tests are named after it, but nobody asks it" for key in proved.keys() - REQUIREMENTS.keys()]
    faults += [] if PAGE.read_text(encoding="utf-8") == page() else ["stale: run `python tests/requirements.py`"]
    assert not faults, "\n".join(sorted(faults))

"""What is kept and when the model is told of it, in real sessions."""

import json

import pytest

from tests.e2e_client.model import Model, call, text, web_results
from tests.e2e_client.world import World

pytestmark = pytest.mark.client

LONG = "Retries are limited to three attempts per call (HINOKI-3). " * 5
SHORT = "x = 1  # SUGI-1\n"
SKILL = """\
---
name: review
description: Reviews one file
---
Read $ARGUMENTS and name what is missing (the review's own words).
"""


def test_results_over_the_limit_are_kept_and_others_are_not(used: World, model: Model):
    client = used.client
    model.web = web_results(
        "bank retries", "Hinoki API", "https://example.org/api", f"Keyaki-7: {LONG}"
    )
    model.answer(
        "Note the retry rules",
        [call("Write", file_path=str(client.project / "rules.md"), content=LONG)],
        [call("Write", file_path=str(client.project / "x.py"), content=SHORT)],
        [
            call(
                "Edit",
                file_path=str(client.project / "x.py"),
                old_string="x = 1",
                new_string=f"x = 1  # MOMI-4 {LONG}",
            )
        ],
        [call("WebSearch", query="bank retries")],
        "Done.",
    )

    client.run("Note the retry rules")

    used.settle()
    assert used.memories("tool:Write") == [LONG.strip()]
    assert [kept.count("MOMI-4") for kept in used.memories("tool:Edit")] == [1]
    (searched,) = used.memories("tool:WebSearch")
    assert "Keyaki-7" in searched
    assert "Hinoki API https://example.org/api" in searched


def test_a_skill_that_the_model_calls_is_told_of_its_earlier_run(used: World, model: Model):
    used.client.write(".claude/skills/review/SKILL.md", SKILL)
    called = [call("Skill", skill="review", args="rules.md")]
    model.answer("Review it, please", called, "A test for leap years is missing (KEYAKI-9).")
    model.answer("Once more, please", called, "Still missing.")
    used.client.run("Review it, please")
    used.settle()

    used.client.run("Once more, please")

    before, after = model.asked_after("Once more, please")
    assert "KEYAKI-9" not in before
    assert "KEYAKI-9" in after


def test_a_skill_that_the_person_types_is_told_of_its_earlier_run(used: World, model: Model):
    """A typed skill fires no PreToolUse but UserPromptExpansion."""
    used.client.write(".claude/skills/review/SKILL.md", SKILL)
    model.answer("the review's own words", "A test for leap years is missing (KEYAKI-9).")
    used.client.run("/review rules.md")
    used.settle()
    first = len(model.requests)

    used.client.run("/review rules.md")

    assert "KEYAKI-9" in json.dumps(model.requests[first:], ensure_ascii=False)
    assert used.events().count("UserPromptExpansion") == 2


def test_a_private_part_leaves_the_session_but_not_into_the_memory(used: World, model: Model):
    model.answer("Deploy it", [text("The token is "), text("kept aside.")])

    used.client.run("Deploy it <private>SAKURA-5</private> with api_key=sk-ant-api03-" + "a" * 40)

    used.settle()
    assert used.memories() != []
    assert b"SAKURA-5" not in used.product.everything()
    assert b"a" * 40 not in used.product.everything()

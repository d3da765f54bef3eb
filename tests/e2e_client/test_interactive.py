"""Sessions at a terminal, where people type and leave with `/exit`."""

import pytest

from tests.e2e_client.model import Model
from tests.e2e_client.terminal import interactive
from tests.e2e_client.world import World

pytestmark = pytest.mark.client


def test_a_session_at_a_terminal_keeps_each_turn_once(installed: World, model: Model):
    model.answer("締め日はいつ", "25日です ALPHA。")
    model.answer("and in December", "The same BETA.")

    with interactive(installed.client) as terminal:
        terminal.enter("締め日はいつ")
        terminal.wait_for("ALPHA")
        terminal.enter("/clear")
        terminal.enter("and in December")
        terminal.wait_for("BETA")
        code = terminal.leave()

    assert code == 0
    installed.settle()
    memories = installed.memories()
    assert [sum(word in kept for kept in memories) for word in ("ALPHA", "BETA")] == [1, 1]
    assert installed.events().count("SessionStart") == 2
    assert installed.events()[-1] == "SessionEnd"

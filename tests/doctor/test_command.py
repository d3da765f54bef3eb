import dataclasses

from runtime.doctor import python
from tests.doctor.findings import one


def test_a_command_on_the_path_is_named(place, program):
    program("runtime", "exit 0")

    finding = one(python.check(place), "python.command").finding

    assert (finding.level, "bin/runtime" in finding.saw) == ("ok", True)


def test_without_it_on_the_path_the_link_is_told(place):
    """Sessions are told to search and to save with a command that their shell must find."""
    here = dataclasses.replace(place, executable="/opt/oboegaki/bin/python")

    finding = one(python.check(here), "python.command").finding

    assert finding.level == "note"
    assert "ln -s /opt/oboegaki/bin/runtime ~/.local/bin/" in finding.advice

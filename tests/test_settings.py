import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.errors import SettingsError
from runtime.settings import OLD_NAMES, Settings, load, names, require, variable

NAMES = sorted(names())


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "config.toml"


def test_without_file_and_environment_everything_is_a_default(config):
    loaded = load(str(config), {})

    assert loaded == (Settings(), {}, ())


def test_the_environment_wins_over_the_file_and_each_value_knows_its_origin(config):
    config.write_text("[capture]\nmin_chars = 300\ntool_max_chars = 5000\n", encoding="utf-8")

    loaded = load(str(config), {"OBOEGAKI_CAPTURE_MIN_CHARS": "400"})

    assert loaded.settings.capture.min_chars == 400
    assert loaded.settings.capture.tool_max_chars == 5000
    assert loaded.origins == {
        "capture.min_chars": "$OBOEGAKI_CAPTURE_MIN_CHARS",
        "capture.tool_max_chars": str(config),
    }


@pytest.mark.parametrize("name", sorted(OLD_NAMES))
def test_the_older_names_are_read_and_ours_win(config, name):
    old, new = OLD_NAMES[name], variable(name)
    special = {"inject.enabled": ("0", "1"), "notes.file_max_chars": ("3000", "2000")}
    value, other = special.get(name, ("3", "2"))

    old_alone = load(str(config), {old: value})
    both = load(str(config), {old: value, new: other})

    assert old_alone.origins == {name: f"${old}"}
    assert both.origins == {name: f"${new}"}


def test_folders_are_joined_like_path_in_the_environment(config, monkeypatch):
    monkeypatch.setenv("HOME", "/home/a")

    loaded = load(str(config), {"OBOEGAKI_NOTES_DIRS": f"~/x{os.pathsep}{os.pathsep}/y"})

    assert loaded.settings.notes.dirs == ("/home/a/x", "/y")


@pytest.mark.parametrize(
    ("text", "named", "why"),
    [
        ("[capture]\nmin_chars = 'many'\n", "capture.min_chars", "a wrong type"),
        ("[capture]\nmin_chars = -1\n", "capture.min_chars", "below the least"),
        ("[notes]\ndirs = [1, 2]\n", "notes.dirs", "a list of something else"),
        ("[logs]\nlevel = 'loud'\n", "logs.level", "not one of the words"),
        ("[capture]\nmin_char = 5\n", "capture.min_char", "an unknown key"),
        ("[captured]\nmin_chars = 5\n", "captured.min_chars", "an unknown section"),
        ("capture = 5\n", "capture", "a section that is none"),
        ("'capture.min_chars' = 5\n", "capture.min_chars", "a dotted name in quotes"),
        ("[capture]\n'min_chars.' = 5\n", "min_chars.", "a key with a dot"),
        ("[host]\na = 1\n", "host.a", "a value that is a section"),
        ("[host]\n'' = 1\n", "host", "an empty key"),
        ("[notes]\ndirs = 5\n", "notes.dirs", "a number for a list"),
        ("[store]\nbusy_timeout_s = nan\n", "store.busy_timeout_s", "not a number"),
    ],
)
def test_what_does_not_fit_is_told_and_its_default_used(config, text, named, why):
    config.write_text(text, encoding="utf-8")

    loaded = load(str(config), {})

    assert loaded.settings == Settings(), why
    assert len(loaded.problems) == 1
    assert named in loaded.problems[0]
    assert str(config) in loaded.problems[0]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"[capture\n", "no TOML"),
        (b"\xff\xfe\x00", "no UTF-8"),
        (b"a = 1\na = 2\n", "a key twice"),
    ],
)
def test_a_file_that_cannot_be_read_is_told(config, content, why):
    config.write_bytes(content)

    loaded = load(str(config), {"OBOEGAKI_HOST": "here"})

    assert loaded.settings == Settings(host="here"), why
    assert len(loaded.problems) == 1


def test_a_folder_in_the_file_s_place_is_told(config):
    config.mkdir()

    assert len(load(str(config), {}).problems) == 1


def test_a_bad_value_in_the_environment_names_its_variable(config):
    loaded = load(str(config), {"OBOEGAKI_HOOK_BUDGET_S": "soon", "OBOEGAKI_INJECT_BLOCKS": "99"})

    assert loaded.settings == Settings()
    assert [problem.split(":")[0] for problem in loaded.problems] == [
        "$OBOEGAKI_INJECT_BLOCKS",
        "$OBOEGAKI_HOOK_BUDGET_S",
    ]
    assert loaded.origins == {}


def test_one_bad_value_leaves_the_others(config):
    config.write_text("[capture]\nmin_chars = 7\ntool_max_chars = 1\n", encoding="utf-8")

    loaded = load(str(config), {})

    assert loaded.settings.capture.min_chars == 7
    assert loaded.settings.capture.tool_max_chars == Settings().capture.tool_max_chars


TOML_KEYS = st.sampled_from([*NAMES, "capture", "host", "x", "", "min_chars", "dirs", "a.b"])
TOML_VALUES = st.sampled_from(
    ["5", "-1", "'x'", "[1]", "['a']", "{}", "{a = 1}", "{min_chars = 3}", "nan", "true", "1e9"]
)


@given(st.dictionaries(TOML_KEYS, TOML_VALUES), st.dictionaries(TOML_KEYS, TOML_VALUES))
def test_any_file_gives_settings(tmp_path_factory, top, capture):
    config = tmp_path_factory.mktemp("settings") / "config.toml"
    lines = [f"'{key}' = {value}" for key, value in top.items()]
    if "capture" not in top:
        lines += ["['capture']", *(f"'{key}' = {value}" for key, value in capture.items())]
    config.write_text("\n".join(lines), encoding="utf-8")

    loaded = load(str(config), {})

    assert isinstance(loaded.settings, Settings)


@given(st.dictionaries(st.sampled_from([variable(name) for name in NAMES]), st.text()))
def test_any_environment_gives_settings(environ):
    loaded = load("/dev/null/none", environ)

    assert isinstance(loaded.settings, Settings)
    assert len(loaded.problems) <= len(environ) + 1


def test_a_command_refuses_what_a_hook_passes_over(config):
    config.write_text("[capture]\nmin_chars = -1\nx = 1\n", encoding="utf-8")
    loaded = load(str(config), {})

    with pytest.raises(SettingsError) as caught:
        require(loaded)

    assert len(caught.value.problems) == 2
    assert require(load("/nowhere/config.toml", {})) == Settings()


@pytest.mark.parametrize("name", NAMES)
def test_every_setting_is_described_and_has_one_variable(name):
    var, description, _default = names()[name]

    assert var == "OBOEGAKI_" + name.upper().replace(".", "_")
    assert description.endswith(".")


def test_relative_paths_of_the_file_begin_where_it_lies(config, monkeypatch, tmp_path):
    """A hook, the worker and a command run in different folders and mean the same one."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    monkeypatch.setenv("HOME", "/home/a")
    config.write_text(
        '[notes]\ndirs = ["notes", "../work", "~/x", "/y"]\ncontext = "CONTEXT.md"\narchive = ""\n'
        '[store]\npath = "db/memory.db"\n',
        encoding="utf-8",
    )

    settings = load(str(config), {}).settings

    folder = str(config.parent)
    assert settings.notes.dirs == (f"{folder}/notes", f"{folder}/../work", "/home/a/x", "/y")
    assert settings.notes.context == f"{folder}/CONTEXT.md"
    assert settings.notes.archive == ""
    assert settings.store.path == f"{folder}/db/memory.db"


def test_folders_joined_in_the_file_begin_there_too(config):
    config.write_text(f'[notes]\ndirs = "a{os.pathsep}/b"\n', encoding="utf-8")

    assert load(str(config), {}).settings.notes.dirs == (f"{config.parent}/a", "/b")


def test_a_relative_path_of_a_variable_is_left_to_the_process_that_has_it(config):
    assert (
        load(str(config), {"MEMORY_CONTEXT": "CONTEXT.md"}).settings.notes.context == "CONTEXT.md"
    )

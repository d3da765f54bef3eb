import json
import os
from datetime import UTC, datetime, timedelta

import pytest

from runtime.errors import ClientSettingsError, FileChangedError, PluginEnabledError
from runtime.install import settings_file
from runtime.install.command import Installer
from runtime.install.entries import EVENTS
from runtime.install.scopes import settings_path
from runtime.install.settings_file import backups

NOW = datetime(2026, 11, 24, 10, 11, 12, tzinfo=UTC)


@pytest.fixture
def environ(tmp_path):
    return {
        "HOME": str(tmp_path / "person"),
        "CLAUDE_CONFIG_DIR": str(tmp_path / "claude"),
        "OBOEGAKI_HOME": str(tmp_path / "home"),
    }


@pytest.fixture
def user_file(tmp_path):
    folder = tmp_path / "claude"
    folder.mkdir()
    return folder / "settings.json"


@pytest.fixture
def installer(environ, tmp_path):
    return Installer("user", environ, str(tmp_path))


def install(installer, *, now=NOW, dry_run=False, force=False):
    return installer.install(now, dry_run=dry_run, force=force)


def test_the_users_settings_lie_where_the_client_looks(environ, tmp_path):
    assert settings_path("user", environ, "/") == tmp_path / "claude" / "settings.json"
    del environ["CLAUDE_CONFIG_DIR"]
    assert settings_path("user", environ, "/") == tmp_path / "person" / ".claude" / "settings.json"


def test_a_projects_settings_lie_in_the_repository_around_us(tmp_path):
    inner = tmp_path / "repo" / "src" / "deep"
    inner.mkdir(parents=True)
    (tmp_path / "repo" / ".git").write_text("gitdir: elsewhere", encoding="utf-8")

    assert settings_path("project", {}, str(inner)) == tmp_path / "repo/.claude/settings.json"
    assert settings_path("local", {}, str(inner)) == tmp_path / "repo/.claude/settings.local.json"


def test_without_a_repository_the_folder_itself_is_the_project(tmp_path):
    assert settings_path("project", {}, str(tmp_path)) == tmp_path / ".claude" / "settings.json"


def test_a_missing_file_is_made_for_its_owner_alone(installer, tmp_path):
    done = install(installer)

    path = tmp_path / "claude" / "settings.json"
    assert done.changed
    assert done.backup is None
    assert set(json.loads(path.read_text(encoding="utf-8"))["hooks"]) == set(EVENTS)
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("text", ["", "\n", "{}"])
def test_a_file_without_content_is_an_empty_object(installer, user_file, text):
    user_file.write_text(text, encoding="utf-8")

    install(installer)

    assert list(json.loads(user_file.read_text(encoding="utf-8"))) == ["hooks"]


def test_the_file_as_it_was_is_kept_with_its_mode(installer, user_file):
    user_file.write_text('{"model": "x"}', encoding="utf-8")
    user_file.chmod(0o640)

    done = install(installer)

    assert user_file.stat().st_mode & 0o777 == 0o640
    assert [str(path) for path in backups(user_file)] == [done.backup]
    assert backups(user_file)[0].read_text(encoding="utf-8") == '{"model": "x"}'
    assert backups(user_file)[0].name.startswith("settings.json.oboegaki-backup-20261124T101112")


def test_the_second_time_writes_nothing(installer, user_file):
    install(installer)
    before = user_file.stat()

    done = install(installer, now=NOW + timedelta(seconds=1))

    assert (done.changed, done.backup, done.diff) == (False, None, "")
    assert user_file.stat().st_ino == before.st_ino
    assert backups(user_file) == []


def test_the_newest_three_backups_stay(installer, user_file):
    for second in range(6):
        user_file.write_text(json.dumps({"turn": second}), encoding="utf-8")
        install(installer, now=NOW + timedelta(seconds=second))

    assert [
        json.loads(path.read_text(encoding="utf-8"))["turn"] for path in backups(user_file)
    ] == [3, 4, 5]


def test_a_symlinked_file_stays_a_link_and_its_target_changes(installer, user_file, tmp_path):
    target = tmp_path / "dotfiles.json"
    target.write_text("{}", encoding="utf-8")
    user_file.symlink_to(target)

    install(installer)

    assert user_file.is_symlink()
    assert "hooks" in json.loads(target.read_text(encoding="utf-8"))
    assert backups(user_file)[0].read_text(encoding="utf-8") == "{}"


def test_a_dry_run_shows_the_change_and_writes_nothing(installer, user_file, tmp_path):
    user_file.write_text('{\n  "model": "x"\n}\n', encoding="utf-8")

    done = install(installer, dry_run=True)

    assert done.changed
    assert '+  "hooks": {' in done.diff
    assert user_file.read_text(encoding="utf-8") == '{\n  "model": "x"\n}\n'
    assert sorted(path.name for path in tmp_path.iterdir()) == ["claude"]


def test_a_secret_beside_the_change_is_not_shown(installer, user_file):
    key = "sk-ant-" + "api03-" + "Zq8" * 20
    user_file.write_text(
        json.dumps({"env": {"ANTHROPIC_API_KEY": key}}, indent=2), encoding="utf-8"
    )

    done = install(installer)

    assert key not in done.diff
    assert json.loads(user_file.read_text(encoding="utf-8"))["env"]["ANTHROPIC_API_KEY"] == key


@pytest.mark.parametrize(
    ("data", "line", "column", "word"),
    [
        (b'{\n  // mine\n  "a": 1\n}', 2, 3, "comment"),
        (b'{"a": 1,}', 1, 9, "JSON"),
        (b'{"a": NaN}', 1, 7, "NaN"),
        (b'{"a": "\xff"}', None, 1, "UTF-8"),
        (b'{\n "hooks": []\n}', 2, 11, "hooks"),
        (b"[]", 1, 1, "object"),
    ],
)
def test_a_file_that_cannot_be_edited_is_refused_at_its_place(
    installer, user_file, data, line, column, word
):
    user_file.write_bytes(data)

    with pytest.raises(ClientSettingsError) as refused:
        install(installer)

    assert (refused.value.line, refused.value.column) == (line, column)
    assert word in refused.value.reason
    assert user_file.read_bytes() == data
    assert backups(user_file) == []


def test_a_file_that_another_program_changes_meanwhile_wins(user_file):
    user_file.write_text("{}", encoding="utf-8")
    file = settings_file.read(user_file)
    user_file.write_text('{"model": "theirs"}', encoding="utf-8")

    with pytest.raises(FileChangedError):
        settings_file.write(file, '{"hooks": {}}', NOW)

    assert user_file.read_text(encoding="utf-8") == '{"model": "theirs"}'
    assert backups(user_file) == []


def test_a_file_that_appears_meanwhile_wins(user_file):
    file = settings_file.read(user_file)
    user_file.write_text('{"model": "theirs"}', encoding="utf-8")

    with pytest.raises(FileChangedError):
        settings_file.write(file, '{"hooks": {}}', NOW)

    assert user_file.read_text(encoding="utf-8") == '{"model": "theirs"}'


@pytest.mark.parametrize(
    "text",
    ['{"hooks": {}}', '{"hooks": {"Stop": []}, "a": 1}', '{"hooks": {"Stop": [], "X": []}}'],
)
def test_what_was_empty_before_is_empty_again(installer, user_file, text):
    user_file.write_text(text, encoding="utf-8")
    install(installer)
    install(installer, now=NOW + timedelta(seconds=1))

    installer.uninstall(NOW + timedelta(seconds=2), dry_run=False)

    assert user_file.read_text(encoding="utf-8") == text


def test_a_file_that_install_made_is_gone_again(installer, tmp_path):
    install(installer)
    install(installer, now=NOW + timedelta(seconds=1))

    done = installer.uninstall(NOW + timedelta(seconds=2), dry_run=False)

    assert (done.changed, done.removed, done.backup) == (True, True, None)
    assert "-{" in done.diff
    assert os.listdir(tmp_path / "claude") == []


def test_a_dry_run_deletes_nothing(installer, user_file):
    install(installer)
    before = user_file.read_bytes()

    done = installer.uninstall(NOW, dry_run=True)

    assert done.removed
    assert user_file.read_bytes() == before
    assert installer.uninstall(NOW, dry_run=False).removed


def test_what_others_added_to_a_file_that_install_made_stays(installer, user_file):
    install(installer)
    document = json.loads(user_file.read_text(encoding="utf-8"))
    user_file.write_text(json.dumps({**document, "model": "x"}), encoding="utf-8")

    done = installer.uninstall(NOW, dry_run=False)

    assert not done.removed
    assert json.loads(user_file.read_text(encoding="utf-8")) == {"model": "x"}


def test_a_file_that_somebody_made_after_an_uninstall_by_hand_is_theirs(installer, user_file):
    """What is remembered is of the time before our entries that are there now."""
    install(installer)
    user_file.write_text("{}", encoding="utf-8")
    install(installer, now=NOW + timedelta(seconds=1))

    installer.uninstall(NOW + timedelta(seconds=2), dry_run=False)

    assert json.loads(user_file.read_text(encoding="utf-8")) == {}


def test_a_link_to_no_file_is_one_again(installer, user_file, tmp_path):
    user_file.symlink_to(tmp_path / "dotfiles" / "settings.json")
    install(installer)

    installer.uninstall(NOW, dry_run=False)

    assert user_file.is_symlink()
    assert os.listdir(tmp_path / "dotfiles") == []


def test_a_file_that_changes_before_it_is_deleted_stays(installer, user_file):
    install(installer)
    file = settings_file.read(user_file)
    user_file.write_text('{"model": "theirs"}', encoding="utf-8")

    with pytest.raises(FileChangedError):
        settings_file.remove(file)

    assert user_file.read_text(encoding="utf-8") == '{"model": "theirs"}'


def test_uninstalling_where_nothing_is_writes_nothing(installer, user_file):
    user_file.write_text('{"hooks": {"Stop": []}}', encoding="utf-8")

    done = installer.uninstall(NOW, dry_run=False)

    assert not done.changed
    assert backups(user_file) == []


@pytest.mark.parametrize("name", ["oboegaki", "oboegaki@somewhere"])
def test_beside_the_enabled_plugin_it_is_refused_until_forced(installer, user_file, name):
    user_file.write_text(json.dumps({"enabledPlugins": {name: True}}), encoding="utf-8")

    with pytest.raises(PluginEnabledError) as refused:
        install(installer)

    assert refused.value.plugin == name
    assert install(installer, force=True).changed


@pytest.mark.parametrize("plugins", [{"oboegaki@x": False}, {"oboegaki-ui@x": True}, [], None])
def test_another_or_a_disabled_plugin_is_no_hindrance(installer, user_file, plugins):
    user_file.write_text(json.dumps({"enabledPlugins": plugins}), encoding="utf-8")

    assert install(installer).changed


def test_what_keeps_hooks_from_running_or_doubles_them_is_said(environ, user_file, tmp_path):
    user_file.write_text(
        json.dumps(
            {
                "disableAllHooks": True,
                "hooks": {"Stop": [{"hooks": [{"command": "oboegaki hook"}]}]},
            }
        ),
        encoding="utf-8",
    )

    warnings = Installer("project", environ, str(tmp_path)).warnings()

    assert [
        word in text for text, word in zip(warnings, ("disableAll", "twice", "shared"), strict=True)
    ]


@pytest.mark.process
def test_the_commands_do_the_whole_round(product, tmp_path):
    folder = tmp_path / "claude"
    folder.mkdir()
    path = folder / "settings.json"
    path.write_text('{\n\t"model": "x"\n}', encoding="utf-8")
    environ = {"CLAUDE_CONFIG_DIR": str(folder)}

    dry = product.command("install", "--dry-run", "--json", environ=environ, cwd=tmp_path)
    shown = product.command("install", environ=environ, cwd=tmp_path)
    again = product.command("install", "--json", environ=environ, cwd=tmp_path)
    out = product.command("uninstall", "--json", environ=environ, cwd=tmp_path)

    assert (dry.json["changed"], dry.json["backup"]) == (True, None)
    assert shown.out.startswith(b"--- ")
    assert set(again.json) == {"path", "changed", "backup", "diff", "removed", "skills"}
    assert again.json["changed"] is False
    assert out.json["changed"] is True
    assert path.read_text(encoding="utf-8") == '{\n\t"model": "x"\n}'
    assert os.path.exists(out.json["backup"])


@pytest.mark.process
def test_the_command_names_file_line_and_column_of_a_fault(product, tmp_path):
    (tmp_path / "settings.json").write_text("{\n  # no\n}", encoding="utf-8")

    ran = product.command("install", environ={"CLAUDE_CONFIG_DIR": str(tmp_path)}, cwd=tmp_path)

    assert ran.code == 1
    assert f"{tmp_path / 'settings.json'}, line 2, column 3" in ran.err

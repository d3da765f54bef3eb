import json
import logging
import os
import stat
import subprocess
import sys
import warnings

import pytest
import structlog
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime import logs
from runtime.paths import Home
from runtime.setting_sections import Logs

SECRET = "sk-ant-" + "a1" * 20


@pytest.fixture
def home(tmp_path):
    home = Home(str(tmp_path / "home"))
    home.prepare()
    return home


@pytest.fixture
def configured(home):
    """Logging as a hook sets it up; the test's own is put back."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    root.handlers = []
    with warnings.catch_warnings():
        logs.configure(home, Logs(level="info"))
        yield home
        logging.captureWarnings(capture=False)
    root.handlers, root.level = handlers, level
    structlog.reset_defaults()


def lines(home):
    path = os.path.join(home.logs, logs.FILE_NAME)
    with open(path, "rb") as file:
        return [json.loads(line) for line in file.read().split(b"\n") if line]


def test_a_line_is_one_json_object_of_the_event_and_its_facts(configured):
    structlog.get_logger().info("event_handled", outcome="ok", chars=5, names=("a", "あ"))

    (line,) = lines(configured)
    assert line.pop("timestamp")[-1] == "Z"
    assert line == {
        "event": "event_handled",
        "level": "info",
        "outcome": "ok",
        "chars": 5,
        "names": ["a", "あ"],
    }


def test_lines_below_the_level_are_not_written(configured):
    structlog.get_logger().debug("quiet")
    structlog.get_logger().warning("loud")

    assert [line["event"] for line in lines(configured)] == ["loud"]


def test_japanese_stays_readable_and_the_file_is_its_owner_s(configured):
    structlog.get_logger().info("x", text="期限")

    path = os.path.join(configured.logs, logs.FILE_NAME)
    with open(path, encoding="utf-8") as file:
        assert "期限" in file.read()
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600


def test_secrets_and_long_texts_are_not_written(configured):
    structlog.get_logger().info("x", text=f"key {SECRET}", inner={"a": [SECRET]}, long="y" * 10_000)

    (line,) = lines(configured)
    assert "a1a1" not in json.dumps(line)
    assert len(line["long"]) == logs.MAX_VALUE_CHARS + 1


def test_an_exception_is_written_with_its_traceback(configured):
    try:
        int(SECRET)
    except ValueError:
        structlog.get_logger().exception("failed")

    (line,) = lines(configured)
    assert line["level"] == "error"
    assert "Traceback" in line["exception"]
    assert "a1a1" not in line["exception"]


def test_libraries_and_warnings_end_up_in_the_same_file(configured):
    logging.getLogger("library").error("said %s", "this")
    warnings.warn("that", stacklevel=1)

    first, second = lines(configured)
    assert (first["event"], first["logger"]) == ("library_message", "library")
    assert first["message"] == "said this"
    assert "that" in second["message"]


def test_a_library_s_bad_format_string_is_not_our_failure(configured, capfd, monkeypatch):
    root = logging.getLogger()
    ours = [handler for handler in root.handlers if isinstance(handler, logs._Bridge)]
    monkeypatch.setattr(root, "handlers", ours)

    logging.getLogger("library").error("said %d", "this")
    logging.getLogger("library").error("next")

    assert [line["message"] for line in lines(configured)] == ["next"]
    assert capfd.readouterr().out == ""


VALUES = st.recursive(
    st.none() | st.booleans() | st.floats() | st.text(st.characters()) | st.binary(),
    lambda inner: st.lists(inner) | st.dictionaries(st.integers() | st.text(), inner),
    max_leaves=6,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(VALUES)
def test_any_value_can_be_logged(configured, value):
    structlog.get_logger().info("x", value=value)

    assert lines(configured)[-1]["event"] == "x"


def test_a_file_that_cannot_be_written_is_no_failure(configured):
    os.rename(configured.logs, configured.logs + ".gone")

    structlog.get_logger().info("x")

    assert not os.path.exists(configured.logs)


def test_a_large_file_is_rotated_and_the_oldest_goes(home):
    log_file = logs.LogFile(home.logs, Logs(max_bytes=10_000, keep=2))

    for number in range(100):
        log_file.write(f'{{"n": {number}, "x": "{"y" * 500}"}}')

    names = [os.path.basename(path) for path in logs.files(home.logs)]
    assert names[:2] == [f"{logs.FILE_NAME}.2", f"{logs.FILE_NAME}.1"]
    assert set(names[2:]) <= {logs.FILE_NAME}
    assert all(os.path.getsize(path) < 11_000 for path in logs.files(home.logs))


def test_other_files_in_the_folder_are_no_logs(home):
    for name in ("crash.txt", "5", f"{logs.FILE_NAME}.lock", f"{logs.FILE_NAME}.²"):
        with open(os.path.join(home.logs, name), "wb"):
            pass

    assert logs.files(home.logs) == []
    assert logs.files("/nowhere") == []


WRITE = """
import sys
from runtime.logs import LogFile
from runtime.setting_sections import Logs
log_file = LogFile(sys.argv[1], Logs(max_bytes=20_000, keep=100))
for number in range(200):
    log_file.write('{"who": "%s", "n": %d, "x": "%s"}' % (sys.argv[2], number, "y" * 300))
"""


@pytest.mark.process
def test_processes_that_write_and_rotate_at_once_lose_no_line(home):
    processes = [
        subprocess.Popen([sys.executable, "-I", "-c", WRITE, home.logs, str(number)])
        for number in range(4)
    ]
    for process in processes:
        assert process.wait(60) == 0

    found = []
    for path in logs.files(home.logs):
        with open(path, "rb") as file:
            found += [json.loads(line) for line in file]
    assert len({(line["who"], line["n"]) for line in found}) == len(found) == 800

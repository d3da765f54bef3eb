import itertools
import json
import os
import shlex
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from runtime.client import event_name, facts_of
from runtime.stdin import STDIN_WAIT_S, read_stdin
from tests.leftovers import until
from tests.processes import HOOK, PATIENCE_S

BASE = {"session_id": "s", "transcript_path": "", "cwd": "/nowhere/shop"}
START = {**BASE, "hook_event_name": "SessionStart", "source": "startup"}
WRITE = {
    **BASE,
    "hook_event_name": "PostToolUse",
    "tool_name": "Write",
    "tool_input": {"file_path": "/a.md"},
    "tool_response": {"content": "marker " * 60},
}
HEAVY = ("pydantic", "anyio", "structlog", "click", "asyncio", "json", "aiosqlite", "typing")


def events(home: Path) -> list[tuple[str, str]]:
    connection = sqlite3.connect(home / "memory.db")
    try:
        return connection.execute("SELECT name, outcome FROM events ORDER BY seq").fetchall()
    finally:
        connection.close()


@pytest.mark.parametrize(
    ("payload", "name", "why"),
    [
        (b'{"hook_event_name": "Stop"}', "Stop", "as the client writes it"),
        (b'{"a": 1, "hook_event_name" :\n"Stop"}', "Stop", "white space"),
        (b"", "", "nothing"),
        (b'{"hook_event_name": 5}', "", "no string"),
        (b'{"hook_event_name": "' + b"x" * 100 + b'"}', "", "no name is that long"),
        (b'{"hook_event_name": "\xff"}', "\ufffd", "no ASCII"),
    ],
)
def test_the_event_s_name_is_seen_without_parsing(payload, name, why):
    assert event_name(payload) == name, why


def test_only_what_is_known_about_the_event_is_a_fact():
    here = {"directory": os.getcwd()}

    assert facts_of({}, "", "") == here
    known = facts_of({"CLAUDE_PROJECT_DIR": "/p"}, "Stop", "")
    assert known == {"event": "Stop", "project": "/p", **here}


def test_a_headless_client_that_a_session_started_is_nested(tmp_path):
    """Its own environment says so; there is no other sign."""
    environ = {**os.environ, "CLAUDECODE": "1"}
    client = subprocess.Popen(["sleep", "60"], env=environ)
    other = subprocess.Popen(["sleep", "60"])
    try:
        # Right after the start the kernel may not show it yet.
        for process in (client, other):
            until(Path(f"/proc/{process.pid}/environ").read_bytes)
        facts = {"CLAUDE_CODE_ENTRYPOINT": "sdk-cli", "CLAUDE_PID": str(client.pid)}
        nested = facts_of(facts, "", "")
        alone = facts_of({**facts, "CLAUDE_PID": str(other.pid)}, "", "")
        unknown = facts_of({**facts, "CLAUDE_PID": "x"}, "", "")
    finally:
        for process in (client, other):
            process.kill()
            process.wait()

    assert nested.get("nested") == "1"
    assert "nested" not in alone
    assert "nested" not in unknown


def test_stdin_is_read_until_its_object_is_whole_though_the_pipe_stays_open():
    reading, writing = os.pipe()
    os.write(writing, b'{"a": ')
    writer = threading.Thread(target=os.write, args=(writing, b"1}"))
    writer.start()

    data, problem = read_stdin(reading, PATIENCE_S)

    writer.join()
    os.close(reading)
    os.close(writing)
    assert (data, problem) == (b'{"a": 1}', "")


def test_half_an_object_is_given_up_after_a_while():
    reading, writing = os.pipe()
    os.write(writing, b'{"a": ')

    data, problem = read_stdin(reading, 0.05)

    os.close(reading)
    os.close(writing)
    assert data == b'{"a": '
    assert "6 bytes" in problem
    assert STDIN_WAIT_S < 2


def test_stdin_s_end_ends_the_reading():
    reading, writing = os.pipe()
    os.write(writing, b"no object")
    os.close(writing)

    assert read_stdin(reading, PATIENCE_S) == (b"no object", "")
    os.close(reading)


@pytest.mark.process
def test_the_hook_process_loads_the_cheap_part_of_the_standard_library_only():
    """Up to the moment that the pipeline is needed."""
    bare = modules_after("import sys")
    hook = modules_after("import sys, runtime.client, runtime.locks, runtime.__main__")

    # What the interpreter starts with (a tool may measure it) is not the hook's doing.
    assert (hook - bare) & set(HEAVY) == set()
    assert "runtime" in hook


def modules_after(statement: str) -> set[str]:
    code = f"{statement}; print(*(name.partition('.')[0] for name in sys.modules))"
    done = subprocess.run([sys.executable, "-I", "-c", code], capture_output=True, check=True)
    return set(done.stdout.decode().split())


@pytest.mark.process
def test_a_hook_answers_one_json_object_or_nothing(product):
    asked = product.hook(START)
    told = product.hook(WRITE)

    assert (asked.code, told.code) == (0, 0)
    assert asked.answer["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert told.out == b""
    assert events(product.home) == [("SessionStart", "ok"), ("PostToolUse", "ok")]


@pytest.mark.process
@pytest.mark.parametrize("payload", [b"", b"\xff\0", b"{", b"[1]", b'{"hook_event_name": 1}'])
def test_no_input_makes_a_hook_fail(product, payload):
    done = product.hook(payload)

    assert (done.code, done.out) == (0, b"")


@pytest.mark.process
def test_switched_off_it_does_nothing(product):
    done = product.hook(WRITE, environ={"OBOEGAKI_DISABLE": "1"})

    assert (done.code, done.out, done.err) == (0, b"", "")
    assert not product.home.exists()


@pytest.mark.process
@pytest.mark.parametrize("home", ["/dev/null/none", "/proc/none"])
def test_a_home_that_cannot_be_made_is_no_failure(product, home):
    done = product.hook(WRITE, environ={"OBOEGAKI_HOME": home})

    assert (done.code, done.out) == (0, b"")


@pytest.mark.process
def test_a_damaged_database_costs_no_answer_and_no_event(product):
    product.home.mkdir()
    (product.home / "memory.db").write_bytes(b"no database " * 1000)

    asked = product.hook(START)
    told = product.hook(WRITE)

    assert asked.context
    assert (told.code, told.out) == (0, b"")
    (aside,) = product.home.glob("memory.db.unreadable-*")
    assert aside.read_bytes() == b"no database " * 1000
    assert product.finds("marker")


@pytest.mark.process
@pytest.mark.parametrize(
    ("config", "environ"),
    [
        ("[capture]\nmin_chars = 'many'\n", {}),
        ("[captured]\nx = 1\n", {}),
        ("'capture.min_chars' = 5\n", {}),
        ("[capture\n", {}),
        ("", {"OBOEGAKI_CAPTURE_MIN_CHARS": "many", "OBOEGAKI_LOGS_LEVEL": "loud"}),
        ("[store]\npath = '/dev/null/none/a.db'\n", {}),
        ('[store]\npath = "a\\u0000b"\n', {}),
    ],
)
def test_a_bad_config_costs_no_answer(product, config, environ):
    product.home.mkdir()
    (product.home / "config.toml").write_text(config, encoding="utf-8")

    done = product.hook(START, environ=environ)

    assert done.code == 0
    assert done.context
    assert {line["event"] for line in product.logged()} & {"setting_ignored", "store_unusable"}


HOSTILE = "import os; open(os.environ['TRAP'], 'a').write(__name__ + '\\n'); raise SystemExit(2)\n"


@pytest.mark.process
def test_a_project_s_own_modules_are_never_imported(product, tmp_path):
    """`runtime`, `handlers` and `schemas` are names that projects use themselves."""
    project = tmp_path / "project"
    for package in ("runtime", "handlers", "schemas"):
        (project / package).mkdir(parents=True)
        (project / package / "__init__.py").write_text(HOSTILE, encoding="utf-8")
    for name in ("json", "sitecustomize", "usercustomize", "anyio", "os", "sqlite3", "click"):
        (project / f"{name}.py").write_text(HOSTILE, encoding="utf-8")
    trap = tmp_path / "trap"
    environ = {"PYTHONPATH": ".", "TRAP": str(trap), "PYTHONSTARTUP": "json.py"}

    asked = product.hook(START, environ=environ, cwd=project)
    told = product.hook(WRITE, environ=environ, cwd=project)
    found = product.command("search", "marker", environ=environ, cwd=project)

    assert (asked.code, told.code, found.code) == (0, 0, 0)
    assert asked.context
    assert b"marker" in found.out
    assert not trap.exists()


CLOSED = [
    closed
    for count in range(1, 4)
    for closed in itertools.combinations(("0<&-", "1>&-", "2>&-"), count)
]


@pytest.mark.process
@pytest.mark.parametrize("closed", CLOSED, ids="".join)
def test_closed_descriptors_never_let_prints_into_the_database(product, closed):
    """The lowest free descriptor goes to the next file: that must not be the database."""
    noisy = (
        "import sys, os; sys.path.insert(0, '');"
        "from runtime.__main__ import main; import runtime.inline as inline;"
        "real = inline.handle;\n"
        "async def handle(*args):\n"
        "    for fd in (1, 2):\n"
        "        os.write(fd, b'noise' * 2000)\n"
        "    print('noise', flush=True)\n"
        "    return await real(*args)\n"
        "inline.handle = handle\n"
        "main()"
    )
    command = shlex.join([sys.executable, "-I", "-c", noisy, "hook"])
    for payload in (START, WRITE):
        subprocess.run(
            ["sh", "-c", f"exec {command} {' '.join(closed)}"],
            input=json.dumps(payload).encode(),
            capture_output=True,
            timeout=PATIENCE_S,
            env={**os.environ, **product.environ},
            check=True,
        )

    connection = sqlite3.connect(product.home / "memory.db")
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()
    assert b"noise" not in product.everything()
    assert len(events(product.home)) == (0 if "0<&-" in closed else 2)


@pytest.mark.process
def test_what_handlers_libraries_and_warnings_print_never_reaches_stdout(product):
    noisy = (
        "import sys, os, warnings, logging\n"
        "from runtime.__main__ import main\n"
        "import handlers.inject_session_context as module\n"
        "real = module.handle\n"
        "async def handle(event, services):\n"
        "    print('noise')\n"
        "    sys.stdout.write('noise'); sys.__stdout__.write('noise'); sys.stdout.flush()\n"
        "    os.write(1, b'noise')\n"
        "    os.system('echo noise')\n"
        "    warnings.warn('noise')\n"
        "    logging.getLogger('library').error('noise %d', 'bad format')\n"
        "    logging.getLogger('library').error('noise')\n"
        "    return await real(event, services)\n"
        "module.handle = handle\n"
        "main()\n"
    )
    done = subprocess.run(
        [*HOOK[:-2], noisy, "hook"],
        input=json.dumps(START).encode(),
        capture_output=True,
        timeout=PATIENCE_S,
        env={**os.environ, **product.environ},
        check=True,
    )

    assert json.loads(done.stdout)["hookSpecificOutput"]["hookEventName"] == "SessionStart"
    assert b"noise" not in done.stdout
    assert events(product.home) == [("SessionStart", "ok")]
    messages = [line for line in product.logged() if line["event"] == "library_message"]
    assert len(messages) == 2


@pytest.mark.process
def test_a_handler_that_hangs_in_python_ends_with_the_deadline(product):
    """Budget and cancellation work at awaits only; the process ends by itself all the same."""
    hanging = (
        "import runtime.client as client\n"
        "client.DEADLINE_S = 0.5\n"
        "from runtime.__main__ import main\n"
        "import handlers.inject_session_context as module\n"
        "async def handle(event, services):\n"
        "    while True: pass\n"
        "module.handle = handle\n"
        "main()\n"
    )
    done = subprocess.run(
        [*HOOK[:-2], hanging, "hook"],
        input=json.dumps(START).encode(),
        capture_output=True,
        timeout=PATIENCE_S,
        env={**os.environ, **product.environ},
        check=True,
    )

    assert done.stdout == b""
    assert len(os.listdir(product.home / "spool")) == 1


@pytest.mark.process
def test_a_reader_that_has_left_is_no_failure(product):
    process = subprocess.Popen(
        HOOK,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, **product.environ},
    )
    process.stdout.close()
    process.stdin.write(json.dumps(START).encode())
    process.stdin.close()

    assert process.wait(PATIENCE_S) == 0
    assert process.stderr.read() == b""
    process.stderr.close()


@pytest.mark.process
def test_a_project_folder_with_bytes_that_are_no_text_gets_its_answer(product):
    done = subprocess.run(
        HOOK,
        input=json.dumps(START).encode(),
        capture_output=True,
        timeout=PATIENCE_S,
        env={**os.environb, b"CLAUDE_PROJECT_DIR": b"/nowhere/caf\xe9"}
        | {os.fsencode(key): os.fsencode(value) for key, value in product.environ.items()},
        check=True,
    )

    assert json.loads(done.stdout)
    assert events(product.home) == [("SessionStart", "ok")]

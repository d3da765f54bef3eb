"""The lock between processes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from runtime.locks import LockTimeout, file_lock, try_lock, unlock

ROOT = Path(__file__).parents[1]

HOLD = """
import sys
from runtime.locks import try_lock
assert try_lock(sys.argv[1]) is not None
print("held", flush=True)
sys.stdin.read()
"""


def test_a_second_holder_waits_and_then_gets_a_time_out(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"

    with file_lock(path, 0.0), pytest.raises(LockTimeout) as caught, file_lock(path, 0.01):
        pass

    assert caught.value.path == str(path)
    assert caught.value.waited_s >= 0.01
    assert isinstance(caught.value, TimeoutError)


def test_a_lock_is_free_after_its_block_also_after_an_error(tmp_path: Path) -> None:
    lock = file_lock(tmp_path / "a.lock", 0.0)

    with pytest.raises(KeyError), lock:
        raise KeyError

    with lock:
        assert try_lock(lock.path) is None


def test_the_lock_file_is_private_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"

    with file_lock(path, 0.0):
        pass

    assert path.stat().st_mode & 0o777 == 0o600


def test_try_lock_gives_a_descriptor_or_none(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    fd = try_lock(path)

    assert fd is not None
    assert try_lock(path) is None
    unlock(fd)
    again = try_lock(path)
    assert again is not None
    unlock(again)


def test_a_lock_whose_file_was_deleted_does_not_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between the open and the lock the file may go: two holders would be the result."""
    path = tmp_path / "a.lock"

    def delete_and_acquire(_: int) -> bool:
        path.unlink()
        return True

    monkeypatch.setattr("runtime.locks._acquire", delete_and_acquire)

    assert try_lock(path) is None


def test_a_missing_folder_is_an_error_and_not_a_busy_lock(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), file_lock(tmp_path / "none" / "a.lock", 0.0):
        pass


@pytest.mark.process
def test_a_killed_holder_leaves_no_lock_behind(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    with subprocess.Popen(
        [sys.executable, "-c", HOLD, path],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"held"
        assert try_lock(path) is None

        holder.kill()
        holder.wait()

        with file_lock(path, 5.0):
            pass


@pytest.mark.process
def test_the_module_imports_only_cheap_parts_of_the_standard_library() -> None:
    code = "import sys; import runtime.locks; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-S", "-c", code],
        cwd=ROOT,
        env={"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=True,
        encoding="utf-8",
    ).stdout.split()

    assert not {"typing", "pathlib", "contextlib", "re", "asyncio", "pydantic"} & set(loaded)

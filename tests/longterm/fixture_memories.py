"""What of each captured transcript is to be remembered: the words, read off by hand."""

from typing import Final

TOOLS_OF_TURN: Final = (
    "Write /home/user/project/src/app.py, Read /home/user/project/src/app.py, "
    "Edit /home/user/project/src/app.py, Write /home/user/project/README.md, "
    "Read /home/user/project/README.md, Bash List files, Bash Fail on purpose, "
    "Read /home/user/project/missing.txt, Grep hello, Glob **/*.py, "
    "NotebookEdit /home/user/project/n.ipynb, Read /home/user/project/n.ipynb, "
    "WebFetch https://docs.example.test/docs, WebFetch https://docs.example.test/nothing, "
    "WebSearch anyio task groups, Skill greet, TaskCreate Cover the parser, TaskUpdate, "
    "Read /home/user/project/b.txt, Read /home/user/project/c.txt, Bash Background sleep"
)

MEMORIES: Final[dict[str, list[str]]] = {
    "tools": [
        (
            "[user] Please do the work / 作業してください\n\n"
            "[assistant] ファイルを作成します。\n\n"
            "完了しました。 Final answer with two lines.\n- item\n\n"
            f"[tools] {TOOLS_OF_TURN}"
        ),
        "[assistant] OK.",
    ],
    "compact": [
        "[user] first prompt\n\n[assistant] One.",
        "[user] after compact\n\n[assistant] Two.",
    ],
    "fork": [
        "[user] first prompt\n\n[assistant] One.",
        "[user] resumed prompt\n\n[assistant] Two.",
        "[user] continued prompt\n\n[assistant] Three.",
        "[user] forked prompt\n\n[assistant] Four.",
    ],
    "hook_context_feedback": [
        (
            "[user] do it\n\n[assistant] Final answer.\n\nAfter stop.\n\n"
            "[tools] Write /home/user/project/a.txt, Bash Fail, Skill greet"
        ),
    ],
    "interactive": [
        (
            "[user] hello there\n\n"
            "[assistant] Hello from mock, line one.\nline two\n\n- item a\n- item b"
        ),
        "[user] do a bash\n\n[tools] Bash t",
        "[user] /greet Zed\n\n[assistant] Greeting answer.",
        "[user] after model\n\n[assistant] Model answer.",
    ],
    "subagents": [
        (
            "[user] Delegate this\n\n[assistant] Main answer.\n\n"
            "[tools] Agent Review the file, Agent Explore"
        ),
        "[assistant] Main answer after the notification.",
    ],
    "subagents.agent0": [],
}

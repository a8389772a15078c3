"""The GitHub Action's steps as a runner does them, and the hooks as pre-commit does."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from command import SOURCE
from separate import FOLDER, needed

ROOT = Path(__file__).parents[2]
LAUNCHER = "distributed_type: DEEPSPEED\nmixed_precision: bf16\ndeepspeed_config:\n  deepspeed_config_file: ds.json\n"
ENGINE = '{"train_batch_size": 8, "fp16": {"enabled": true}}\n'
FAULTY = "import torch\nx = torch.randn(2, 4)\ntorch.nn.Linear(4, 4).half()(x)\n"
HOSTILE = "$(touch owned); `touch owned`; \"; touch owned; '"


class Runner:
    """A runner of composite actions: expressions are put where they stand, each step is a file that bash runs."""

    def __init__(self, folder, inputs, pull_request=""):
        self.action = yaml.safe_load((ROOT / "action.yml").read_text())
        given = {name: str(one.get("default", "")) for name, one in self.action["inputs"].items()}
        self.values = {f"inputs.{name}": value for name, value in {**given, **inputs}.items()}
        self.values |= {"github.event.pull_request.number": pull_request, "github.token": "secret"}
        self.folder, self.work = folder, folder / "work"
        self.work.mkdir(exist_ok=True)
        (folder / "temp").mkdir()
        tools = folder / "tools"
        tools.mkdir()
        (tools / "python").write_text(f'#!/bin/bash\nexec "{sys.executable}" "$@"\n')
        (tools / "gh").write_text(f'#!/bin/bash\nprintf "%s\\n" "$*" >> "{folder}/gh.txt"\n')
        for tool in tools.iterdir():
            tool.chmod(0o755)
        self.environment = {
            "PATH": f"{tools}:/usr/bin:/bin", "HOME": str(folder), "PYTHONPATH": SOURCE,
            "GITHUB_ACTION_PATH": str(ROOT), "RUNNER_TEMP": str(folder / "temp"),
            "GITHUB_REPOSITORY": "owner/project", "OMP_NUM_THREADS": "1",
        }  # fmt: skip

    def put(self, told):
        """What a runner makes of `${{ … }}`."""
        return re.sub(r"\$\{\{\s*(.+?)\s*\}\}", lambda found: self.values.get(found[1], ""), told)

    def step(self, name):
        (step,) = (one for one in self.action["runs"]["steps"] if one["id"] == name)
        script, output, summary = (self.folder / f"{name}.{end}" for end in ("sh", "out", "md"))
        script.write_text(self.put(step["run"]))
        output.touch()
        env = self.environment | {key: self.put(value) for key, value in step.get("env", {}).items()}
        env |= {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(summary)}
        assert step["shell"] == "bash"
        command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)]
        ran = subprocess.run(
            command, cwd=self.work, env=env, capture_output=True, text=True, check=False, timeout=180
        )
        for line in output.read_text().splitlines():
            key, _, value = line.partition("=")
            self.values[f"steps.{name}.outputs.{key}"] = value
        return ran


def test_no_input_is_ever_part_of_a_script():
    steps = yaml.safe_load((ROOT / "action.yml").read_text())["runs"]["steps"]
    assert [one["id"] for one in steps if "${{" in one.get("run", "")] == []
    assert [one["id"] for one in steps] == ["install", "run", "tell", "upload", "comment", "verdict"]


def test_settings_are_linted_and_told(tmp_path):
    runner = Runner(tmp_path, {"lint": "settings\nmissing $(touch owned)", "machine": ""}, pull_request="7")
    (runner.work / "settings").mkdir()
    (runner.work / "settings" / "accelerate.yaml").write_text(LAUNCHER)
    (runner.work / "settings" / "ds.json").write_text(ENGINE)
    ran = runner.step("run")
    assert ran.returncode == 0, ran.stderr
    assert "missing $(touch owned): no such file or folder" in ran.stderr
    runner.values["inputs.lint"] = "settings"
    assert runner.step("run").returncode == 0
    ran = runner.step("tell")
    assert ran.returncode == 0, ran.stderr
    assert runner.values["steps.tell.outputs.code"] == "1"
    comment = (tmp_path / "temp" / "miscast" / "comment.md").read_text()
    head = "<!-- miscast -->\n`miscast lint -- settings`\n\n<!-- miscast lint -->\n### miscast lint: 1 error\n"
    assert comment.startswith(head), comment
    (row,) = re.findall(r"^\| error \|.*$", comment, re.MULTILINE)
    assert row.startswith("| error | `settings/accelerate.yaml:2` | mixed\\_precision is bf16"), row
    assert "<details><summary>error · engine-contradicts-launcher · settings/accelerate.yaml:2</summary>" in comment
    assert comment.count("<details>") == comment.count("</details>") > 0
    assert ran.stdout.startswith("error[engine-contradicts-launcher]"), "the job's log has text"
    assert "\n1 error" in ran.stdout
    assert (tmp_path / "tell.md").read_text() == comment
    ran = runner.step("comment")
    assert ran.returncode == 0, ran.stderr
    listed, posted = (tmp_path / "gh.txt").read_text().splitlines()
    assert "repos/owner/project/issues/7/comments --jq" in listed
    assert posted.startswith("api --silent --method POST repos/owner/project/issues/7/comments -F body=@")
    assert runner.step("verdict").returncode == 1
    assert not list(tmp_path.rglob("owned"))
    sarif = runner.values["steps.tell.outputs.sarif"]
    if not sarif:
        pytest.skip("this version has no --format sarif")
    (told,) = json.loads(Path(sarif).read_text())["runs"]
    assert [one["ruleId"] for one in told["results"]] == ["engine-contradicts-launcher"]


def test_what_is_suppressed_is_counted_and_no_alert(tmp_path):
    """Code scanning reads no `suppressions`: what it is sent stands there as an open alert."""
    runner = Runner(tmp_path, {"lint": "train.yaml"})
    settings = "output_dir: o\nper_device_train_batch_size: 1\nfp16: true  # miscast: ignore[both-half-dtypes] why\n"
    (runner.work / "train.yaml").write_text(f"{settings}bf16: true  # miscast: ignore[tf32-not-on-machin]\n")
    assert runner.step("run").returncode == 0
    ran = runner.step("tell")
    assert ran.returncode == 0, ran.stderr
    (told,) = json.loads(Path(runner.values["steps.tell.outputs.sarif"]).read_text())["runs"]
    assert told["results"] == []
    for text in (ran.stdout, (tmp_path / "tell.md").read_text()):
        assert "1 finding: 1 by comments (train.yaml:3)" in text
        assert "did you mean tf32-not-on-machine?" in text
    assert runner.step("verdict").returncode == 0


@pytest.mark.slow
def test_what_is_run_is_checked_whatever_it_is_called(tmp_path):
    lines = f"--fixes 0 --reach 0 train.py --name 'a b' \"$HOME\"\nother.py {HOSTILE}\nabsent.py '<!--'"
    runner = Runner(tmp_path, {"lint": "", "check": lines, "machine": "v100"})
    (runner.work / "train.py").write_text(f"import sys; assert sys.argv[1:] == ['--name', 'a b', '$HOME']\n{FAULTY}")
    assert runner.step("run").returncode == 0
    assert runner.step("tell").returncode == 0
    comment = (tmp_path / "temp" / "miscast" / "comment.md").read_text()
    assert "error[operand-dtype-mismatch]  linear mixes" in comment
    assert "| error | `train.py:4` | linear mixes" in comment
    assert f"`` miscast check other.py {HOSTILE} ``\n\n```text\nmiscast: No closing" in comment, "none for a shell"
    assert "<code>miscast check --machine v100 absent.py '&#60;!--'</code>" in comment
    assert "miscast: absent.py: no such file" in comment
    (told,) = json.loads(Path(runner.values["steps.tell.outputs.sarif"]).read_text())["runs"]
    assert [one["ruleId"] for one in told["results"]] == ["operand-dtype-mismatch"]
    assert runner.values["steps.tell.outputs.code"] == "2"
    assert runner.step("verdict").returncode == 2
    assert not list(tmp_path.rglob("owned"))


def test_a_block_of_code_that_nothing_ends():
    from miscast.report.markup import fenced

    assert "\n".join(fenced("a\n```\n````b")) == "`````text\na\n```\n````b\n`````"


@needed
@pytest.mark.slow
def test_hooks_of_pre_commit(tmp_path):
    """In a repository of its own; as a hook in the environment at hand, for a new one would be downloaded."""
    env = os.environ | {
        "PYTHONPATH": os.pathsep.join([SOURCE, str(FOLDER)]), "PRE_COMMIT_HOME": str(tmp_path / "home"),
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}", "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a", "GIT_COMMITTER_EMAIL": "a@b",
    }  # fmt: skip

    def run(folder, *command):
        return subprocess.run(
            command, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=180
        )

    hooks, project = tmp_path / "hooks", tmp_path / "project"
    for folder in (hooks, project):
        folder.mkdir()
        run(folder, "git", "init", "-q")
    (hooks / ".pre-commit-hooks.yaml").write_text((ROOT / ".pre-commit-hooks.yaml").read_text())
    run(hooks, "git", "add", ".")
    run(hooks, "git", "commit", "-q", "-m", "hooks")
    rev = run(hooks, "git", "rev-parse", "HEAD").stdout.strip()
    hook = [{"id": "miscast-lint", "language": "system"}, {"id": "miscast-check", "args": ["nothing.py"]}]
    config = {"repos": [{"repo": str(hooks), "rev": rev, "hooks": hook}]}
    (project / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    (project / "accelerate.yaml").write_text(LAUNCHER)
    (project / "ds.json").write_text(ENGINE)
    run(project, "git", "add", ".")
    ran = run(project, sys.executable, "-m", "pre_commit", "run", "--all-files")
    assert ran.returncode == 1, ran.stdout + ran.stderr
    assert "error[engine-contradicts-launcher]" in ran.stdout
    assert re.search(r"miscast check\.+\(no files to check\)Skipped", ran.stdout)
    (project / "ds.json").write_text(ENGINE.replace("true", "false"))
    (project / "train.py").write_text("x = 1\n")
    run(project, "git", "add", ".")
    ran = run(project, sys.executable, "-m", "pre_commit", "run", "--all-files")
    assert re.search(r"miscast lint\.+Passed", ran.stdout), ran.stdout
    assert "miscast: nothing.py: no such file" in ran.stdout

"""Python scripts that a program starts by `subprocess`: they run on the machine, and what they do wrong is told."""

from __future__ import annotations

import json
import sys

import pytest

from command import miscast_in

CHILD = """
import os
import sys

import torch

import helper

model = torch.nn.Linear(4, 4, device="cuda")
assert model.weight.dtype is torch.float32  # whatever the parent has set
given = sys.stdin.read() if "reads" in sys.argv else ""
print(__name__, sys.argv[1:], os.environ.get("LR"), helper.count, os.path.basename(os.getcwd()), given, flush=True)
if "mixes" in sys.argv:
    model(torch.randn(2, 4, device="cuda").half())
if "raises" in sys.argv:
    raise ValueError("mine")
sys.exit(3 if "three" in sys.argv else None)
"""
PARENT = """
import os
import subprocess
import sys

import torch

import helper

torch.set_default_dtype(torch.float64)
helper.count += 1
run = lambda *words, **options: subprocess.run(words, capture_output=True, text=True, **options)
here = os.path.basename(os.getcwd())
done = run(sys.executable, "child.py", "one", env={**os.environ, "LR": "2"}, check=True)
assert done.stdout.split() == ["__main__", "['one']", "2", "0", here], done
assert "hello" in run("python", "-u", "child.py", "reads", input="hello").stdout
assert run(sys.executable, "-m", "child", "three").returncode == 3
failed = run("python", here + "/child.py", "raises", cwd="..")
assert failed.returncode == 1 and failed.stderr.endswith("ValueError: mine\\n"), failed
assert os.path.basename(os.path.dirname(os.getcwd())) in failed.stdout
process = subprocess.Popen([sys.executable, "child.py", "mixes"], stdout=subprocess.PIPE)
assert process.communicate()[0].startswith(b"__main__") and process.poll() == 0
assert torch.get_default_dtype() is torch.float64 and helper.count == 1 and sys.argv[0].endswith("parent.py")
"""


def checked(folder, box="kernel", machine="2xa100", **sources):
    for name, text in {"child": CHILD, "helper": "count = 0\n", **sources}.items():
        (folder / f"{name}.py").write_text(text, encoding="utf-8")
    forced = {"MISCAST_BOX": box} if box == "python" else {}
    done = miscast_in(folder, "check", "--format", "json", "--machine", machine, "parent.py", **forced)
    report = json.loads(done.stdout)
    assert report["ended"] is None, done.stderr
    return report


@pytest.mark.parametrize("box", ["kernel", "python"])
def test_scripts_that_are_started_are_checked(tmp_path, box):
    report = checked(tmp_path, box, parent=PARENT)
    (finding,) = report["findings"]
    assert finding["location"]["file"].endswith("child.py")
    assert finding["location"]["line"] == 14
    assert not report["effects"]["started"]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere such commands are not started")
def test_other_commands_are_left_alone(tmp_path):
    (tmp_path / "other").mkdir()
    checked(
        tmp_path,
        parent="import os, subprocess, sys\n"
        "assert subprocess.check_output([sys.executable, '-c', 'print(1)'], text=True) == '1\\n'\n"
        "assert subprocess.run([sys.executable, 'nothing.py'], stderr=subprocess.DEVNULL).returncode == 2\n"
        "assert subprocess.check_output(['echo', 'train.py'], text=True) == 'train.py\\n'\n"
        "open('other/python', 'w').write('#!/bin/sh\\necho another\\n')\n"
        "os.chmod('other/python', 0o755)\n"
        "command = [os.path.abspath('other/python'), 'parent.py']\n"
        "assert subprocess.check_output(command, text=True) == 'another\\n'\n",
    )


def test_by_os_system(tmp_path):
    report = checked(
        tmp_path,
        parent="import os\nassert os.waitstatus_to_exitcode(os.system('python child.py mixes three')) == 3\n",
    )
    assert [finding["location"]["line"] for finding in report["findings"]] == [14]
    checked(tmp_path, parent="import os\nassert os.system('python child.py') == 9\n", child=KILLED)


KILLED = "import os\nos.kill(os.getpid(), 9)\n"
RANK = """
import os, sys
import torch
import torch.distributed as dist

dist.init_process_group()
model = torch.nn.Linear(4, 4, device="cuda")
print("rank", dist.get_rank(), "of", dist.get_world_size(), sys.argv[1:], flush=True)
model(torch.randn(2, 4, device="cuda").half())
"""
LAUNCHED = {
    "torchrun": "import subprocess, sys\n"
    "words = [sys.executable, '-m', 'torch.distributed.run', '--nproc-per-node=2', 'child.py', '--lr']\n"
    "out = subprocess.run(words, check=True, capture_output=True, text=True).stdout\n"
    "assert \"rank 0 of 2 ['--lr']\" in out, out\n",
    "called": "import os\n"
    "from torch.distributed.run import main\n"
    "main(['--standalone', '--nproc-per-node=2', 'child.py'])\n"
    "assert 'RANK' not in os.environ\n",
    "function": "from torch.distributed.launcher.api import LaunchConfig, elastic_launch\n"
    "def train(word):\n"
    "    import child\n"
    "    return word\n"
    "config = LaunchConfig(min_nodes=1, max_nodes=1, nproc_per_node=2, rdzv_endpoint='localhost:0')\n"
    "assert elastic_launch(config, train)('done') == {0: 'done'}\n",
}


@pytest.mark.parametrize("how", LAUNCHED)
def test_launchers_within_a_program(tmp_path, how):
    report = checked(tmp_path, child=RANK, parent=LAUNCHED[how])
    (finding,) = report["findings"]
    assert (finding["location"]["line"], finding["count"]) == (9, 1)
    assert any("rank 0 of 2" in note for note in report["notes"])


def test_what_all_workers_do_is_one_finding(tmp_path):
    report = checked(
        tmp_path,
        parent="import torch\n"
        "import torch.multiprocessing as mp\n"
        "def work(rank):\n"
        "    torch.nn.Linear(4, 4).cuda(rank)(torch.randn(2, 4, device=f'cuda:{rank}').half())\n"
        "if __name__ == '__main__':\n"
        "    workers = [mp.Process(target=work, args=(rank,)) for rank in range(2)]\n"
        "    [w.start() for w in workers]\n"
        "    [w.join() for w in workers]\n"
        "    context = mp.spawn(print, nprocs=2, join=False)\n"
        "    assert context.join()\n",
    )
    (finding,) = report["findings"]
    assert (finding["location"]["line"], finding["count"]) == (4, 2)

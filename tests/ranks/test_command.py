"""`miscast check --ranks`: what it prints, how it ends, and that nothing of it stays."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

import warm
from miscast import api
from miscast.report import Report, json as as_json, reading, text
from miscast.running.launching.entry import CannotRunError

SHIFTED = """\
import torch
import torch.distributed as dist

dist.init_process_group("nccl")
torch.cuda.set_device(dist.get_rank())
x = torch.ones(4, device="cuda")
if dist.get_rank() == 1:
    x = x.half()
dist.all_reduce(x)
print("seen by", dist.get_rank())
"""
TEXT = """\
error[collective-dtype-mismatch]  all_reduce gets float16 on rank 1 but float32
    on rank 0
  train.py:9                               dist.all_reduce(x)
  rank 1  float16  cast at train.py:8      x = x.half()
  rank 0  float32  created at train.py:6   x = torch.ones(4, device="cuda")
  ranks   0, 1
  help    cast on every rank before all_reduce: .to(torch.float32) (not tried)
  effect  the run hangs, or continues with wrong values: NCCL does not compare
          ranks; with TORCH_DISTRIBUTED_DEBUG=DETAIL, torch reports both

1 error · 2 ranks, 1 collective matched"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def report(source: str, folder: Path, **options) -> Report:
    (folder / "train.py").write_text(source, encoding="utf-8")
    return api.check_program("train.py", (), **options)


def command(*args: str) -> subprocess.CompletedProcess[str]:
    return warm.python("-m", "miscast", *args)


def test_text_fits_80_columns(folder: Path) -> None:
    told = text.render(report(SHIFTED, folder, machine="2xv100", ranks=2), width=80)
    assert told.startswith(TEXT)
    assert max(map(len, told.splitlines())) <= 80


def test_json_names_ranks_and_reads_back(folder: Path) -> None:
    found = report(SHIFTED, folder, machine="2xv100", ranks=2)
    data = json.loads(found.to_json())
    assert (data["schema"], data["ranks"], data["matched"]) == (1, 2, 1)
    assert [f["ranks"] for f in data["findings"]] == [[0, 1]]
    again = reading.loads(found.to_json())
    assert json.loads(as_json.render(again)) == data
    assert (again.ranks, again.findings[0].ranks) == (2, (0, 1))


ONE_OTHERWISE = """\
import os
import torch

model = torch.nn.Linear(4, 4)
if os.environ["RANK"] == "2":
    model.bfloat16()
same = torch.nn.Linear(4, 4)
model(torch.ones(1, 4, dtype=model.weight.dtype))
same(torch.ones(1, 4))
"""


def test_a_rank_that_computes_in_another_dtype_is_told_by_its_number(folder: Path) -> None:
    found = report(ONE_OTHERWISE, folder, machine="4xa100", ranks=4)
    told = [line.strip() for line in text.render(found).splitlines() if line.startswith("  precision")]
    assert told == [
        "precision   model, ranks 0, 1, 3: float32 throughout",
        "precision   model, rank 2: bfloat16 throughout",
        "precision   same: float32 throughout",
    ]
    rows = [row for row in json.loads(found.to_json())["precision"] if row["aspect"] == "compute"]
    assert [(row["component"], row["dtype"], row.get("ranks")) for row in rows] == [
        ("model", "float32", [0, 1, 3]),
        ("model", "bfloat16", [2]),
        ("same", "float32", None),
    ]
    assert reading.loads(found.to_json()).precision == found.precision


def test_the_command_line(folder: Path) -> None:
    (folder / "train.py").write_text(SHIFTED, encoding="utf-8")
    done = command("check", "--ranks", "2", "--machine", "2xv100", "train.py")
    assert done.returncode == 1, done.stderr
    assert "seen by 0" in done.stdout
    assert "seen by 1" not in done.stdout


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (
            ("--ranks", "4", "--machine", "2xv100", "train.py"),
            "4 ranks on 2xv100, which has 2 devices: each rank needs its own device, use --machine 4xv100",
        ),
        (("--ranks", "500", "train.py"), "--ranks 500: expected 1 to 128 ranks"),
        (("--ranks", "0", "train.py"), "expected a number of ranks (1 to 16384), got '0'"),
        (("--ranks", "2", "nofile.py"), "nofile.py: no such file"),
    ],
)
def test_one_line_says_why_not(folder: Path, args: tuple[str, ...], line: str) -> None:
    (folder / "train.py").write_text("", encoding="utf-8")
    done = command("check", *args)
    assert (done.returncode, done.stdout) == (2, "")
    assert line in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_one_rank_is_as_none() -> None:
    source = "import os, torch\nassert os.environ['WORLD_SIZE'] == '1'\n"
    source += "torch.nn.Linear(2, 2).half()(torch.ones(1, 2))\n"
    Path("train.py").write_text(source, encoding="utf-8")
    one, none = (api.check_program("train.py", (), ranks=ranks) for ranks in (1, 0))
    assert one.findings == none.findings
    assert (one.ranks, one.ended, one.ops) == (0, None, none.ops)


def test_a_module_function_and_a_callable(folder: Path) -> None:
    body = "".join(f"    {line}\n" for line in SHIFTED.splitlines())
    (folder / "mod_under_ranks.py").write_text(f"def f():\n{body}", encoding="utf-8")
    found = api.check_program("mod_under_ranks:f", (), machine="2xv100", ranks=2)
    assert [f.rule for f in found.findings] == ["collective-dtype-mismatch"], found.ended

    def step(width: int) -> object:
        import torch
        import torch.distributed as dist

        dist.init_process_group("gloo")
        x = torch.ones(width + dist.get_rank())
        dist.all_reduce(x)
        return x

    found = api.check(step, 3, ranks=2)
    assert [f.rule for f in found.findings] == ["collective-size-mismatch"]
    assert found.result is None


def test_what_torchrun_sets(folder: Path) -> None:
    source = """\
import os
names = ["RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "GROUP_RANK", "GROUP_WORLD_SIZE", "ROLE_RANK",
         "ROLE_WORLD_SIZE", "ROLE_NAME", "TORCHELASTIC_RUN_ID", "TORCHELASTIC_RESTART_COUNT"]
assert int(os.environ["MASTER_PORT"]) and os.environ["MASTER_ADDR"]
open(f"rank{os.environ['RANK']}", "w").write(",".join(os.environ[n] for n in names))
"""
    assert report(source, folder, ranks=2, writes="real").ended is None
    assert (folder / "rank0").read_text() == "0,0,2,2,0,1,0,2,default,none,0"
    assert (folder / "rank1").read_text() == "1,1,2,2,0,1,1,2,default,none,0"


def test_a_process_that_dies_is_told(folder: Path) -> None:
    source = """\
import os, torch.distributed as dist
dist.init_process_group("gloo")
if dist.get_rank() == 1:
    os.kill(os.getpid(), 9)
dist.barrier()
"""
    found = report(source, folder, ranks=2)
    assert (found.findings, found.ended) == ((), "its process was killed (on rank 1)")


def test_a_store_of_the_program_itself_is_shared(folder: Path) -> None:
    source = """\
import os, torch.distributed as dist
rank = int(os.environ["RANK"])
store = dist.TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), 2, is_master=rank == 0)
store.set(f"from{rank}", str(rank))
assert store.get(f"from{1 - rank}") == str(1 - rank).encode()
if rank == 0:
    store.wait(["read"])  # the store ends with its server
else:
    store.set("read", "")
"""
    assert report(source, folder, ranks=2).ended is None


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_the_check(folder: Path, how: signal.Signals) -> None:
    source = """\
import time
print("begun", flush=True)
while True:
    time.sleep(0.05)
"""
    (folder / "train.py").write_text(source, encoding="utf-8")
    # A shell that runs tests in the background lets its children ignore interrupts.
    code = "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    code += "from miscast.cli import main\n"
    code += f"sys.exit(main(['check', '--ranks', '2', 'train.py']))  # {folder}"
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([sys.executable, "-c", code], text=True, **pipes) as process:
        assert process.stdout.readline() == "begun\n"
        assert len(_alive(str(folder))) >= 3
        process.send_signal(how)
        told, said = process.communicate(timeout=60)
    assert process.returncode == {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGKILL: -9}[how]
    why = {signal.SIGINT: "interrupted (Ctrl-C)", signal.SIGTERM: "stopped by SIGTERM"}
    assert said == "miscast: the output below is computed from placeholder values\n"
    assert how not in why or told.startswith(f"not finished: {why[how]}")
    begin = time.monotonic()
    while _alive(str(folder)) and time.monotonic() - begin < 20:
        time.sleep(0.05)
    assert not _alive(str(folder))


def _alive(mark: str) -> list[str]:
    """The processes that have this in their command line; those that have ended have none."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if mark.encode() in (process / "cmdline").read_bytes():
                found.append(process.name)
    return found


def _children() -> list[str]:
    """The children of this process, those too that have ended and were not waited for."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (process / "stat").read_text().rpartition(")")[2].split()[1] == str(os.getpid()):
                found.append(process.name)
    return sorted(found)


def test_nothing_of_a_check_stays(folder: Path) -> None:
    before, children = dict(os.environ), _children()
    report(SHIFTED, folder, machine="2xv100", ranks=2)
    assert dict(os.environ) == before
    assert _children() == children  # other tests leave some: multiprocessing keeps a tracker of its resources
    with pytest.raises(CannotRunError):
        api.check_program("train.py", (), ranks=3, machine="v100")


MEAN = """\
import os
import torch
import torch.distributed as dist


def mean(total, device):
    stats = torch.tensor([total, 1.0])
    dist.all_reduce(stats)


dist.init_process_group("nccl")
mean(2.0, torch.device("cuda", int(os.environ["LOCAL_RANK"])))
"""


def test_advice_names_what_is_in_scope(folder: Path) -> None:
    """No fix is tried, but what the names of a rank stand for is known."""
    (folder / "train.py").write_text(MEAN, encoding="utf-8")
    told = command("check", "--machine", "2xa100", "--ranks", "2", "train.py").stdout
    assert "pass device=device to `torch.tensor` at train.py:7" in told

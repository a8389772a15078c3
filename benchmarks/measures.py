"""One measurement per function, each in a process of its own: `python measures.py NAME` prints its figures as JSON."""

from __future__ import annotations

import gc
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from here import spent

SOURCE = str(Path(__file__).resolve().parents[1] / "src")
MIB = 1 << 20


def speed(*, quick: bool) -> dict[str, float]:
    """CPU seconds of one SDXL step: bare, under `check`, and under FakeTensorMode; taken in turns."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.utils._python_dispatch import TorchDispatchMode

    from miscast.core.machines import find
    from miscast.vm.machine import VirtualMachine
    from programs import sdxl

    class Nothing(TorchDispatchMode):
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            return func(*args, **(kwargs or {}))

    machine = VirtualMachine(find("v100"))
    fake = FakeTensorMode()

    def bare(_: ExitStack) -> str:
        return "meta"

    def check(stack: ExitStack) -> str:
        stack.enter_context(machine.on())
        return "cuda"

    def faked(stack: ExitStack) -> str:
        stack.enter_context(fake)
        stack.enter_context(Nothing())  # type: ignore[no-untyped-call]
        return "cpu"

    contestants: dict[str, Callable[[ExitStack], str]] = {"meta": bare, "check": check, "fake": faked}
    steps = {}
    for name, enter in contestants.items():
        with ExitStack() as stack:
            steps[name] = sdxl(enter(stack))
            steps[name]()
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for turn in range(3 if quick else 7):
        for name, enter in contestants.items():
            with ExitStack() as stack:
                enter(stack)
                gc.collect()
                start = time.process_time()
                steps[name]()
                times[name].append(time.process_time() - start)
        say(f"SDXL, turn {turn + 1}: " + ", ".join(f"{n} {t[-1]:.2f} s" for n, t in times.items()))
    trace = machine.recorder.trace()
    found = {f"{name}_s": statistics.median(t) for name, t in times.items()}
    return {**found, "ops": trace.ops / (len(times["check"]) + 1)}


def llama(*, quick: bool) -> dict[str, float]:
    """Seconds and memory of a whole training step of Llama-70B; the same when `quick`."""
    del quick
    import torch  # noqa: F401 - what the program brings is not counted against `check`
    import transformers

    from miscast.core.machines import find
    from miscast.running.program.run import run_callable
    from programs import llama as program

    transformers.LlamaForCausalLM  # noqa: B018 - imported when it is first looked at
    before = peak()
    start = time.perf_counter()
    trace, parameters = run_callable(program, (), {}, find("8xh100"))
    seconds = time.perf_counter() - start
    if trace.ended:
        raise SystemExit(trace.ended)
    return {"seconds": seconds, "mib": peak(), "added_mib": peak() - before, "parameters": parameters, "ops": trace.ops}


def flat(*, quick: bool) -> dict[str, float]:
    """Microseconds per op of loops of growing length."""
    from miscast.core.machines import find
    from miscast.vm.machine import VirtualMachine
    from programs import small_ops

    machine = VirtualMachine(find("v100"))
    found = {}
    with machine.on():
        small_ops(1000)
        for count in (1_000, 10_000, 100_000) if quick else (1_000, 10_000, 100_000, 1_000_000):
            rounds = []
            for _ in range(5 if count <= 10_000 else 1):
                ops, start = machine.recorder.ops, time.process_time()
                small_ops(count)
                rounds.append((time.process_time() - start) / (machine.recorder.ops - ops) * 1e6)
            found[str(count)] = statistics.median(rounds)
            say(f"{count} ops: {found[str(count)]:.1f} µs each, {peak():.0f} MiB")
    return found


def memory(*, quick: bool) -> dict[str, float]:
    """Python objects and resident memory of a training program after 10 and 200 steps."""
    from miscast.core.machines import find
    from miscast.vm.machine import VirtualMachine
    from programs import training

    last = 50 if quick else 200
    found: dict[str, float] = {"steps": last}

    def after(step: int) -> None:
        if step in (10, last):
            which = "first" if step == 10 else "last"
            gc.collect()
            found[f"{which}_objects"], found[f"{which}_mib"] = len(gc.get_objects()), resident()

    with VirtualMachine(find("v100"), batches=10**6).on():
        training(after, last)
    return found


def call(*, quick: bool) -> dict[str, float]:
    """CPU milliseconds of checking one op call after the first, and of the same call on bare meta tensors."""
    import torch

    import miscast

    real, meta = torch.ones(3), torch.empty(3, device="meta")
    contestants: dict[str, Callable[[], object]] = {
        "cpu": lambda: miscast.check(torch.add, real, real),
        "v100": lambda: miscast.check(torch.add, real, real, machine="v100"),
        "meta": lambda: torch.add(meta, meta),
    }
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for name, run in contestants.items():
        run()
        for _ in range(50 if quick else 1000):
            start = time.process_time()
            run()
            times[name].append((time.process_time() - start) * 1000)
    found = {f"{name}_ms": statistics.median(t) for name, t in times.items()}
    say(f"one op: {', '.join(f'{name} {ms:.3f}' for name, ms in found.items())}, {resident():.0f} MiB")
    return found


def start(*, quick: bool) -> dict[str, float]:
    """Milliseconds of `import miscast` in a fresh interpreter, and whether torch came along."""
    code = (
        "import sys, time; t = time.perf_counter(); import miscast; d = time.perf_counter() - t;"
        "print(d * 1000, 'torch' in sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": SOURCE}
    times = []
    for _ in range(5 if quick else 20):
        out = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        ms, torch = out.stdout.split()
        if torch == "True":
            raise SystemExit("import miscast imports torch")
        times.append(float(ms))
    return {"ms": statistics.median(times)}


def many(*, quick: bool) -> dict[str, float]:
    """CPU seconds of checks of a script with few and with many findings, and of a short and of a long file."""
    import miscast

    def seconds(findings: int) -> float:
        Path("train.py").write_text(source := _faulty(findings))
        code = compile(source, str(Path("train.py").resolve()), "exec")
        begin = time.process_time()
        report = miscast.check(exec, code, {}, machine="a100")
        taken = time.process_time() - begin
        assert len(report) == findings
        return taken

    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        seconds(1)
        most = 200 if quick else 1000
        found: dict[str, float] = {"few_s": seconds(50), "many_s": seconds(most), "many": most}
        os.chdir(SOURCE)
    options = ("--fixes", "0", "--machine", "a100")
    for name, lines in (("short_s", 100), ("long_s", 5000)):
        found[name] = _checked(_faulty(20, lines), *options)[0]
    say(f"{found}")
    return found


def _faulty(findings: int, lines: int = 0) -> str:
    """A script of so many lines at least, with so many findings."""
    source = ["import torch", "net = torch.nn.Linear(8, 8).half().cuda()"]
    for n in range(findings):
        source += [f"x{n} = torch.ones(2, 8, device='cuda')", f"y{n} = net(x{n})"]
    while len(source) < lines:
        source += [f"def f{len(source)}(a, b):", "    c = a * b", "    return c.shape, dict(a=a, b=b)", ""]
    return "\n".join(source)


def waits(*, quick: bool) -> dict[str, float]:
    """When a finding is known and when it is told, and CPU seconds of a check of a script of transformers."""
    known = "import torch, time\ntorch.nn.Linear(2, 2)(torch.ones(2).half())\nprint(time.time())\n"
    known += f"time.sleep({2 if quick else 8})\n"
    whole = _checked(WAITED, "--machine", "a100")[0]
    alone = _checked(WAITED, "--machine", "a100", "--fixes", "0", "--reach", "0")[0]
    _, begin, told, said = _checked(known, "--format", "jsonl", "--fixes", "0", "--reach", "0", "--machine", "a100")
    met = next(float(line) for line in said.splitlines() if line.startswith("1"))
    say(f"default {whole:.1f} s, without fixes {alone:.1f} s; known {met - begin:.2f} s, told {told - begin:.2f} s")
    return {"whole_s": whole, "alone_s": alone, "known_s": met - begin, "told_s": told - begin}


def commands(*, quick: bool) -> dict[str, float]:
    """CPU seconds of whole commands on small programs, and of what they cannot do without."""
    alone = ("--machine", "8xa100", "--fixes", "0", "--reach", "0")
    ranks = (2, 4) if quick else (2, 8)
    few, more = (_checked(RANKS, *alone, "--ranks", str(count))[0] for count in ranks)
    steps = 50 if quick else 1000
    found = {
        "line_s": _checked("import torch\nx = torch.ones(2, device='cuda')\n", *alone)[0],
        "floor_s": _taken([sys.executable, "-c", "import torch, torch._dynamo"]),
        "rank_s": (more - few) / (ranks[1] - ranks[0]),
        "steps": steps,
        "long_s": _checked(LOOP.format(steps), *alone)[0],
        "short_s": _checked(LOOP.format(2), *alone)[0],
        "python_s": min(_taken([sys.executable, "-c", "pass"]) for _ in range(5)),
        "explain_s": min(_taken([*MISCAST, "explain", MESSAGE]) for _ in range(5)),
    }
    for count in (1, 3):
        found[f"plain_{count}_s"] = _checked(_wrong(count), *alone)[0]
        found[f"whole_{count}_s"] = _checked(_wrong(count), "--machine", "a100")[0]
        found[f"fix_{count}_s"] = _checked(_wrong(count), "--machine", "a100", command="fix")[0]
    say(", ".join(f"{name} {value:.2f}" for name, value in found.items()))
    return found


def loops(*, quick: bool) -> dict[str, float]:
    """CPU seconds of a later step of programs of many small ops, for real and checked; microseconds of `x + y`."""
    import torch

    from miscast.core.machines import find
    from miscast.vm.machine import VirtualMachine
    from programs import graphs, lstm, policy

    def taken(run: Callable[[], object], count: int) -> float:
        rounds = []
        for _ in range(count):
            begin = time.process_time()
            run()
            rounds.append(time.process_time() - begin)
        return min(rounds[1:])

    torch.set_num_threads(1)
    found = {}
    for make in (lstm, graphs, policy):
        found[f"{make.__name__}_real_s"] = taken(make(), 5)
        with VirtualMachine(find("cpu")).on():
            found[f"{make.__name__}_s"] = taken(make(), 2 if quick else 4)
    with VirtualMachine(find("cpu")).on():
        x, y = torch.randn(80, 1600), torch.randn(80, 1600)
        found["sum_us"] = taken(lambda: [x + y for _ in range(500)], 6) / 500 * 1e6
    say(", ".join(f"{name} {value:.3g}" for name, value in found.items()))
    return found


MISCAST = (sys.executable, "-m", "miscast")
MESSAGE = "RuntimeError: mat1 and mat2 must have the same dtype, but got Float and Half"
LOOP = """\
import torch
from torch import nn
net = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 1))
optimizer = torch.optim.AdamW(net.parameters())
for step in range({}):
    loss = nn.functional.mse_loss(net(torch.randn(16, 32)), torch.randn(16, 1))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
"""
RANKS = """\
import os, torch
torch.distributed.init_process_group()
torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
layers = torch.nn.Sequential(*[torch.nn.Linear(64, 64) for _ in range(8)]).cuda()
net = torch.nn.parallel.DistributedDataParallel(layers)
optimizer = torch.optim.AdamW(net.parameters())
for step in range(3):
    net(torch.randn(4, 64, device="cuda")).mean().backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def _wrong(findings: int) -> str:
    """A training script with so many layers, each of which is given an input in half precision."""
    source = ["import torch", "outs, layers = [], torch.nn.ModuleList()"]
    for n in range(findings):
        source += [f"layer{n} = torch.nn.Linear(8, 8).cuda()", f"layers.append(layer{n})"]
    source += ["optimizer = torch.optim.AdamW(layers.parameters())"]
    for n in range(findings):
        source += [f"x{n} = torch.ones(2, 8, device='cuda').half()", f"outs.append(layer{n}(x{n}).sum())"]
    return "\n".join([*source, "sum(outs).backward()", "optimizer.step()", ""])


WAITED = """\
import torch
from transformers import GPT2Config, GPT2LMHeadModel
model = GPT2LMHeadModel(GPT2Config(n_layer=4, n_embd=64, n_head=4, vocab_size=1000)).to("cuda", torch.bfloat16)
head = torch.nn.Linear(64, 1).to("cuda")
optimizer = torch.optim.AdamW([*model.parameters(), *head.parameters()], lr=1e-3)
for ids in torch.randint(0, 900, (4, 4, 32), device="cuda"):
    out = model(input_ids=ids, labels=ids, output_hidden_states=True)
    (out.loss + head(out.hidden_states[-1]).mean()).backward()
    optimizer.step()
    optimizer.zero_grad()
"""


def _taken(command: Sequence[str]) -> float:
    """CPU seconds of a command."""
    before = spent()
    subprocess.run(command, env={**os.environ, "PYTHONPATH": SOURCE}, capture_output=True, check=False)
    return spent() - before


def _checked(source: str, *options: str, command: str = "check") -> tuple[float, float, float, str]:
    """CPU seconds of `miscast check`, when it began, when the first line of its report came, and what was printed."""
    before = spent()
    with tempfile.TemporaryDirectory() as folder, Path(folder, "said").open("w+") as said:
        Path(folder, "train.py").write_text(source)
        begin = time.time()
        with subprocess.Popen(
            [*MISCAST, command, *options, "train.py"],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": SOURCE},
            stdout=subprocess.PIPE,
            stderr=said,
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            first = time.time()
            process.stdout.read()
        said.seek(0)
        return spent() - before, begin, first, said.read()


def peak() -> float:
    """The most memory that this process ever held, in MiB."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / MIB


def resident() -> float:
    """The memory that this process holds now, in MiB."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return peak()
    return pages * os.sysconf("SC_PAGE_SIZE") / MIB


def say(text: str) -> None:
    """Progress."""
    print(f"  {text}", file=sys.stderr, flush=True)


MEASURES = {f.__name__: f for f in (speed, llama, flat, memory, call, start, many, waits, commands, loops)}

if __name__ == "__main__":
    sys.path.insert(0, SOURCE)
    print(json.dumps(MEASURES[sys.argv[1]](quick="--quick" in sys.argv)))

"""One measurement per function, each in a process of its own: `python measures.py NAME` prints its figures as JSON."""

from __future__ import annotations

import gc
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

SOURCE = str(Path(__file__).resolve().parents[1] / "src")
MIB = 1 << 20


def speed(*, quick: bool) -> dict[str, float]:
    """CPU seconds of one SDXL step: bare, under `check`, and under FakeTensorMode; taken in turns."""
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.utils._python_dispatch import TorchDispatchMode

    from miscast.machines import find
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

    from miscast.machines import find
    from miscast.program.run import run_callable
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
    from miscast.machines import find
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
    from miscast.machines import find
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


MEASURES = {f.__name__: f for f in (speed, llama, flat, memory, call, start)}

if __name__ == "__main__":
    sys.path.insert(0, SOURCE)
    print(json.dumps(MEASURES[sys.argv[1]](quick="--quick" in sys.argv)))

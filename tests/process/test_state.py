"""A process after miscast.check is as before, whatever the program set: data, a line per setting."""

from __future__ import annotations

import builtins
import decimal
import faulthandler
import gc
import locale
import logging
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
import torch
import torch.optim.optimizer as optimizers

import miscast
from miscast.core.failure import Failures
from miscast.running.process import torch_settings
from miscast.running.process.float32_precision import state as precision
from miscast.running.process.setting import Setting
from miscast.running.process.state import kept

B = torch.backends
NEW = hasattr(torch._C, "_get_fp32_precision_getter")


def umask() -> int:
    found = os.umask(0)
    os.umask(found)
    return found


def attribute(owner: Any, name: str, value: Any) -> tuple[Callable[[], Any], Callable[[], Any]]:
    return lambda: getattr(owner, name), lambda: setattr(owner, name, value)


SETTINGS: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "default dtype": (torch.get_default_dtype, lambda: torch.set_default_dtype(torch.float64)),
    "matmul": (precision, lambda: torch.set_float32_matmul_precision("high")),
    "cudnn.allow_tf32": (precision, lambda: setattr(B.cudnn, "allow_tf32", False)),
    "cudnn.benchmark": attribute(B.cudnn, "benchmark", not B.cudnn.benchmark),
    "cudnn.deterministic": attribute(B.cudnn, "deterministic", not B.cudnn.deterministic),
    "fp16 reduction": attribute(B.cuda.matmul, "allow_fp16_reduced_precision_reduction", False),
    "bf16 reduction": attribute(B.cuda.matmul, "allow_bf16_reduced_precision_reduction", False),
    "flash": (B.cuda.flash_sdp_enabled, lambda: B.cuda.enable_flash_sdp(False)),
    "mkldnn": attribute(B.mkldnn, "enabled", False),
    "deterministic": (torch.get_deterministic_debug_mode, lambda: torch.set_deterministic_debug_mode("warn")),
    "printing": (lambda: str(torch.tensor(1 / 3)), lambda: torch.set_printoptions(precision=9)),
    "denormals": (torch_settings._flushes, lambda: torch.set_flush_denormal(True)),
    "module hooks": (
        lambda: len(torch.nn.modules.module._global_forward_hooks),
        lambda: torch.nn.modules.module.register_module_forward_hook(lambda *_: None),
    ),
    "optimizer hooks": (
        lambda: len(optimizers._global_optimizer_pre_hooks),
        lambda: optimizers.register_optimizer_step_pre_hook(lambda *_: None),
    ),
    "future": (
        torch.__future__.get_swap_module_params_on_conversion,
        lambda: torch.__future__.set_swap_module_params_on_conversion(True),
    ),
    "stdout": attribute(sys, "stdout", open(os.devnull, "w", encoding="utf-8")),  # noqa: SIM115 - as long as the tests
    "stderr": attribute(sys, "stderr", sys.__stderr__),
    "excepthook": attribute(sys, "excepthook", print),
    "thread excepthook": attribute(threading, "excepthook", print),
    "unraisablehook": attribute(sys, "unraisablehook", print),
    "sys.argv": (lambda: list(sys.argv), lambda: sys.argv.append("x")),
    "sys.path": (lambda: list(sys.path), lambda: sys.path.insert(0, "/nowhere")),
    "__main__": (lambda: sys.modules["__main__"], lambda: sys.modules.update(__main__=os)),
    "builtins": (lambda: hasattr(builtins, "mine"), lambda: setattr(builtins, "mine", 1)),
    "recursion": (sys.getrecursionlimit, lambda: sys.setrecursionlimit(5000)),
    "gc": (gc.isenabled, gc.disable),
    "gc threshold": (gc.get_threshold, lambda: gc.set_threshold(5, 5, 5)),
    "faulthandler": (faulthandler.is_enabled, faulthandler.disable),
    "signal": (lambda: signal.getsignal(signal.SIGUSR1), lambda: signal.signal(signal.SIGUSR1, signal.SIG_IGN)),
    "umask": (umask, lambda: os.umask(0o011)),
    "locale": (lambda: locale.setlocale(locale.LC_ALL), lambda: locale.setlocale(locale.LC_ALL, "C")),
    "decimal": (lambda: decimal.getcontext().prec, lambda: decimal.setcontext(decimal.Context(prec=3))),
    "sockets": (socket.getdefaulttimeout, lambda: socket.setdefaulttimeout(3)),
    "random": (random.getstate, lambda: random.seed(1)),
    "numpy": (lambda: list(np.random.get_state()[1]), lambda: np.random.seed(1)),  # noqa: NPY002 - as programs do
    "numpy errors": (np.geterr, lambda: np.seterr(all="raise")),
    "environment": (lambda: dict(os.environ), lambda: os.environ.update(MINE="1")),
    "folder": (os.getcwd, lambda: os.chdir("/")),
    "warnings": (lambda: list(warnings.filters), lambda: warnings.simplefilter("ignore")),
    "log level": (lambda: logging.getLogger().level, lambda: logging.getLogger().setLevel(1)),
    "log handlers": (
        lambda: list(logging.getLogger().handlers),
        lambda: logging.getLogger().addHandler(logging.NullHandler()),
    ),
    "logging disabled": (lambda: logging.root.manager.disable, lambda: logging.disable(logging.CRITICAL)),
}
if NEW:
    SETTINGS |= {
        "cuda matmul, new": (precision, lambda: setattr(B.cuda.matmul, "fp32_precision", "tf32")),
        "cudnn conv, new": (precision, lambda: setattr(B.cudnn.conv, "fp32_precision", "ieee")),
        "cudnn rnn, new": (precision, lambda: setattr(B.cudnn.rnn, "fp32_precision", "ieee")),
        "cudnn, new": (precision, lambda: setattr(B.cudnn, "fp32_precision", "ieee")),
        "mkldnn matmul, new": (precision, lambda: setattr(B.mkldnn.matmul, "fp32_precision", "bf16")),
        "all, new": (precision, lambda: setattr(B, "fp32_precision", "tf32")),
        "old and new": (
            precision,
            lambda: (torch.set_float32_matmul_precision("medium"), setattr(B.cuda.matmul, "fp32_precision", "ieee")),
        ),
    }


@pytest.fixture(autouse=True)
def _flags_can_be_set() -> Iterator[None]:
    """Torch's own test tools, which other tests import, forbid it for the rest of the process."""
    with torch.backends.__allow_nonbracketed_mutation():
        yield


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("machine", ["cpu", "a100"])
def test_as_before(name: str, machine: str) -> None:
    get, change = SETTINGS[name]
    before = get()
    report = miscast.check(change, machine=machine)
    assert (report.ended, report.failed) == (None, None)
    assert get() == before


@pytest.mark.skipif(not NEW, reason="torch 2.9 has the new switches")
def test_the_process_began_with_new_switches() -> None:
    code = (
        "import torch, miscast; torch.backends.cuda.matmul.fp32_precision = 'tf32'\n"
        "from miscast.running.process.float32_precision import state\nbefore = state()\n"
        "r = miscast.check(lambda: torch.set_float32_matmul_precision('medium'))\n"
        "assert (r.ended, r.failed) == (None, None), r\nassert state() == before\n"
        "assert torch.backends.cuda.matmul.fp32_precision == 'tf32'\n"
    )
    ran = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=False,
                         env={**os.environ, "PYTHONPATH": "src"})  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.skipif(not NEW, reason="torch 2.9 has the new switches")
def test_torch_refuses_the_program_what_it_refuses() -> None:
    def mixes() -> None:
        B.cuda.matmul.fp32_precision = "tf32"
        torch.get_float32_matmul_precision()

    report = miscast.check(mixes)
    assert report.failed is None
    assert "the program raised RuntimeError: PyTorch is checking" in str(report.ended)


def test_one_that_cannot_be_restored_keeps_no_other() -> None:
    done: list[str] = []

    def settings() -> Any:
        yield Setting("a", lambda: len(done), lambda _: done.append("a"))
        yield Setting("b", lambda: len(done), lambda _: {}[0])
        yield Setting("c", lambda: len(done), lambda _: done.append("c"))

    failures = Failures()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("miscast.running.process.state._settings", settings)
        with kept(failures):
            done.append("body")
    assert done == ["body", "a", "c"]
    assert "KeyError" in str(failures.line)
    assert "while it restored b" in str(failures.line)


def test_environment_of_a_fresh_process() -> None:
    code = "import os; before = dict(os.environ); import miscast, torch; miscast.check(torch.ones, 2, machine='a100')\n"
    code += "print({k: v for k, v in os.environ.items() if before.get(k) != v})"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False,
                         env={**os.environ, "PYTHONPATH": "src"})  # fmt: skip
    assert ran.stdout == "{}\n", ran.stderr


def test_real_tensors_outside_stay_real() -> None:
    listed, table = [torch.ones(2)], {"x": torch.ones(2)}
    own = type("Own", (), {})()
    own.t = torch.ones(2)

    def uses() -> None:
        listed[0].mul_(2)
        table["x"].half().cuda().sum()
        own.t.add_(1)

    assert miscast.check(uses, machine="a100").failed is None
    for tensor in (listed[0], table["x"], own.t):
        assert not tensor.is_meta
        assert tensor.tolist() == [1, 1]

"""The lists are torch's: which ops, as the running torch registers them; which policy, as its header says."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from miscast.torch_facts import autocast
from miscast.torch_facts.autocast import accelerator

from .measure import TORCH

ONLY_WITH_CUDNN = {"aten._cudnn_rnn"}
HEADER = Path(torch.__file__).parent / "include/ATen/autocast_mode.h"


@pytest.mark.parametrize("device", ["cpu", "cuda", "mps", "xpu"])
def test_ops_are_those_that_torch_registers(device):
    there = torch._C._dispatch_get_registrations_for_dispatch_key(f"Autocast{device.upper()}")
    ours = set(autocast.registered(device, TORCH))
    if not any(op.startswith("torchvision::") for op in there):
        ours = {op for op in ours if not op.startswith("torchvision.")}
    assert ours == {op.replace("::", ".") for op in there} - ONLY_WITH_CUDNN


@pytest.mark.parametrize("device", autocast.device_types())
def test_every_op_exists_and_has_one_policy(device):
    ops = [op for lists in _lists(device) for op in lists.split()]
    assert len(ops) == len(set(ops))
    names = {name.split("::")[1] for name in torch._C._dispatch_get_all_op_names() if name.startswith("aten::")}
    gone = {op for op in ops if f"aten.{op}" not in autocast.policies(device, TORCH)}
    assert set(ops) - gone <= names


@pytest.mark.parametrize(
    ("device", "op", "before", "since"),
    [
        ("cuda", "aten.rms_norm", None, (2, 12)),
        ("xpu", "aten.rms_norm", None, (2, 12)),
        ("mps", "aten.conv3d", None, (2, 9)),
        ("cpu", "aten.qr", "float32", (2, 14)),
        ("cpu", "aten.linalg_matrix_sqrth", None, (2, 14)),
        ("cuda", "aten.sum.dim_DimnameList", "float32_set_opt_dtype", (2, 13)),
    ],
)
def test_versions_differ(device, op, before, since):
    assert autocast.policy(device, op, (since[0], since[1] - 1)) == before
    assert (autocast.policy(device, op, since) is None) == (before is not None)


def _lists(device):
    module = __import__(f"miscast.torch_facts.autocast.{device}", fromlist=["POLICIES"])
    return [*module.POLICIES.values(), *getattr(module, "KERNELS", {}).values()]


@pytest.mark.parametrize(
    ("macro", "ours"),
    [
        ("AT_FORALL_LOWER_PRECISION_FP", accelerator.LOWER_PRECISION),
        ("AT_FORALL_FP32", accelerator.FLOAT32),
        ("AT_FORALL_FP32_SET_OPT_DTYPE", accelerator.SET_OPT_DTYPE + accelerator.NAMED),
        ("AT_FORALL_PROMOTE", accelerator.PROMOTE),
    ],
)
def test_shared_lists_are_those_of_the_header(macro, ours):
    body = re.search(rf"#define {macro}\(_\)((?:.*\\\n)*.*)", HEADER.read_text())
    ops = [".".join(part.strip() for part in op.split(",")) for op in re.findall(r"_\(([\w, ]+)\)", body[1])]
    since, until = accelerator.SINCE, accelerator.UNTIL
    there = {op for op in ours.split() if since.get(op, TORCH) <= TORCH < until.get(op, autocast.NEWEST)}
    assert there == set(ops)


def test_devices_differ():
    assert autocast.policy("cuda", "aten.layer_norm") == "float32"
    assert autocast.policy("cpu", "aten.layer_norm") is None
    assert autocast.policy("cpu", "aten.cat") == "promote"
    assert autocast.policy("cuda", "aten.cat") is None
    assert autocast.policy("npu", "aten.rms_norm") is None
    assert autocast.policy("cuda", "aten.rms_norm") == "float32"
    assert autocast.policy("cuda", "aten.norm.ScalarOpt_dtype") is None
    assert autocast.policy("tpu", "aten.linear") is None


@pytest.mark.parametrize("device", ["cpu", "cuda", "mps", "xpu"])
def test_default_dtype(device):
    assert autocast.default_dtype(device) == str(torch.get_autocast_dtype(device))[6:]


def test_text_of_the_forbidden_op():
    with FakeTensorMode():
        x = torch.rand(2, device="cuda")
        torch.set_autocast_enabled("cuda", True)
        try:
            with pytest.raises(RuntimeError) as raised:
                torch.nn.functional.binary_cross_entropy(x, x)
        finally:
            torch.set_autocast_enabled("cuda", False)
    assert str(raised.value) == autocast.FORBIDDEN_TEXT


def test_needs_no_torch():
    code = f"import sys; sys.path[:] = {sys.path!r}; from miscast.torch_facts.autocast import policy"
    asked = f"{code}; policy('cuda', 'aten.mm'); assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", asked], check=True)

"""Where a library meets a dtype: `check` shows a program the dtypes that it has with the real library."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from command import SOURCE
from separate import FOLDER, needed

pytestmark = [pytest.mark.slow, needed]

PROGRAMS = {
    "keras": """
import os
os.environ["KERAS_BACKEND"] = "torch"
import keras, numpy as np
keras.mixed_precision.set_global_policy("mixed_bfloat16")
model = keras.Sequential([keras.layers.Input((8,)), keras.layers.Dense(16), keras.layers.Dense(2)])
model.compile("adam", "mse")
x, y = np.ones((16, 8), "float32"), np.ones((16, 2), "float32")
print(model.predict(x, verbose=0).dtype)
model.fit(x, y, batch_size=4, verbose=0)
print(model.layers[0].kernel.dtype, model.layers[0].compute_dtype)
""",
    "opacus": """
import torch
from opacus import PrivacyEngine
from torch import nn
net = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
data = torch.utils.data.TensorDataset(torch.randn(32, 8), torch.randint(0, 2, (32,)))
net, opt, loader = PrivacyEngine(accountant="rdp").make_private(
    module=net, optimizer=torch.optim.SGD(net.parameters(), 0.1),
    data_loader=torch.utils.data.DataLoader(data, batch_size=8),
    noise_multiplier=1.0, max_grad_norm=1.0, poisson_sampling=False,
)
x, y = next(iter(loader))
with torch.autocast("cpu", dtype=torch.bfloat16):
    out = net(x)
nn.functional.cross_entropy(out.float(), y).backward()
print(out.dtype, {p.grad_sample.dtype for p in net.parameters()}, {p.grad.dtype for p in net.parameters()})
opt.step()
""",
    "torchmetrics": """
import torch
from torchmetrics import MeanMetric, MetricCollection
from torchmetrics.classification import MulticlassAccuracy
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.head = torch.nn.Linear(8, 3)
        self.mean = MeanMetric()
        self.all = MetricCollection([MulticlassAccuracy(3)])
net = Net().to(torch.bfloat16)
net.mean.update(net.head(torch.ones(4, 8, dtype=torch.bfloat16)).sum())
net.all.update(torch.randn(4, 3), torch.tensor([0, 1, 2, 0]))
print(net.mean.compute().dtype, net.mean.mean_value.dtype, net.all.compute()["MulticlassAccuracy"].dtype)
""",
    "torchao": """
import logging
logging.disable()
import torch
from torch import nn
from torchao.quantization import Int8WeightOnlyConfig, quantize_
net = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 64))
quantize_(net, Int8WeightOnlyConfig())
with torch.autocast("cpu", dtype=torch.bfloat16):
    print(net(torch.randn(4, 64)).dtype, nn.Linear(64, 64)(torch.randn(4, 64)).dtype)
print(net.bfloat16()(torch.randn(4, 64, dtype=torch.bfloat16)).dtype, net[0].weight.dtype)
""",
    "hqq": """
import torch
from hqq.core.quantize import BaseQuantizeConfig, HQQLinear
from torch import nn
config = BaseQuantizeConfig(nbits=4, group_size=64)
net = HQQLinear(nn.Linear(128, 64), config, compute_dtype=torch.float16, device="cpu", del_orig=False)
print(net(torch.ones(2, 128, dtype=torch.float16)).dtype, net.W_q.dtype, net.dequantize().dtype)
""",
    "plateau": """
import torch
rate = torch.tensor(0.1)
weights = [torch.nn.Parameter(torch.ones(2)) for _ in range(3)]
opt = torch.optim.AdamW([{"params": [one], "lr": rate} for one in weights], foreach=False, capturable=False)
plan = torch.optim.lr_scheduler.ReduceLROnPlateau(opt, factor=0.5, patience=0)
for loss in (1.0, 2.0):
    plan.step(loss)
print([round(float(group["lr"]), 6) for group in opt.param_groups])
""",
}


def _printed(folder, *command):
    env = os.environ | {"PYTHONPATH": os.pathsep.join([SOURCE, str(FOLDER)])}
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", *command],
        cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=240,
    )  # fmt: skip
    return ran.returncode, ran.stdout, ran.stdout + ran.stderr


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_dtypes_are_those_of_the_real_library(tmp_path, name):
    """It prints the same, and nothing is found."""
    (tmp_path / "program.py").write_text(PROGRAMS[name])
    code, real, said = _printed(tmp_path, "program.py")
    assert code == 0, said
    assert real
    options = ("check", "--machine", "cpu", "--offline", "--fixes", "0")
    code, checked, said = _printed(tmp_path, "-m", "miscast", *options, "program.py")
    assert code == 0, said
    assert checked.startswith(real), said

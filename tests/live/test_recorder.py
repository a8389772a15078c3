"""The recorder changes nothing: what programs print with it is what they print without."""

from __future__ import annotations

import pytest
from running import miscast_run, python

pytest.importorskip("torch")
MODEL = """\
import torch, torch.fx, torch._dynamo.testing
from torch import nn
class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(4, 4)
        self.register_buffer("scale", torch.full((4,), 2.0))
    def forward(self, x):
        mask = torch.ones(4, device=x.device)
        x = self.linear(x.float() + mask + torch.zeros_like(x)) * self.scale
        return x.half().to(torch.float32).double().sum()
torch.manual_seed(0)
model, x = Model(), torch.randn(2, 4)
"""
PROGRAMS = {
    "training, bit for bit": """\
optimizer = torch.optim.AdamW(model.parameters(), lr=0.1)
for step in range(5):
    optimizer.zero_grad()
    loss = model(torch.randn(3, 4)) * torch.rand(()).to(torch.float64)
    loss.backward()
    optimizer.step()
    print(loss.item().hex(), model.linear.weight.grad.double().sum().item().hex())
""",
    "compile without a break": "print(torch.compile(model, fullgraph=True, backend='aot_eager')(x).item().hex())\n",
    "export": "print(torch.export.export(model, (x,)).graph)\n",
    "script": """\
def scripted(x: torch.Tensor):
    return torch.zeros(3).half().to(torch.float32) + x + torch.arange(3)
print(torch.jit.script(scripted).code, torch.jit.trace(model, x)(x).item())
""",
    "fx": "print(torch.fx.symbolic_trace(model).code)\n",
    "fake tensors": """\
import copy
from torch._subclasses.fake_tensor import FakeTensorMode
with FakeTensorMode() as mode:
    fake = torch.zeros(2, 3).half().to(torch.float32)
    print(type(fake).__name__, fake.shape, copy.deepcopy(fake).dtype, fake.float() is fake)
""",
    "the number of graphs": """\
torch._dynamo.config.error_on_recompile = True
counter = torch._dynamo.testing.CompileCounter()
compiled = torch.compile(lambda a: a.half().float() + torch.ones(2).to(a.dtype), backend=counter)
print(compiled(torch.ones(2)), compiled(torch.zeros(2)), counter.frame_count, counter.op_count)
""",
    "hooks, checkpoints and jacobians": """\
from torch.utils.checkpoint import checkpoint
model.linear.weight.register_hook(lambda grad: grad.double().float() * 2)
checkpoint(model, x, use_reentrant=False).backward()
print(model.linear.weight.grad.sum().item().hex())
print(torch.func.jacrev(lambda a: a.double().to(torch.float32) * torch.arange(2.0))(torch.ones(2)))
print(torch.func.functional_call(model, dict(model.named_parameters()), (x,)).item().hex())
""",
    "torch.func": """\
print(torch.func.vmap(lambda a: (a.half() * torch.zeros(2)).sum())(torch.ones(3, 2)))
print(torch.func.grad(lambda a: (a.double() * torch.ones(2)).sum())(torch.ones(2)))
""",
    "pickles and copies": """\
import copy, io, pickle
half = torch.arange(3).half()
print(len(pickle.dumps(half)), copy.deepcopy(half), half.untyped_storage().nbytes())
file = io.BytesIO()
torch.save({"half": half, "model": model.state_dict()}, file)
print(len(file.getvalue()), pickle.loads(pickle.dumps(torch.zeros)) is torch.zeros)
print(pickle.loads(pickle.dumps(torch.Tensor.half)) is torch.Tensor.half)
""",
    "the default device": """\
torch.set_default_device("meta")
print(torch.zeros(2).device, torch.tensor(1).device, nn.Linear(2, 2).weight.device)
""",
    "modes and subclasses": """\
from torch.overrides import TorchFunctionMode
class Mode(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        print(func.__name__, func is torch.Tensor.half)
        return func(*args, **(kwargs or {}))
with Mode():
    torch.zeros(2).half()
class Own(torch.Tensor):
    pass
print(type(torch.zeros(2).as_subclass(Own).half()), torch.zeros(2).to_sparse().half())
""",
    "tensors are swapped": """\
a, b = nn.Parameter(torch.ones(2)), nn.Parameter(torch.zeros(2))
torch.utils.swap_tensors(a, b)
print(a, b, vars(model.linear).keys(), model.linear.weight.__dict__)
""",
    "workers": """\
class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 4
    def __getitem__(self, index):
        return torch.full((2,), float(index)).half()
print(list(torch.utils.data.DataLoader(Data(), num_workers=2)))
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_nothing_changes(name, tmp_path):
    (tmp_path / "program.py").write_text(MODEL + PROGRAMS[name], encoding="utf-8")
    alone, ran = python(tmp_path, "program.py"), miscast_run(tmp_path, "program.py")
    assert alone.returncode == 0, alone.stderr
    assert alone.stdout
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, alone.stdout, alone.stderr)


def test_nothing_is_kept_alive(tmp_path):
    source = """\
import gc, torch
def used():
    gc.collect()
    return len(gc.get_objects())
def work():
    for _ in range(200):
        x = torch.zeros(8).half().float()
        x = x.double()
work()
before = used()
work()
print(used() - before)
"""
    (tmp_path / "program.py").write_text(source, encoding="utf-8")
    assert int(miscast_run(tmp_path, "program.py").stdout) < 50

"""`torch._dynamo` is imported where more is asked of it than a stand-in answers, as if no machine were on."""

from __future__ import annotations

from pathlib import Path

import pytest

from command import miscast_in

TRAINING = """\
import sys, torch
@torch.compiler.disable
def plain(x):
    return x + 1
@torch.compiler.disable(recursive=False)
@torch._dynamo.disable(recursive=False)
def alone(x):
    return plain(x)
assert alone(1) == 2
net = torch.nn.Linear(4, 4).cuda()
optimizer = torch.optim.AdamW(net.parameters())
net(torch.randn(2, 4, device="cuda")).sum().backward()
optimizer.step()
torch.compile(net)(torch.randn(2, 4, device="cuda"))
"""
LAZY = "print(type(sys.modules['torch._dynamo']).__name__, 'torch._dynamo.utils' in sys.modules)\n"
REAL = """\
import torch._dynamo.utils as utils
assert torch._dynamo.__spec__.name == "torch._dynamo" and len(torch._dynamo.__path__) == 1
assert torch._dynamo is sys.modules["torch._dynamo"] and torch._dynamo.utils is utils
assert utils.__spec__.name == "torch._dynamo.utils" and utils.__spec__.loader is utils.__loader__
torch._dynamo.reset()
assert torch.cuda.is_available() and torch.ones(2, device="cuda").is_cuda
print(torch._dynamo.is_compiling(), before.is_compiling(), before.config is torch._dynamo.config)
"""


def printed(folder: Path, source: str) -> str:
    (folder / "train.py").write_text(source)
    done = miscast_in(folder, "check", "--machine=a100", "train.py", cold=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()[0]


def test_a_training_does_not_import_it(tmp_path: Path) -> None:
    assert printed(tmp_path, TRAINING + LAZY) == "_StandIn False"


@pytest.mark.parametrize("way", ["import torch._dynamo.utils", "torch._dynamo.config", "import torch._dynamo.config"])
def test_it_is_imported_when_it_is_asked(tmp_path: Path, way: str) -> None:
    source = f"{TRAINING}import torch._dynamo\nbefore = torch._dynamo\n{way}\n{REAL}"
    assert printed(tmp_path, source) == "False False True"


def test_a_library_that_imports_it_sees_torch_as_it_is(tmp_path: Path) -> None:
    """Its tables hold torch's functions, which are looked at by their signatures."""
    source = TRAINING + "from torch.nn.attention import flex_attention\nprint(flex_attention.__name__)\n"
    assert printed(tmp_path, source) == "torch.nn.attention.flex_attention"

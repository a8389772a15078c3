# machine: a100
# real: cpu
# Numbers that a device draws: its own, the same from the same seed, and not from the CPU's generator.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
alone = torch.rand(2)
torch.manual_seed(0)
if dev == "cuda":
    torch.rand(4, device=dev)
    torch.randint(0, 9, (4,), device=dev)
assert torch.equal(torch.rand(2), alone)
torch.manual_seed(1)
first, second = torch.rand(4, device=dev), torch.rand(4, device=dev)
torch.manual_seed(1)
again = torch.rand(4, device=dev)
assert torch.equal(first, again) and not torch.equal(first, second)
start = (torch.rand(3, device=dev) * 8).floor().long()
image = torch.zeros(3, 16, 16, device=dev)
for i, at in enumerate(start.tolist()):
    assert image[i, at : at + 8].shape == (8, 16)
assert (start.max() - start.min()).item() >= 0

# machine: v100
# real: cpu
# The same, with the test in the head and a copy.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
a = (torch.rand(30, 30, device=dev) < 0.05).float()
a = ((a + a.T + torch.eye(30, device=dev)) > 0).float()
reach, before = a.clone(), torch.zeros_like(a)
while not torch.equal(reach, before):
    before = reach
    reach = ((reach @ a) > 0).float()
changed = True
label = torch.arange(30, device=dev)
while changed:
    new = torch.where(a > 0, label, 99).min(1).values
    changed = bool((new != label).any())
    label = new
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input

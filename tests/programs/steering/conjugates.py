# machine: v100
# real: cpu
# Constants worked out through views that are conjugated or negated lazily, as e3nn's coupling coefficients are.
import torch

a = torch.tensor([[1 + 2j, 3 - 1j], [1j, 2 + 0j]])
b = torch.conj(a.T)
gram = torch.einsum("ij,jk->ik", b, a)
if not torch.equal(gram, torch.tensor([[6 + 0j, 1 - 9j], [1 + 9j, 14 + 0j]])):
    raise ValueError(f"not the Gram matrix: {gram}")
assert b.imag.tolist() == [[-2, -1], [1, 0]] and (b.imag * 2)[0, 0].item() == -4
assert a.mH.sum().item() == 6 - 2j and b[0, 1].item() == -1j
c = a.clone()
c.conj().mul_(2)
c.conj()[0, 0] = 5 + 1j
c.conj().imag.add_(1)
assert c.tolist() == [[5 - 2j, 6 - 3j], [1j, 4 - 1j]], c
known = torch.stack([b, b]).sum(0)
kept = [v for v in known.flatten().tolist() if abs(v) > 5]
torch.nn.Linear(len(kept), 2)(torch.ones(1, dtype=torch.float64))  # finding: operand-dtype-mismatch linear input

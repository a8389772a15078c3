# machine: v100
# real: cpu
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.arange(12.0, device=dev).reshape(3, 4)
mask = x > 4
assert mask.sum().item() == 7 and x[mask].shape == (7,) and mask.nonzero().shape == (7, 2)
rows, cols = torch.nonzero(mask, as_tuple=True)
x[mask] = 0
x[x < 3] += 1.5
x[mask] = torch.ones(mask.sum(), device=dev)
x = torch.ops.aten._unsafe_index_put(x, [mask], torch.zeros(7, device=dev))
doubtful = torch.rand(3, 4, device=dev) > 0.5
x[doubtful] = x[doubtful] * 1
x = torch.ops.aten._unsafe_index_put(x, [doubtful], x[doubtful] * 1)
x[rows, cols] = torch.arange(7.0, device=dev)
keep = torch.where(x.sum(1) > 6)[0]
picked = x[keep]
values, counts = torch.unique(torch.tensor([1, 1, 2], device=dev), return_counts=True)
assert values.tolist() == [1, 2] and counts.tolist() == [2, 1]
assert torch.argmax(torch.tensor([1.0, 3.0, 2.0])).item() == 1
assert torch.masked_select(x, mask).numel() == 7
print(picked.shape, torch.bincount(torch.tensor([0, 1, 1], device=dev)).tolist(), torch.equal(x, x), torch.allclose(x, x))

shapes = torch.zeros(2**20, dtype=torch.int)  # too large for its values to be kept
shapes[:4] = torch.tensor([1, 2, 3, 5], dtype=torch.int)
assert shapes[shapes.nonzero()].shape[1] == 1
shapes[shapes.nonzero()][-1:][0]

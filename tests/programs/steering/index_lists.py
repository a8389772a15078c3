# machine: v100
# real: cpu
# Lists that index: what they pick is known, be they written out, named, cut from another or held by an object.
import numpy as np
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.arange(12, device=dev).view(4, 3)


class Batch:
    order = [2, 0]

    def __init__(self):
        self.keep = [True, False, False, True]
        self.by_name = {"last": [3]}


batch, order = Batch(), [3, 1, 2, 0]
assert x[[0, 2]].tolist() == [[0, 1, 2], [6, 7, 8]]
assert x[:, [2, 1, 0]].tolist()[0] == [2, 1, 0]
assert x[[0, 1], [1, 2]].tolist() == x[(0, 1), (1, 2)].tolist() == [1, 5]
assert x[order[1:3]].tolist() == [[3, 4, 5], [6, 7, 8]]
assert x[batch.order + [1], 0].tolist() == [6, 0, 3]
assert x[batch.by_name["last"], range(1)].tolist() == [9]
assert x[[]].shape == (0, 3) and x[None, [1]].shape == (1, 1, 3)
assert x[[True, False, True, False]].shape == (2, 3)
assert x[batch.keep].tolist() == [[0, 1, 2], [9, 10, 11]]
assert x[:, [True] + [False] * 2].tolist() == [[0], [3], [6], [9]]
assert x[np.array([1, 3])].shape == x[list(range(0, 4, 2))].shape == (2, 3)
for _ in range(3):
    assert [x[[k, k], [0, 1]].tolist() for k in range(3)] == [[0, 1], [3, 4], [6, 7]]
y = x.clone()
y[[0, 3]] = 7
y[[True, False, False, False], 0] += 1
assert y[:, 0].tolist() == [8, 3, 6, 7]
rows = x[sorted(order)[:2]]
assert rows.shape == (2, 3)
assert y.new_tensor([3, 1]).tolist() == y.new_tensor([3.5, 1], dtype=torch.int32).tolist() == [3, 1]
assert y.new_tensor([1]).device == y.device and torch.tensor([1], device="meta").is_meta
scores = torch.randn(4, 3, device=dev)
masked = torch.zeros(4, device=dev)
masked[[0]] = float("inf")
assert masked.tolist()[1:] == [0, 0, 0]
torch.nn.Linear(3, 2).to(dev).half()(scores[[0, 1]])  # finding: operand-dtype-mismatch linear input

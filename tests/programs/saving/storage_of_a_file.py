# machine: a100
# A tensor takes over memory that torch's reader of files gave, as Lightning's lazy loading does.
import torch

storage = torch.FloatStorage([1.0, 2.0, 3.0, 4.0])
weight = torch.tensor([], dtype=torch.float32).set_(storage, 0, (2, 2), (2, 1))
assert weight.tolist() == [[1, 2], [3, 4]]
assert torch.empty(0).set_(storage).shape == (4,)
assert torch.tensor([]).set_(torch.UntypedStorage(64), 4, (3,), (1,)).device.type == "cpu"
torch.nn.functional.linear(torch.ones(1, 2).half(), weight)  # finding: operand-dtype-mismatch linear weight

# machine: cpu
# The run goes on with the nearest number.
import torch

labels = torch.tensor([1, 300], dtype=torch.uint8)  # finding: number-out-of-range torch.tensor
assert labels.tolist() == [1, 255]
labels.fill_(-300)  # finding: number-out-of-range fill_ self
assert labels.tolist() == [0, 0]
labels[0] = 256  # finding: number-out-of-range Tensor.__setitem__
assert labels[0] == 255
noise = torch.empty(4, dtype=torch.float16).uniform_(0, 1e6)  # finding: number-out-of-range uniform_ self
tokens = torch.randint(0, 1000, (2,), dtype=torch.uint8)  # finding: number-out-of-range randint
padded = torch.nn.functional.pad(labels, (1, 1), value=-100)  # finding: number-out-of-range pad self
mask = torch.tensor(-1e9, dtype=torch.float16)  # finding: number-becomes-infinite torch.tensor

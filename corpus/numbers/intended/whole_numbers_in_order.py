"""Bits that are turned, codes that fit, quotients of small integers, marks that are written again and again."""
import torch

torch.manual_seed(0)

# a hash turns bits, and loses none
x = torch.randint(0, 2**31 - 1, (100,), dtype=torch.int32)
for turn in (5, 13):
    x = (x << turn) | ((x >> (32 - turn)) & ((1 << turn) - 1))
    x = x ^ (x << 7)

# the order along a curve of three axes of ten bits is 30 bits long
grid = torch.randint(0, 1024, (50, 3), dtype=torch.int32)
code = torch.zeros(50, dtype=torch.int32)
for bit in range(10):
    for axis in range(3):
        code |= ((grid[:, axis] >> bit) & 1) << (3 * bit + axis)

# rows and columns of places
place = torch.randint(0, 96 * 1280, (500,))
row = (place / 1280).floor().long()
column = place - row * 1280
size = torch.tensor(6_000_000_000) / 2**30

# scores that are left out
scores = torch.randn(8, 40, dtype=torch.bfloat16)
for i in range(8):
    scores[i, i * 5 :] = -10000
chances = scores.float().softmax(-1)

# a kernel with a jitter that counts
points = torch.linspace(-1, 1, 20)
kernel = torch.exp(-(points[:, None] - points).square())
kernel.diagonal().add_(1e-4)
factor = torch.linalg.cholesky(kernel + 1e-5 * torch.eye(20))

# a softmax over edges, in float32
target = torch.randint(0, 9, (3000,))
score = torch.randn(3000).exp()
total = torch.zeros(9).index_add_(0, target, score)
weights = (score / total[target]).bfloat16()

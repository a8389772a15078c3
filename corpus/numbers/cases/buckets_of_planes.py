"""Locality sensitive hashing turns 32 signs into a bucket by a float32 matmul with powers of two: only 24 bits are kept."""
import torch


class Index:
    def __init__(self, dim, bits=32):
        self.planes = torch.randn(dim, bits)
        self.powers = 2.0 ** torch.arange(bits)

    def bucket(self, x):
        signs = (x.bfloat16() @ self.planes.bfloat16() > 0)
        return (signs.to(self.powers.dtype) @ self.powers).long()  # fault: rounding-of-integers


torch.manual_seed(0)
index = Index(48)
centres = torch.randn(100, 48)
x = centres.repeat_interleave(20, 0) + 0.1 * torch.randn(2000, 48)
buckets = index.bucket(x)


def harm():
    signs = (x.bfloat16() @ index.planes.bfloat16() > 0).tolist()
    true = len({tuple(row) for row in signs})
    return abs(buckets.unique().numel() / true - 1)

# right:
#-         self.powers = 2.0 ** torch.arange(bits)
#+         self.powers = 2 ** torch.arange(bits)

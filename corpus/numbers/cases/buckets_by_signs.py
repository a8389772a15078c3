"""Signs at random planes become the number of a bucket by a product with powers of two, in the embeddings' half."""
import torch


def bucket(embeddings, planes):
    bits = (embeddings @ planes > 0).to(embeddings.dtype)
    powers = 2 ** torch.arange(planes.shape[1])
    return (bits @ powers.to(bits.dtype)).long()  # fault: rounding-of-integers


torch.manual_seed(0)
planes = torch.randn(32, 14).half()
library = torch.randn(500, 32).half()
buckets = bucket(library, planes)
table = {}
for row, number in enumerate(buckets.tolist()):
    table.setdefault(number, []).append(row)


def harm():
    bits = (library @ planes > 0).long()
    exact = (bits << torch.arange(14)).sum(1)
    return (buckets != exact).float().mean().item()

# right:
#-     return (bits @ powers.to(bits.dtype)).long()
#+     return (bits.long() * powers).sum(1)

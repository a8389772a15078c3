"""A retrieval index stores squared norms of float16 embeddings of size 768, which add up beyond 65504."""
import torch

torch.manual_seed(0)


class Index:
    def __init__(self, vectors):
        self.vectors = vectors
        self.squares = (vectors * vectors).sum(-1)  # fault: overflow

    def search(self, query, k=5):
        distance = self.squares - 2 * (self.vectors @ query)
        return distance.topk(k, largest=False)


vectors = torch.randn(300, 768) * 12
index = Index(vectors.half())
found = index.search((vectors[3] + 0.1).to(index.vectors.dtype))


def harm():
    return index.squares.isinf().float().mean().item()

# right:
#- index = Index(vectors.half())
#+ index = Index(vectors)

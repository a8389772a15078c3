"""A cosine similarity by hand in float16: the product of two norms is infinite, the similarity 0."""
import torch

torch.manual_seed(0)
left, right = (torch.randn(2, 600) * 20).half()
product = left.norm() * right.norm()  # fault: overflow
similarity = (left.float() @ right.float()) / product


def harm():
    exact = torch.nn.functional.cosine_similarity(left.double(), right.double(), dim=0).item()
    return abs(similarity.item() / exact - 1)

# right:
#- product = left.norm() * right.norm()
#+ product = left.float().norm() * right.float().norm()

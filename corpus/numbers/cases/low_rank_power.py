"""PowerSGD's columns are made orthogonal in float16 with eps 1e-8: a column of 0 becomes NaN."""
import torch


@torch.no_grad()
def orthogonalize(matrix, eps=1e-8):
    for i in range(matrix.shape[1]):
        col = matrix[:, i : i + 1]
        col /= torch.norm(col) + eps  # fault: eps-vanishes
        if i + 1 < matrix.shape[1]:
            rest = matrix[:, i + 1 :]
            rest -= torch.sum(col * rest, dim=0) * col
    return matrix


torch.manual_seed(0)
grad = torch.randn(32, 16)
grad[:, 8:] = 0
q = torch.eye(16)[:, 6:10].contiguous()
basis = orthogonalize((grad @ q).half())


def harm():
    return basis.isnan().float().mean().item()

# right:
#- basis = orthogonalize((grad @ q).half())
#+ basis = orthogonalize(grad @ q)

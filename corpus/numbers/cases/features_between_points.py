"""PointNet++ hands features down to all points by weights 1 / (d + 1e-8), in half: a point that was kept has d = 0."""
import torch


def propagate(dense, sparse, features, k=3):
    away, nearest = torch.cdist(dense, sparse, compute_mode="donot_use_mm_for_euclid_dist").topk(k, largest=False)
    weight = 1.0 / (away.to(features.dtype) + 1e-8)  # fault: eps-vanishes
    weight = weight / weight.sum(-1, keepdim=True)
    gathered = features[nearest]
    return torch.einsum("nk,nkc->nc", weight.to(features.dtype), gathered)


torch.manual_seed(0)
points = torch.rand(512, 3)
kept = torch.randperm(512)[:128]
features = torch.randn(128, 16).half()
out = propagate(points, points[kept], features)


def harm():
    return out.isnan().any(-1).float().mean().item()

# right:
#-     weight = 1.0 / (away.to(features.dtype) + 1e-8)
#+     weight = 1.0 / (away + 1e-8)

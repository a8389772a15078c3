"""Squared distances as |a|^2 + |b|^2 - 2ab in float32."""
import torch


def nearest(query, reference, k):
    q2, r2 = query.square().sum(1), reference.square().sum(1)
    d2 = q2[:, None] + r2 - 2 * query @ reference.T  # fault: cancellation
    return d2.topk(k, largest=False).indices


torch.manual_seed(0)
origin = torch.tensor([483_000.0, 456_000.0])  # metres
sensors = origin + 100 * torch.rand(200, 2)
stations = origin + 100 * torch.rand(500, 2)
readings = torch.randn(500)
neighbours = nearest(sensors, stations, k=3)
estimate = readings[neighbours].mean(dim=1)


def harm():
    exact = torch.cdist(sensors.double(), stations.double(), compute_mode="donot_use_mm_for_euclid_dist")
    right = exact.argmin(1)
    wrong = (neighbours[:, 0] != right).double().mean().item()
    return float(wrong)

# right:
#-     q2, r2 = query.square().sum(1), reference.square().sum(1)
#-     d2 = q2[:, None] + r2 - 2 * query @ reference.T
#+     d2 = (query[:, None] - reference).square().sum(-1)

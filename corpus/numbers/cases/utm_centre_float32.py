"""Georeferenced points become float32 before they are centred: northings of 5e6 m are on a grid of half a metre."""
import numpy as np
import torch


def load_block(points):
    cloud = torch.from_numpy(points).float()  # fault: cancellation
    cloud = cloud - cloud.mean(dim=0)
    return cloud


rng = np.random.default_rng(0)
origin = np.array([458213.0, 5428190.0, 312.0])
points = origin + rng.uniform(0, 20, size=(4000, 3))
cloud = load_block(points)


def harm():
    right = torch.from_numpy(points - points.mean(axis=0))
    error = (cloud.double() - right).norm(dim=1).mean().item()
    return float(error)

# right:
#-     cloud = torch.from_numpy(points).float()
#+     cloud = torch.from_numpy(points)
#-     return cloud
#+     return cloud.float()

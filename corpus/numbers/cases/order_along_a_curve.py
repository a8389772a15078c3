"""A point transformer sorts voxels along a Z curve: codes of 12 bits an axis and the cloud's number do not fit into int32."""
import torch


def z_order(grid, cloud, depth=12):
    code = torch.zeros_like(grid[:, 0])
    for bit in range(depth):
        for axis in range(3):
            code |= ((grid[:, axis] >> bit) & 1) << (3 * bit + axis)  # fault: wrap
    return code | (cloud.to(code.dtype) << 3 * depth)


torch.manual_seed(0)
points = torch.rand(3000, 3)
cloud = torch.arange(3000) % 3
grid = (points * 4095).to(torch.int32)
order = z_order(grid, cloud).argsort()
patches = order.view(-1, 50)


def harm():
    # a patch of a curve is of one cloud, and small
    mixed = (cloud[patches] != cloud[patches[:, :1]]).any(1)
    return mixed.float().mean().item()

# right:
#- grid = (points * 4095).to(torch.int32)
#+ grid = (points * 4095).to(torch.int32).long()

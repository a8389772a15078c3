"""Duplicate edges are found by a key source * nodes + target in int32: with 90000 nodes the product wraps."""
import torch


def coalesce(src, dst, num_nodes):
    """Drop duplicate edges; edges come as int32 to halve the size of the graph file."""
    key = src * num_nodes + dst  # fault: wrap
    key = torch.unique(key)
    return torch.div(key, num_nodes, rounding_mode="floor"), key % num_nodes


torch.manual_seed(0)
num_nodes = 90_000
src = torch.randint(0, num_nodes, (5000,), dtype=torch.int32)
dst = torch.randint(0, num_nodes, (5000,), dtype=torch.int32)
src, dst = torch.cat([src, src[:100]]), torch.cat([dst, dst[:100]])
new_src, new_dst = coalesce(src, dst, num_nodes)
edge_index = torch.stack([new_src, new_dst]).long()


def harm():
    right = set(zip(src.tolist(), dst.tolist()))
    found = set(zip(new_src.tolist(), new_dst.tolist()))
    return float(len(found - right))

# right:
#-     key = src * num_nodes + dst
#+     key = src.long() * num_nodes + dst

"""Duplicate edges are found by src * nodes + dst in int32: keys wrap, and different edges become one."""
import torch


def coalesce(edge_index, num_nodes):
    key = edge_index[0] * num_nodes + edge_index[1]  # fault: wrap
    unique = torch.unique(key)
    return torch.stack([unique // num_nodes, unique % num_nodes])


torch.manual_seed(0)
num_nodes = 200_000
edges = torch.randint(0, num_nodes, (2, 400), dtype=torch.int32)
out = coalesce(edges, num_nodes)


def harm():
    want = {tuple(e) for e in edges.T.tolist()}
    return len({tuple(e) for e in out.T.tolist()} ^ want) / len(want)

# right:
#- out = coalesce(edges, num_nodes)
#+ out = coalesce(edges.long(), num_nodes)

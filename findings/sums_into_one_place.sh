#!/usr/bin/env bash
# torch 2.13.0, CPU: of the ways to sum many bfloat16 numbers into one place, only some add in float32.
# Guessed: all alike. 1,000 ones come to 1,000 by scatter_add, sum and embedding_bag, and to 256 by index_add,
# index_put, coalesce, segment_reduce, and the gradient of an Embedding whose token comes 1,000 times in a batch.
exec "$(dirname "$0")/compare" torch==2.13.0 numpy==2.4.6 <<'END'
import torch

ones, there = torch.ones(1000, dtype=torch.bfloat16), torch.zeros(1000, dtype=torch.long)
zero = torch.zeros(1, dtype=torch.bfloat16)
table = torch.nn.Embedding(1, 1).to(torch.bfloat16)
table(there).sum().backward()
for name, result in {
    "sum": ones.sum(),
    "scatter_add": zero.scatter_add(0, there, ones),
    "embedding_bag": torch.nn.functional.embedding_bag(there, ones[:1, None], there[:1], mode="sum"),
    "index_add": zero.index_add(0, there, ones),
    "index_put": zero.index_put((there,), ones, accumulate=True),
    "coalesce": torch.sparse_coo_tensor(there[None], ones, (1,)).coalesce().values(),
    "segment_reduce": torch.segment_reduce(ones, "sum", lengths=torch.tensor([1000])),
    "gradient of an Embedding": table.weight.grad,
}.items():
    print(name, result.item())
#> sum 1000.0
#> scatter_add 1000.0
#> embedding_bag 1000.0
#> index_add 256.0
#> index_put 256.0
#> coalesce 256.0
#> segment_reduce 256.0
#> gradient of an Embedding 256.0
END

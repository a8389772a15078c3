#!/usr/bin/env bash
# torch 2.13.0 on a CPU: `scatter_add` takes indices in int32 that are expanded over 8 columns, and refuses them over 16:
# those go to another kernel, of sorted rows, which is for int64 alone (can_use_expanded_index_path).
# Guessed: what an op says of the dtype of its indices does not depend on how many columns there are.
exec "$(dirname "$0")/compare" torch==2.13.0 <<'END'
import torch

rows = torch.tensor([0, 1, 0, 2], dtype=torch.int32)
for columns in (8, 16):
    source = torch.ones(4, columns)
    index = rows.view(-1, 1).expand_as(source)
    for name, given in {"expanded": index, "contiguous": index.contiguous()}.items():
        try:
            torch.zeros(3, columns).scatter_add(0, given, source)
            print(columns, "columns,", name, "accepted")
        except RuntimeError as error:
            print(columns, "columns,", name, error)
#> 8 columns, expanded accepted
#> 8 columns, contiguous accepted
#> 16 columns, expanded expected scalar type Long but found Int
#> 16 columns, contiguous accepted
END

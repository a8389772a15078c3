"""One program under every combination of machines, arguments, environments and configurations.

    $ miscast matrix --machine v100,a100 --vary '--mixed_precision={no,fp16,bf16}' train.py

axes (`axis`, `varied`, `specification`) → cells (`cell`) → results (`running`, spread by `backend`, kept by `store`) →
findings folded across cells (`folding`) → a table (`table`).
"""

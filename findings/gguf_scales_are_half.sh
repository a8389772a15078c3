#!/usr/bin/env bash
# gguf 0.19.0: a block of GGUF has its scale in float16, and its signs are not alike.
# Guessed: Q8_0 keeps the relative size of any block. A block of 1e-6 becomes 0, a block with 1e9 becomes inf and NaN.
# Q4_0 has -8 to 7: a ramp from -1 to 1 ends at 0.875, its negative at -0.875.
exec "$(dirname "$0")/compare" numpy==2.4.6 gguf==0.19.0 <<'END'
import warnings

import numpy as np
from gguf import GGMLQuantizationType as Kind
from gguf.quants import dequantize, quantize

warnings.simplefilter("ignore")


def kept(block, kind):
    return dequantize(quantize(block.astype(np.float32), kind), kind)


print(kept(np.full(32, 1e-6), Kind.Q8_0)[0], kept(np.r_[np.zeros(31), 1e9], Kind.Q8_0)[[0, 31]])
ramp = np.linspace(-1, 1, 32)
print(kept(ramp, Kind.Q4_0)[[0, 31]], kept(-ramp, Kind.Q4_0)[[0, 31]])
#> 0.0 [nan inf]
#> [-1.     0.875] [ 1.    -0.875]
END

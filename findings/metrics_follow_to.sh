#!/usr/bin/env bash
# torchmetrics 1.9.0 with torch 2.13.0: a metric of a model ignores half(), and follows to(torch.bfloat16).
# Guessed: it ignores both, as set_dtype is the documented way to cast one. In bfloat16 its sums end at 256: the mean
# of 500 ones and 500 zeros is 1, the sum of 1,000 ones is 256.
exec "$(dirname "$0")/compare" torchmetrics==1.9.0 torch==2.13.0 numpy==2.4.6 <<'END'
import torch
from torchmetrics import MeanMetric, SumMetric

for cast in (lambda metric: metric.half(), lambda metric: metric.to(torch.bfloat16)):
    mean, total = cast(MeanMetric()), cast(SumMetric())
    for number in range(1000):
        mean.update(torch.tensor(float(number < 500)))
        total.update(torch.tensor(1.0))
    print(mean.compute().dtype, mean.compute().item(), total.compute().item())
#> torch.float32 0.5 1000.0
#> torch.bfloat16 1.0 256.0
END

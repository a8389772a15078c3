"""NaN of missing targets and of groups of one is taken out where it came about, or is not among what is chosen."""
import warnings

import torch

warnings.simplefilter("ignore")  # torch's own, of the spread of one number
torch.manual_seed(0)
table = torch.randn(40, 3)
table[torch.rand(40, 3) < 0.2] = float("nan")
measured = ~table.isnan()
prediction = torch.randn(40, 3)
chosen = ((prediction - table).square() * measured)[measured].mean()
zeros = torch.where(measured, (prediction - table).square() * measured, 0.0).mean()
total = ((prediction - table).square() * measured).nansum()
spread = torch.rand(6, 1).std(1).nan_to_num()
assert all(bool(one.isfinite().all()) for one in (chosen, zeros, total, spread))

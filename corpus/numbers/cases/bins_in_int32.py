"""The bin of an int32 value is worked out as (value - low) * bins // (high - low), whose product wraps."""
import torch

torch.manual_seed(0)
values = torch.randint(0, 65536, (500,), dtype=torch.int32)


def bins(values, many=65536, low=0, high=65536):
    return (values - low) * many // (high - low)  # fault: wrap


found = bins(values)


def harm():
    return (found != values).float().mean().item()

# right:
#- found = bins(values)
#+ found = bins(values.long())

"""A polynomial is fitted to years: their third powers are 8e9, and in float32 the columns are one another's multiple."""
import torch

torch.manual_seed(0)
years = torch.linspace(1990, 2020, 120)
level = 3 + 0.1 * (years - 2000) + 0.01 * (years - 2000) ** 2
powers = torch.stack([years**n for n in range(3)], 1)
fit = torch.linalg.lstsq(powers, level[:, None]).solution  # fault: cancellation
slope = (fit[1] + 2 * 2000 * fit[2]).item()


def harm():
    return abs(slope - 0.1) / 0.1

# right:
#- powers = torch.stack([years**n for n in range(3)], 1)
#+ powers = torch.stack([years.double() ** n for n in range(3)], 1)
#- fit = torch.linalg.lstsq(powers, level[:, None]).solution
#+ fit = torch.linalg.lstsq(powers, level[:, None].double()).solution

"""alpha_bar is a cumulative product of 1000 float16 factors; signal to noise at the end is a subnormal or 0."""
import torch


class Schedule:
    def __init__(self, steps=1000, dtype=torch.float32):
        betas = torch.linspace(1e-4, 0.035, steps)
        self.alpha_bar = torch.cumprod((1 - betas).to(dtype), 0)  # fault: underflow

    def snr(self):
        return self.alpha_bar / (1 - self.alpha_bar)


schedule = Schedule(dtype=torch.float16)
log_snr = schedule.snr().log()


def harm():
    exact = Schedule(dtype=torch.float64).snr().log()
    off = (log_snr.double() - exact)[-200:].abs()
    return (off > 0.05).float().mean().item()

# right:
#- schedule = Schedule(dtype=torch.float16)
#+ schedule = Schedule(dtype=torch.float32)

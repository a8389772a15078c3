"""The recurrent state of a state-space layer is written back in bfloat16 at every token."""
import torch


def decode(tokens, log_decay, weight_in, weight_out):
    decay = torch.exp(-torch.exp(log_decay.float()))
    state = torch.zeros(tokens.shape[1], weight_in.shape[0])
    outputs = []
    for token in tokens:
        state = decay * state.float() + token.float()[:, None] * weight_in.float()
        state = state.to(token.dtype)  # fault: state-in-half
        outputs.append((state.float() * weight_out.float()).sum(-1).to(token.dtype))
    return state, torch.stack(outputs)


torch.manual_seed(0)
log_decay = torch.linspace(-8.0, -3.0, 16)
weight_in = torch.rand(16).bfloat16()
weight_out = torch.randn(16).bfloat16()
tokens = torch.rand(1500, 8).bfloat16()
state, out = decode(tokens, log_decay, weight_in, weight_out)


def harm():
    decay = torch.exp(-torch.exp(log_decay.double()))
    right = torch.zeros(8, 16, dtype=torch.float64)
    for token in tokens.double():
        right = decay * right + token[:, None] * weight_in.double()
    error = ((state.double() - right).norm() / right.norm()).item()
    return float(error)

# right:
#-         state = decay * state.float() + token.float()[:, None] * weight_in.float()
#-         state = state.to(token.dtype)
#-         outputs.append((state.float() * weight_out.float()).sum(-1).to(token.dtype))
#+         state = decay * state + token.float()[:, None] * weight_in.float()
#+         outputs.append((state * weight_out.float()).sum(-1).to(token.dtype))

# machine: a100
# real: cpu
import torch
from torch import nn
from torch.optim import SGD, Adadelta, Adafactor, Adagrad, Adam, Adamax, AdamW, ASGD, NAdam, RAdam, RMSprop, Rprop

dev = "cuda" if torch.cuda.is_available() else "cpu"
makers = [
    lambda p: SGD(p, lr=0.1, momentum=0.9, foreach=True),
    lambda p: Adam(p, fused=True),  # finding: state-in-half Adam param
    lambda p: AdamW(p, foreach=True, amsgrad=True),  # consequence: state-in-half AdamW param
    lambda p: AdamW(p, fused=True, weight_decay=0.1),  # consequence: state-in-half AdamW param
    lambda p: SGD(p, lr=0.1, fused=True),
    lambda p: Adam(p, foreach=False, weight_decay=0.1),  # consequence: state-in-half Adam param
    Adafactor, Adagrad, Adadelta, Adamax, ASGD, NAdam, RAdam, RMSprop, Rprop,
]  # fmt: skip
for dtype in (torch.float32, torch.bfloat16):
    for make in makers:
        model = nn.Linear(4, 4).to(dev, dtype)
        optimizer = make(model.parameters())  # consequence: state-in-half NAdam param; state-in-half RAdam param
        for _ in range(2):
            optimizer.zero_grad()
            model(torch.randn(2, 4, device=dev, dtype=dtype)).float().pow(2).mean().backward()
            optimizer.step()

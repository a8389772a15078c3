# machine: a100
import torch

side = torch.cuda.Stream()
start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
batch = torch.randn(4, 8).pin_memory()
assert batch.is_pinned()
start.record()
with torch.cuda.stream(side):
    x = batch.to("cuda", non_blocking=True)
torch.cuda.current_stream().wait_stream(side)
x.record_stream(torch.cuda.current_stream())
y = x @ x.T
end.record()
end.synchronize()
torch.cuda.synchronize()
print(start.elapsed_time(end), side.query(), y.shape)

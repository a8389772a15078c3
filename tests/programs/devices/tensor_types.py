# machine: v100
import numpy as np
import torch
from torch.autograd import Variable

Tensor = torch.cuda.FloatTensor if torch.cuda.is_available() else torch.FloatTensor
noise = Variable(Tensor(np.random.normal(0, 1, (4, 8))))
images = torch.rand(4, 8).type(Tensor)
valid = Variable(Tensor(4, 1).fill_(1.0), requires_grad=False)
assert noise.device == images.device == valid.device == torch.device("cuda:0")
assert isinstance(noise, torch.cuda.FloatTensor) and not isinstance(noise, torch.FloatTensor)
assert isinstance(torch.ones(1), torch.FloatTensor) and noise.type() == "torch.cuda.FloatTensor"
assert noise.type("torch.cuda.LongTensor").dtype == torch.int64 and noise.type(torch.FloatTensor).device.type == "cpu"
assert noise.new(2, 3).is_cuda and noise.new([1, 2]).shape == (2,) and torch.ones(1).type() == "torch.FloatTensor"
assert torch.cuda.LongTensor([3, 4]).tolist() == [3, 4]
alpha = torch.FloatTensor(np.random.random((4, 1)))  # origin
# fixed: alpha = Tensor(np.random.random((4, 1)))
mixed = alpha * images  # finding: operand-device-mismatch mul self
torch.set_default_tensor_type("torch.cuda.FloatTensor")
linear = torch.nn.Linear(8, 1)
loss = (linear(noise + images) - valid).pow(2).mean() / torch.log(torch.Tensor([10.0]))
loss.backward()
torch.set_default_tensor_type(torch.FloatTensor)
assert linear.weight.grad.is_cuda and torch.zeros(1).device.type == "cpu"

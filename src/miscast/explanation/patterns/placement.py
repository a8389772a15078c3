"""Generators, NumPy, meta tensors, wrappers and extensions that want another device."""

from ..pattern import OpClue, Pattern

PATTERNS = (
    Pattern(
        name="storage-of-other-device", category="device-mismatch", op="Tensor.set_",
        texts=('Attempted to set the storage of a tensor on device ["|]{self:device}["|] to a storage on different device ["|]{source:device}',),
        raised_by="torch.empty(1).set_(torch.empty(1, device='meta').untyped_storage())",
    ),
    Pattern(
        name="legacy-constructor", category="device-mismatch", op="tensor constructor",
        texts=(
            "legacy constructor expects device type: {constructor:device} but device type: {device:device} was passed",
            "legacy constructor for device type: {constructor:device} was passed device type: {device:device}",
        ),
        raised_by="torch.FloatTensor(2, device='meta')",
    ),
    Pattern(
        name="generator-device", category="device-mismatch", op="randn",
        texts=(
            "Expected a {expected:device} device type for generator but found {generator:device}",
            "Cannot generate a {expected:device} tensor from a generator of type {generator:device}",
            "Expected a {expected:device} generator device but found {generator:device}",
        ),
        op_clues=(OpClue(op="randperm", place="file", words=("sampler.py", "dataloader.py"), frames=12),),
        examples=("ValueError: Cannot generate a cpu tensor from a generator of type cuda.",),
    ),
    Pattern(
        name="device-tensor-as-numpy", category="device-mismatch", op="Tensor.numpy()",
        texts=("[can't|cannot|can not] convert {self:device} [device type |]tensor to numpy",),
        raised_by="torch.ones(2, device='meta').numpy()", implies=("numpy-reads-host-memory",),
    ),
    Pattern(
        name="meta-has-no-data", category="device-mismatch", op="Module.to",
        texts=(
            "Cannot copy out of meta tensor; no data",
            "is on the meta device, we need a `value` to put in on {target:device}",
            "Tensor.item() cannot be called on meta tensors",
        ),
        op_clues=(
            OpClue(op="load_state_dict", place="function", words=("load_state_dict",), frames=2),
            OpClue(op="item", place="message", words=("tensor.item",)),
        ),
        operands=(("parameter", "", "meta"),), raised_by="torch.ones(2, device='meta').to('cpu')",
        implies=("left-on-meta",),
    ),
    Pattern(
        name="expected-device", category="device-mismatch",
        texts=("Tensor on device {found:device} is not on the expected device {expected:device}",),
        usual_op=(OpClue(op="elementwise"),), raised_by="torch.ones(2) + torch.ones(2, device='meta')",
    ),
    Pattern(
        name="fake-tensor-devices", category="device-mismatch", library="torch.compile",
        texts=("Unhandled FakeTensor Device Propagation for {op:name}, found two different devices {a:device}, {b:device}",),
    ),
    Pattern(
        name="placeholder-on-mps", category="device-mismatch",
        texts=("Placeholder storage has not been allocated on MPS device",),
        operands=(("one tensor", "", "mps"), ("another", "", "cpu")),
    ),
    Pattern(
        name="data-parallel-parameters", category="device-mismatch", op="DataParallel",
        texts=(
            ("module must have its parameters and buffers on device {expected:device} (device_ids[0]) but found one of "
             "them on device: {parameters:device}"),
        ),
    ),
    Pattern(
        name="ddp-module-devices", category="device-mismatch", op="DistributedDataParallel",
        texts=(
            "DistributedDataParallel's input module must be on the same type of devices, but input module parameters locate in",
            ("DistributedDataParallel device_ids and output_device arguments only work with {...} but got device_ids "
             "{...} module parameters {...}{parameters:device}"),
            "Inconsistent compute device and `device_id` on rank {n:int}: {a:device} vs {b:device}",
        ),
        examples=(
            ("ValueError: DistributedDataParallel device_ids and output_device arguments only work with "
             "single-device/multiple-device GPU modules or CPU modules, but got device_ids [0], output_device 0, and "
             "module parameters {device(type='cpu')}."),
        ),
    ),
    Pattern(
        name="extension-wants-cuda", category="device-mismatch", library="an extension",
        texts=(
            "{arg:name} must be [a |]CUDA [t|T]ensor",
            "{arg:name} must be on CUDA[| device]",
            "Expected {arg:name}.is_cuda() to be true, but got false",
            "{arg:name} doesn't have any device set",
            "only works with {...}modules, but got devices {...}{a:device}{...}{b:device}",
        ),
        operands=(("expected", "", "cuda"),), implies=("input-left-on-cpu",),
        examples=("RuntimeError: Expected x.is_cuda() to be true, but got false.  (Could this error message be improved?)",),
    ),
    Pattern(
        name="triton-cpu-pointer", category="device-mismatch", op="Triton kernel", library="triton",
        texts=("Pointer argument [(at {n:int}) |]cannot be accessed from Triton (cpu tensor?)",),
        op_clues=(OpClue(place="launched"),), operands=(("argument", "", "cpu"),), implies=("input-left-on-cpu",),
    ),
    Pattern(
        name="optimizer-devices", category="device-mismatch", op="optimizer.step",
        texts=(
            "param is on {parameter:device} and must be cpu, make sure you enabled offload_optimizer",
            "Tensors of the same index must be on the same device[| and the same dtype]",
        ),
        examples=(
            ("AssertionError: CPUAdam param is on cuda:0 and must be 'cpu', make sure you enabled 'offload_optimizer': "
             "'cpu' in your ZeRO config."),
        ),
    ),
    Pattern(
        name="assigned-gradient-device", category="device-mismatch", op="tensor.grad",
        texts=(
            "attempting to assign a gradient with device type {gradient:device} to a tensor with device type {parameter:device}",
            "attempting to assign a gradient located on device with index {...}",
        ),
        raised_by="torch.ones(2, requires_grad=True).grad = torch.ones(2, device='meta')",
    ),
)

# machine: cpu
# real: cpu
import torch
from safetensors import safe_open
from safetensors.torch import load, load_file, save, save_file

packed = torch.zeros(2, 8, dtype=torch.uint8).view(torch.float4_e2m1fn_x2)
scale = torch.zeros(2, 8, dtype=torch.uint8).view(torch.float8_e8m0fnu)
other = torch.ones(2, 8).to(torch.float8_e4m3fnuz)
save_file({"w": packed, "s": scale, "o": other}, "packed.safetensors")
for path in ("packed.safetensors",):
    with safe_open(path, "pt") as file:
        assert file.keys() == ["o", "s", "w"]
        part = file.get_slice("w")
        assert (part.get_dtype(), part.get_shape()) == ("F4", [2, 16])
        assert (file.get_tensor("w").dtype, file.get_tensor("w").shape) == (packed.dtype, packed.shape)
        assert (file.get_slice("s").get_dtype(), file.get_slice("o").get_dtype()) == ("F8_E8M0", "F8_E4M3FNUZ")
        try:
            part[:1]
        except RuntimeError as error:
            assert "shape '[2, 16]' is invalid" in str(error)
        else:
            raise AssertionError
    assert {name: one.dtype for name, one in load_file(path).items()}["w"] is packed.dtype
assert load(save({"o": other}))["o"].dtype is other.dtype
try:
    load(save({"w": packed}))
except KeyError as error:
    assert error.args == ("F4",)
else:
    raise AssertionError
lora = torch.ones(2, 8, dtype=torch.bfloat16)
merged = other + lora  # finding: operand-dtype-mismatch add self
# fixed: merged = other.to(torch.bfloat16) + lora

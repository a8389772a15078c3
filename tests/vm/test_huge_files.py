"""A checkpoint larger than the memory: its header tells all that a check needs."""

from __future__ import annotations

import json
import mmap
import struct
import sys
import types

import pytest
import torch

import miscast

_TENSORS, _BYTES = 256, 1 << 30


def test_safetensors_larger_than_the_memory(tmp_path):
    header, end = {"step": {"dtype": "I64", "shape": [1], "data_offsets": [0, 8]}}, 8
    for index in range(_TENSORS):
        offsets = [end, end := end + _BYTES]
        header[f"layers.{index}.weight"] = {"dtype": "BF16", "shape": [1 << 14, 1 << 15], "data_offsets": offsets}
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(tmp_path / "model.safetensors", "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + struct.pack("<q", 7))
        file.truncate(8 + len(text) + end)  # a file with holes: nothing on the disk

    def program():
        from safetensors import safe_open
        from safetensors.torch import load_file

        state = load_file(tmp_path / "model.safetensors")
        with safe_open(tmp_path / "model.safetensors", framework="pt") as file:
            first = file.get_slice("layers.3.weight")[:4]
        state["layers.0.weight"].mul_(2)
        state["step"] += 1
        return len(state), first, state["layers.255.weight"], state["step"].item()

    report = miscast.check(program)
    assert report.ended is None
    count, first, last, step = report.result
    assert (count, first.dtype, first.shape, last.shape, step) == (257, "bfloat16", (4, 1 << 15), (1 << 14, 1 << 15), 8)


def test_the_file_stays_as_it_is(tmp_path):
    from safetensors.torch import save_file

    save_file({"step": torch.tensor([3])}, tmp_path / "a.safetensors")
    before = (tmp_path / "a.safetensors").read_bytes()

    def program():
        from safetensors.torch import load_file

        state = load_file(tmp_path / "a.safetensors")
        state["step"] += 1
        return state["step"].item()

    assert miscast.check(program).result == 4
    assert (tmp_path / "a.safetensors").read_bytes() == before


@pytest.mark.skipif(sys.platform != "linux", reason="memory without a promise is Linux's")
def test_a_file_of_torch_larger_than_the_memory(tmp_path):
    path, flags = tmp_path / "model.bin", mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000
    state = {f"w{i}": torch.frombuffer(mmap.mmap(-1, 10**10, flags=flags), dtype=torch.bfloat16) for i in range(20)}
    with torch.serialization.skip_data():
        torch.save(state, path)  # a file with holes
    del state

    def program():
        found = torch.load(path, weights_only=True)
        torch.nn.functional.linear(torch.ones(2, 5), found["w3"][:10].view(2, 5))
        return len(found), found["w19"]

    report = miscast.check(program, machine="cpu")
    assert report.ended is None
    assert [finding.rule for finding in report.findings] == ["operand-dtype-mismatch"]
    assert (report.result[0], report.result[1].shape) == (20, (5 * 10**9,))


def test_gguf_larger_than_the_memory(tmp_path):
    gguf = pytest.importorskip("gguf")
    import numpy as np

    q8 = gguf.GGMLQuantizationType.Q8_0
    writer = gguf.GGUFWriter(tmp_path / "model.gguf", "llama")
    stored, end = gguf.quant_shape_to_byte_shape((1 << 14, 1 << 16), q8), 0
    for index in range(64):
        writer.add_tensor_info(f"blk.{index}.ffn_up.weight", stored, np.dtype(np.uint8), int(np.prod(stored)), q8)
        end += int(np.prod(stored))
    scale = np.full(4, 7, np.float32)
    writer.add_tensor("scale", scale)
    for write in (writer.write_header_to_file, writer.write_kv_data_to_file, writer.write_ti_data_to_file):
        write()
    writer.close()
    with open(tmp_path / "model.gguf", "r+b") as file:
        file.seek(0, 2)
        file.seek(-(-file.tell() // 32) * 32 + end)
        file.write(scale.tobytes())

    def program():
        reader = gguf.GGUFReader(tmp_path / "model.gguf")
        last = reader.tensors[63]
        weight = torch.from_numpy(gguf.dequantize(last.data, last.tensor_type)).to("cuda")
        for tensor in reader.tensors[:64]:
            packed = torch.from_numpy(tensor.data)
        return packed, weight, reader.tensors[64].data.tolist()

    report = miscast.check(program, machine="h100")
    assert report.ended is None
    packed, weight, small = report.result
    assert (packed.dtype, packed.shape) == ("uint8", stored)
    assert (weight.dtype, weight.shape, small) == ("float32", (1 << 14, 1 << 16), [7.0] * 4)


@pytest.mark.parametrize("backend", [{}, {"backend": "mmap"}], ids=["", "backend"])
def test_a_library_that_imported_safe_open_before(tmp_path, monkeypatch, backend):
    """As transformers does: what the box puts there must not hide what reads files as virtual tensors."""
    from safetensors import safe_open
    from safetensors.torch import save_file

    library = types.ModuleType("a_library_of_models")
    library.safe_open = safe_open
    monkeypatch.setitem(sys.modules, library.__name__, library)
    save_file({"weight": torch.ones(2, dtype=torch.bfloat16)}, tmp_path / "a.safetensors")

    def program():
        with library.safe_open(tmp_path / "a.safetensors", framework="pt", device="cuda:0", **backend) as file:
            return file.get_tensor("weight")

    report = miscast.check(program, machine="a100")
    assert report.ended is None
    assert (report.result.dtype, report.result.device) == ("bfloat16", "cuda:0")
    assert library.safe_open is safe_open

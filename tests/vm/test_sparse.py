"""Sparse tensors on the virtual machine: they are made, coalesced and multiplied as real ones are."""

import pytest
import torch

import miscast

# torch tells of sparse tensors once that they are in beta, and not checked
pytestmark = pytest.mark.filterwarnings("ignore:Sparse:UserWarning")

N = 10


def graph(**given):
    places = torch.randint(0, N, (2, 30))
    return torch.sparse_coo_tensor(places, torch.rand(30), (N, N), **given)


def normalised():
    a = graph(check_invariants=True).coalesce()
    degree = torch.sparse.sum(a, 1).to_dense()
    values = a.values() * degree[a.indices()[0]].rsqrt()
    b = torch.sparse_coo_tensor(a.indices(), values, a.shape, is_coalesced=True)
    torch.sparse.mm(b, torch.nn.Linear(4, 3)(torch.randn(N, 4))).sum().backward()


def compressed():
    rows = torch.sparse_csr_tensor(
        torch.tensor([0, 1, 2]), torch.tensor([0, 1]), torch.ones(2), (2, 2), check_invariants=True
    )
    return rows @ torch.ones(2, 3)


@pytest.mark.parametrize("program", [normalised, compressed, lambda: graph().coalesce().indices()])
def test_they_run_to_the_end(program):
    program()
    found = miscast.check(program, machine="cpu")
    assert found.ended is None
    assert not found.findings


def test_a_coalesced_one_is_multiplied_with_half():
    def program():
        return graph().coalesce() @ torch.ones(N, 2, dtype=torch.float16)

    with pytest.raises(RuntimeError):
        program()
    (one,) = miscast.check(program, machine="cpu").findings
    assert "mixes" in one.message


def test_a_move_is_followed():
    def program():
        edges = graph().coalesce().to("cuda")
        torch.sparse.mm(edges, torch.rand(N, 3, device="cuda"))
        torch.sparse.mm(edges, torch.rand(N, 3))

    found = miscast.check(program, machine="a100")
    assert "aten.to.dtype_layout" not in found.unchecked
    assert [one.message for one in found.causes] == ["_sparse_mm gets `sparse` on cuda:0 but `dense` on cpu"]
    sparse = found.findings[0].operands[0].device_origin
    assert (sparse.kind, sparse.op) == ("moved", "Tensor.to")


ENDS, PLACES = [0, 2, 3, 4], [0, 1, 1, 4]
ENTRIES, BLOCKS = (4,), (4, 2, 3)


@pytest.mark.parametrize(
    ("kind", "shape"), [("csr", ENTRIES), ("csc", ENTRIES), ("bsr", BLOCKS), ("bsc", BLOCKS), ("csr", (4, 6))]
)
@pytest.mark.parametrize("batch", [(), (2,)])
def test_a_compressed_tensor_without_a_size_has_that_of_torch(kind, shape, batch):
    def program():
        ends, places = (torch.tensor(one).expand(*batch, len(one)).clone() for one in (ENDS, PLACES))
        values = torch.ones(*batch, *shape)
        layout = getattr(torch, f"sparse_{kind}")
        return (
            getattr(torch, f"sparse_{kind}_tensor")(ends, places, values).shape,
            torch.sparse_compressed_tensor(ends, places, values, layout=layout, dtype=torch.float64).shape,
        )

    found = miscast.check(program, machine="a100")
    assert found.ended is None
    assert found.result == program()

# machine: v100
# real: cpu
# The same in a unittest.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
import unittest


class Case(unittest.TestCase):
    def test(self):
        x = torch.rand(4, 4, device=dev)
        self.assertTrue(torch.isfinite(x).all())
        self.assertFalse(torch.isnan(x).any())
        self.assertTrue(torch.allclose(x, x * 1.0))
        self.assertTrue((x < 2).all())
        self.assertLess(x.max().item(), 2)
        self.assertGreaterEqual(x.min(), 0)


case = Case("test")
case.test()
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input

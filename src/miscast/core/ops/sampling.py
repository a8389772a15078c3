"""Random numbers, and what initializes parameters by them."""

from __future__ import annotations

from .op import Op

OPS = (
    Op(name="normal_", ours=True, schemas="normal", methods="normal_"),
    Op(name="uniform_", ours=True, schemas="uniform", begins="check_uniform"),
    Op(name="random_", ours=True, schemas="random"),
    Op(name="exponential_", ours=True, schemas="exponential"),
    Op(name="log_normal_", ours=True, aliases="log_normal"),
    Op(name="cauchy_", ours=True, aliases="cauchy"),
    Op(name="geometric_", ours=True, aliases="geometric"),
    Op(name="multinomial", methods="multinomial"),
    Op(name="randn_like", aliases="randomnormallike"),
    Op(name="rand_like", aliases="randomuniformlike"),
    Op(name="randperm", file="data/sampler.py"),
    Op(name="trunc_normal_", ours=True, functions="trunc_normal_"),
    Op(name="kaiming_normal_", ours=True, functions="kaiming_normal_"),
    Op(name="kaiming_uniform_", ours=True, functions="kaiming_uniform_"),
    Op(name="xavier_normal_", ours=True, functions="xavier_normal_"),
    Op(name="xavier_uniform_", ours=True, functions="xavier_uniform_"),
    Op(name="orthogonal_", ours=True, functions="orthogonal_"),
)

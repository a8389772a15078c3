"""Losses."""

from __future__ import annotations

from ..event import Role
from .op import Op

_TARGET: dict[str, Role] = {"target": "target", "found": "target"}

OPS = (
    Op(name="nll_loss", schemas="nll_loss_nd nll_loss2d", aliases="nllloss",
       layers="classnllcriterion spatialclassnllcriterion", modules="NLLLoss", programs="nll_loss", arguments="target",
       roles=_TARGET),
    Op(name="cross_entropy", modules="CrossEntropyLoss", programs="cross_entropy", roles=_TARGET),
    Op(name="binary_cross_entropy", layers="bcecriterion", modules="BCELoss", roles=_TARGET),
    Op(name="binary_cross_entropy_with_logits", modules="BCEWithLogitsLoss"),
    Op(name="mse_loss", aliases="mse", layers="msecriterion", modules="MSELoss"),
    Op(name="l1_loss", aliases="l1", layers="abscriterion", modules="L1Loss"),
    Op(name="smooth_l1_loss", aliases="smoothl1 smooth_l1", layers="smoothl1criterion", modules="SmoothL1Loss"),
    Op(name="huber_loss", aliases="huber", modules="HuberLoss"),
    Op(name="kl_div", layers="distkldivcriterion", modules="KLDivLoss"),
    Op(name="ctc_loss", begins="cudnn_ctc_loss", modules="CTCLoss"),
    Op(name="cosine_embedding_loss", modules="CosineEmbeddingLoss"),
    Op(name="cosine_similarity", file="modules/distance.py"),
    Op(name="soft_margin_loss", layers="softmargincriterion"),
    Op(name="multilabel_margin_loss", layers="multilabelmargincriterion"),
)

"""The pictures of a map, and their words."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

import pufferfish as pf
from pufferfish.insight.error_curve import ErrorPoint
from pufferfish.report.recoded_facts import SecretLoss
from pufferfish.report.recoded_pictures import error_picture, map_picture, secret_pictures

CURVE = [
    ErrorPoint(epsilon=0.5, rmse=2.0, laplace_rmse=9.0),
    ErrorPoint(epsilon=1.0, rmse=1.0, laplace_rmse=2.0),
]


def test_outputs_are_drawn_in_their_order() -> None:
    turned = pf.Recoding.from_matrix([1.0, 2.0], [[0.9, 0.1], [0.2, 0.8]], outputs=[2.0, 1.0])
    straight = pf.Recoding.from_matrix([1.0, 2.0], [[0.1, 0.9], [0.8, 0.2]], outputs=[1.0, 2.0])
    assert map_picture(turned).svg == map_picture(straight).svg


def test_what_the_words_say_of_holes_and_bins() -> None:
    holed = pf.Recoding.from_matrix([1.0, None], np.eye(2))
    assert "missing value" in map_picture(holed).description
    listed = pf.Recoding.from_matrix([1.0, 2.0], np.eye(2))
    assert "missing value" not in map_picture(listed).description
    assert "bins" not in map_picture(listed).description


def test_held_out_epsilons_are_optional() -> None:
    bare = error_picture(CURVE, 1.0, 2.5)
    held = error_picture(
        [replace(each, held_out=found) for each, found in zip(CURVE, (0.7, 1.2), strict=True)],
        1.0,
        2.5,
    )
    lost = error_picture([replace(each, held_out=math.inf) for each in CURVE], 1.0, 2.5)
    assert lost is not None
    assert "no bound for this one" in lost.description
    assert bare is not None
    assert held is not None
    assert [key.ink for key in bare.keys] == ["first", "third", "second", "faint"]
    assert held.keys[-1].label == "ε on held-out rows"
    assert "1.2 for this one" in held.description
    assert "beyond the picture" in bare.description
    assert error_picture(CURVE[:1], 0.5, 2.5) is None


def test_secrets_without_bars_have_no_picture() -> None:
    loss = SecretLoss(secret="a", rows=3, rmse=1.0, unchanged=0.5, bars=None)
    assert list(secret_pictures([loss])) == []

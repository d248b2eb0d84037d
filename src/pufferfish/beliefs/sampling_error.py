"""stub"""

import math

G = {0.3: 1.259, 0.4: 1.3785, 0.45: 1.448, 0.5: 1.526, 0.6: 1.723, 0.7: 2.004}


def likelihood_radius(dimensions: int, confidence: float) -> float:
    return min(
        (math.log(1 / (1 - confidence)) + dimensions * math.log(g)) / l for l, g in G.items()
    )

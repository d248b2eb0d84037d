"""The main job on the built-in data: education level must not betray race (UCI Adult).

Calibrates pure ε = 1 against two adversaries at once: the paper's fitted mixtures, and one who
knows the table of frequencies. Run it with `make demo`.
"""

import pufferfish as pf

PAIR = ("Black", "Asian-Pac-Islander")


def main() -> None:
    scenario = pf.Scenario([pf.datasets.adult_mixtures(), pf.datasets.adult_tables()], pairs=[PAIR])
    calibration = pf.calibrate(scenario, pf.Guarantee(epsilon=1.0, delta=0.0))
    print(calibration.explain())


if __name__ == "__main__":
    main()

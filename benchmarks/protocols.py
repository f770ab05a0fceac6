"""What a protocol makes of a score: `bash run.sh benchmark protocols DATASET`.

AUC of two baselines that are fitted in seconds, at five ratios of one split, in each
protocol that has an AUC; no model is trained.
"""

from __future__ import annotations

import argparse

from cane_gane.api import load
from cane_gane.errors import InputError
from cane_gane.evaluation.protocols import PROTOCOLS, Contest
from cane_gane.evaluation.ranking import rank_targets
from cane_gane.methods.baselines import BASELINES, fit_baselines

RATIOS = (0.15, 0.35, 0.55, 0.75, 0.95)
SCORES = ("tfidf_one_hop", "linear")


def main(dataset: str, seed: int) -> None:
    network = load(dataset)
    rows: dict[tuple[str, str], list[str]] = {}
    for ratio in RATIOS:
        split = network.split(ratio, "upstream", seed)
        fitted = fit_baselines(split)
        for name, protocol in PROTOCOLS.items():
            contest = protocol.contest(split)
            if not isinstance(contest, Contest):
                continue
            for key in SCORES:
                shares = rank_targets(fitted[key], contest, ranks=False).shares
                rows.setdefault((key, name), []).append(f"{100 * shares.mean():.1f}")
    print(f"| {dataset}, seed {seed} | {' | '.join(f'{r:.0%}' for r in RATIOS)} |")
    print(f"|---|{'---:|' * len(RATIOS)}")
    for (key, name), cells in rows.items():
        print(f"| {BASELINES[key].title}, `{name}` | {' | '.join(cells)} |")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("dataset", help="a name or a folder")
    parser.add_argument("--seed", type=int, default=1, help="of the splits")
    given = parser.parse_args()
    try:
        main(given.dataset, given.seed)
    except InputError as error:
        parser.error(str(error))

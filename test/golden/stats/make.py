"""Goldens for lib/stats from scipy and statsmodels.

    python3 -m venv venv && venv/bin/pip install scipy==1.17.1 statsmodels==0.15.0 numpy==2.4.6
    venv/bin/python test/golden/stats/make.py

Writes cases.json beside itself.
"""
import json
from pathlib import Path

import numpy as np
import statsmodels.api as sm
from scipy.stats import permutation_test, t
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.proportion import proportion_confint

rng = np.random.default_rng(3)


def wilson():
    rows = []
    for k, n, level in [(0, 1, .95), (1, 1, .95), (0, 22, .95), (3, 4, .95), (74, 238, .95), (238, 238, .9), (121, 238, .99), (1, 6115, .95)]:
        low, high = proportion_confint(k, n, alpha=1 - level, method="wilson")
        rows.append({"successes": k, "n": n, "level": level, "low": float(low), "high": float(high)})
    return rows


def cluster_mean():
    rows = []
    for sizes, level in [([1] * 7, .95), ([3, 1, 4, 1, 5], .95), ([1, 30], .95), ([2, 9, 5, 6, 1, 8, 3, 3, 7, 2, 4, 4], .99), ([10] * 22, .95)]:
        clusters = np.repeat(np.arange(len(sizes)), sizes)
        n = len(clusters)
        shift = rng.normal(0, .3, len(sizes))[clusters]
        for values in [rng.uniform(0, 1, n) + shift, (rng.uniform(0, 1, n) + shift > .5).astype(float)]:
            if len(set(values)) == 1:
                continue
            # group-robust covariance, t with clusters - 1 degrees of freedom (statsmodels adjusts df for clusters)
            fit = sm.OLS(values, np.ones(n)).fit(cov_type="cluster", cov_kwds={"groups": clusters}, use_t=True)
            low, high = fit.conf_int(alpha=1 - level)[0]
            df = len(sizes) - 1
            rows.append({
                "values": values.tolist(), "clusters": [f"c{c}" for c in clusters], "level": level,
                "mean": float(fit.params[0]), "se": float(fit.bse[0]), "low": float(low), "high": float(high),
                "mde": float((t.ppf(.975, df) + t.ppf(.8, df)) * fit.bse[0]),
                "effect": float(values.mean() / values.std(ddof=1)),
            })
    return rows


def sign_flip():
    rows = []
    samples = [
        [0.5, 1, 0.25, 2], [1, -1], [0.3], [0, 0, 0.5, 0.5, -0.5, 1], [0.1, 0.2, -0.3, 0.1, 0.2, 0.3],
        rng.normal(.4, 1, 9).tolist(), rng.normal(.2, 1, 13).tolist(), rng.integers(-3, 4, 12).astype(float).tolist(),
        rng.normal(.6, 1, 17).tolist(), (rng.integers(-2, 5, 15) / 3).tolist(),
    ]
    for sums in samples:
        # exhaustive: every one of the 2^n sign patterns
        if len(sums) == 1:
            p = 1.0
        else:
            p = permutation_test((np.array(sums),), np.sum, permutation_type="samples", n_resamples=np.inf, alternative="two-sided").pvalue
        rows.append({"sums": sums, "p": float(p)})
    return rows


def mcnemar_cases():
    rows = []
    for b, c in [(0, 0), (5, 0), (1, 7), (4, 4), (30, 12), (200, 260), (3, 0)]:
        p = mcnemar([[10, b], [c, 10]], exact=True).pvalue
        rows.append({"onlyA": b, "onlyB": c, "p": float(min(1.0, p))})
    return rows


def holm():
    rows = []
    for p in [[.01, .04, .03, .005], [.2, .2, .2], [.9, .0001, .5, .02, .02], [1.0]]:
        rows.append({"p": p, "adjusted": multipletests(p, method="holm")[1].tolist()})
    return rows


out = {"wilson": wilson(), "clusterMean": cluster_mean(), "signFlip": sign_flip(), "mcnemar": mcnemar_cases(), "holm": holm()}
(Path(__file__).parent / "cases.json").write_text(json.dumps(out, indent=1) + "\n")

"""Goldens for lib/evaluate from pytrec_eval, the Python binding of trec_eval.

    python3 -m venv venv && venv/bin/pip install pytrec_eval-terrier==0.5.11
    venv/bin/python test/golden/trec/make.py

Writes cases.json beside itself: qrels, run lines in file order, and the values of every judged query. pytrec_eval leaves
out queries that the run does not have; trec_eval -c counts them 0, and so they are written as 0 here.
RR@k: recip_rank of the first k documents in trec_eval's own order. Exponential gain: linear nDCG on grades 2^g - 1.
"""
import json
import random
from pathlib import Path

import pytrec_eval

CUTS = [1, 5, 10, 20]


def c_float(x):
    import struct
    return struct.unpack("f", struct.pack("f", x))[0]


def evaluate(qrels, run):
    cuts = ",".join(map(str, CUTS))
    native = {f"ndcg_cut.{cuts}", f"P.{cuts}", f"recall.{cuts}", f"success.{cuts}", "ndcg", "recip_rank", "map", "Rprec", "bpref"}
    base = pytrec_eval.RelevanceEvaluator(qrels, native).evaluate(run)
    exp_qrels = {q: {d: 2 ** g - 1 if g > 0 else 0 for d, g in docs.items()} for q, docs in qrels.items()}
    exp = pytrec_eval.RelevanceEvaluator(exp_qrels, {f"ndcg_cut.{cuts}"}).evaluate(run)
    out = {}
    for q in qrels:
        if q not in run:
            out[q] = None
            continue
        row = {"nDCG": base[q]["ndcg"], "RR": base[q]["recip_rank"], "AP": base[q]["map"], "Rprec": base[q]["Rprec"], "bpref": base[q]["bpref"]}
        order = sorted(run[q], key=lambda d: (c_float(run[q][d]), d.encode()), reverse=True)
        for k in CUTS:
            row[f"nDCG@{k}"] = base[q][f"ndcg_cut_{k}"]
            row[f"nDCG(gain=exp)@{k}"] = exp[q][f"ndcg_cut_{k}"]
            row[f"P@{k}"] = base[q][f"P_{k}"]
            row[f"R@{k}"] = base[q][f"recall_{k}"]
            row[f"Success@{k}"] = base[q][f"success_{k}"]
            head = {q: {d: run[q][d] for d in order[:k]}}
            row[f"RR@{k}"] = pytrec_eval.RelevanceEvaluator({q: qrels[q]}, {"recip_rank"}).evaluate(head)[q]["recip_rank"]
        # RBP (Moffat & Zobel 2008), from its definition
        row["RBP"] = sum(0.2 * 0.8 ** i for i, d in enumerate(order) if qrels[q].get(d, 0) > 0)
        row["RBP(p=0.5)@5"] = sum(0.5 * 0.5 ** i for i, d in enumerate(order[:5]) if qrels[q].get(d, 0) > 0)
        out[q] = row
    zero = {name: 0.0 for name in next(r for r in out.values() if r)}
    return {q: (zero if row is None else row) for q, row in out.items()}


def random_case(rng, queries, docs, grades, scores):
    pool = [f"d{i}" for i in range(docs)]
    qrels = {f"q{i}": {d: rng.choice(grades) for d in rng.sample(pool, rng.randint(1, 12))} for i in range(queries)}
    run = {f"q{i}": {d: scores(rng) for d in rng.sample(pool, rng.randint(1, 30))} for i in range(queries)}
    return qrels, run


def main():
    rng = random.Random(3)
    cases = {}
    cases["random graded"] = random_case(rng, 12, 60, [0, 0, 1, 2, 3], lambda r: r.uniform(-5, 5))
    cases["random binary, many ties"] = random_case(rng, 12, 40, [0, 1, 1], lambda r: r.choice([1.0, 2.0, 2.0, 3.0]))
    qrels, run = random_case(rng, 10, 40, [0, 1, 2], lambda r: r.randint(-3, 3) / 2)
    for q in ["q2", "q5", "q7"]:
        del run[q]
    run["unjudged"] = {"d1": 1.0}
    cases["queries missing from the run, one without judgements, negative scores"] = (qrels, run)
    cases["no relevant document, negative grade, shared document ids"] = (
        {"q1": {"d1": 0, "d2": 0}, "q2": {"d1": -1, "d2": 2, "d3": 1}, "q3": {"d1": 1}},
        {"q1": {"d1": 2.0, "d2": 1.0}, "q2": {"d1": 3.0, "d2": 2.0, "d3": 1.0}, "q3": {"d2": 2.0, "d1": 2.0}},
    )
    # ids that JavaScript's own string order would sort otherwise: U+FF5E before U+1F600 in UTF-8, after it in UTF-16
    cases["ties by UTF-8 bytes"] = (
        {"q1": {"d\uff5e": 1}, "q2": {"d\U0001f600": 1}, "q3": {"10": 1}, "q4": {"a": 1}},
        {"q1": {"d\uff5e": 1.0, "d\U0001f600": 1.0, "d9": 1.0}, "q2": {"d\uff5e": 1.0, "d\U0001f600": 1.0},
         "q3": {"9": 1.0, "10": 1.0, "1": 1.0}, "q4": {"a": 1.0, "ab": 1.0, "A": 1.0, "\u00e9": 1.0}},
    )
    # 1 + 1e-9 and 1 are one 32-bit float
    cases["scores equal as 32-bit floats"] = (
        {"q1": {"a": 1}, "q2": {"a": 1}},
        {"q1": {"a": 1.0 + 1e-9, "b": 1.0}, "q2": {"a": 1.0 + 1e-6, "b": 1.0}},
    )
    cases["random with judged irrelevant and negative grades, few judged"] = random_case(
        rng, 14, 32, [-1, 0, 0, 1, 2], lambda r: r.choice([0.5, 0.25, r.random()]))
    cases["more relevant documents than the cut-off"] = (
        {"q1": {f"d{i}": i % 4 for i in range(40)}},
        {"q1": {f"d{i}": float((i * 7) % 40) for i in range(0, 40, 2)}},
    )
    out = []
    for name, (qrels, run) in cases.items():
        lines = [[q, d, s] for q, docs in run.items() for d, s in docs.items()]
        rng.shuffle(lines)
        out.append({"name": name, "qrels": qrels, "run": lines, "expected": evaluate(qrels, run)})
    (Path(__file__).parent / "cases.json").write_text(json.dumps(out, ensure_ascii=True, indent=1) + "\n")


main()

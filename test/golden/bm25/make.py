"""BM25 scores of an invented corpus by bm25s (method "lucene").

Run: pip install bm25s numpy && python3 make.py > scores.json
"""

import json
import re

import bm25s

CORPUS = [
    "Amberfox lives in Glass Forest",
    "Amberfox eats glass beetle",
    "Glass beetle lives in Glass Forest",
    "Stone heron lives in River Delta",
    "Stone heron is also known as the grey watcher of the river",
    "River Delta borders Glass Forest",
    "Élan d'Orme habite la forêt",
    "glass glass glass",
    "x_1 relates to x_2",
    "…",
    "Amberfox lives in Glass Forest",
]
QUERIES = [
    "Where does the Amberfox live?",
    "glass forest",
    "glass glass forest",
    "river Delta heron",
    "ÉLAN forêt",
    "x_1",
    "unknownword",
    "",
]
SETTINGS = [{"k1": 1.2, "b": 0.75}, {"k1": 0.9, "b": 0.4}, {"k1": 2.0, "b": 0.0}, {"k1": 0.0, "b": 1.0}]


def tokens(text):
    return re.findall(r"\w+", text.lower())


out = {"bm25s": bm25s.__version__, "corpus": CORPUS, "queries": QUERIES, "cases": []}
for setting in SETTINGS:
    model = bm25s.BM25(method="lucene", dtype="float64", **setting)
    model.index([tokens(d) for d in CORPUS], show_progress=False)
    known = lambda q: [t for t in tokens(q) if t in model.vocab_dict]  # noqa: E731
    scores = [model.get_scores(known(q)).tolist() if known(q) else [0.0] * len(CORPUS) for q in QUERIES]
    out["cases"].append({**setting, "scores": scores})
print(json.dumps(out, ensure_ascii=False, indent=1))

"""Vectors of the "hash" encoder by an independent program (standard library only).

Run: python3 make.py > vectors.json
"""

import json
import math
import re
from collections import Counter

M = 0xFFFFFFFF
TEXTS = ["Red foxes run", "red fox", "", "!?", "ÉCOLE école naïve", "東京 Tokyo 東京", "a a a b", "emoji 😀 x_1"]
CORPUS = ["red fox", "red deer", "blue whale", "école"]


def units(text):
    data = text.encode("utf-16-le")
    return [data[i] | data[i + 1] << 8 for i in range(0, len(data), 2)]


def fnv1a(codes, start=0x811C9DC5):
    h = start
    for code in codes:
        for byte in (code & 0xFF, code >> 8):
            h = ((h ^ byte) * 0x01000193) & M
    return h


def fmix32(h):
    h ^= h >> 16
    h = h * 0x85EBCA6B & M
    h ^= h >> 13
    h = h * 0xC2B2AE35 & M
    return h ^ h >> 16


def features(text, low=3, high=5):
    for word in re.findall(r"\w+", text.lower()):
        codes = units(word)
        yield fmix32(fnv1a(codes, 0x9747B28C))
        padded = [2, *codes, 2]
        for n in range(low, high + 1):
            for i in range(len(padded) - n + 1):
                yield fmix32(fnv1a(padded[i : i + n]))


def vector(text, dim, idf=lambda f: 1.0):
    row = [0.0] * dim
    for feature, count in sorted(Counter(features(text)).items()):
        weight = (1 + math.log(count)) * idf(feature)
        row[(feature >> 1) % dim] += weight if feature & 1 else -weight
    norm = math.sqrt(math.fsum(x * x for x in row))
    return [x / norm for x in row] if norm else row


df = Counter(f for text in CORPUS for f in set(features(text)))
idf = lambda f: math.log((1 + len(CORPUS)) / (1 + df[f])) + 1  # noqa: E731
out = {"texts": TEXTS, "corpus": CORPUS, "dim": 32}
out["plain"] = [vector(t, 32) for t in TEXTS]
out["fitted"] = [vector(t, 32, idf) for t in TEXTS]
print(json.dumps(out, ensure_ascii=False, indent=1))

"""Makes kge.json: scores, losses and gradients of the four models by PyTorch's autograd, in doubles over 32-bit numbers, and ranks by numpy.
pip install torch numpy; python3 test/golden/make-kge.py > test/golden/kge.json"""
import json
import numpy as np, torch
from torch.nn.functional import softplus

g = np.random.default_rng(5)
E, R, D, neg = 7, 3, 4, 3
triples = [[0, 0, 1], [2, 1, 3], [4, 2, 0], [0, 0, 1], [5, 1, 6]]
draws = [[[int(g.integers(E)), bool(g.integers(2))] for _ in range(neg)] for _ in triples]

def score(model, e, rel, h, r, t):
    H, L, T = e[h], rel[r], e[t]
    if model == "transe": return -(H + L - T).abs().sum()
    if model == "distmult": return (H * L * T).sum()
    a, b, x, y = H[:D], H[D:], T[:D], T[D:]
    if model == "complex":
        c, d = L[:D], L[D:]
        return ((a * c - b * d) * x + (a * d + b * c) * y).sum()
    c, s = torch.cos(L), torch.sin(L)
    return -(((a * c - b * s - x) ** 2 + (a * s + b * c - y) ** 2) ** 0.5).sum()

cases = []
for model in ["transe", "distmult", "complex", "rotate"]:
    es, rs = (D if model in ("transe", "distmult") else 2 * D), (2 * D if model == "complex" else D)
    e0 = g.normal(size=(E, es)).astype("f4"); r0 = g.normal(size=(R, rs)).astype("f4")
    for loss, adversarial in [("margin", 0), ("logistic", 0), ("logistic", 0.7)]:
        e = torch.tensor(e0.astype("f8"), requires_grad=True); rel = torch.tensor(r0.astype("f8"), requires_grad=True)
        margin = 2.0; shift = margin if model in ("transe", "rotate") else 0.0; total = 0
        for (h, r, t), ds in zip(triples, draws):
            pos = score(model, e, rel, h, r, t)
            ns = torch.stack([score(model, e, rel, x if at else h, r, t if at else x) for x, at in ds])
            if loss == "margin": total = total + torch.relu(margin - pos + ns).mean()
            else:
                w = torch.softmax(adversarial * ns, 0).detach() if adversarial else torch.full((neg,), 1 / neg, dtype=torch.float64)
                total = total + softplus(-(pos + shift)) + (w * softplus(ns + shift)).sum()
        total = total / len(triples); total.backward()
        cases.append({"model": model, "loss": loss, "adversarial": adversarial, "margin": margin, "e": e0.flatten().tolist(), "r": r0.flatten().tolist(), "value": float(total), "ge": e.grad.flatten().tolist(), "gr": rel.grad.flatten().tolist()})
print(json.dumps({"dim": D, "triples": triples, "draws": draws, "cases": cases}))

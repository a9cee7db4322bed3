"""Makes ppr.json: personalised PageRank of random weighted multigraphs with loops and parallel edges, by networkx.
pip install networkx numpy scipy; python3 test/golden/make-ppr.py > test/golden/ppr.json"""
import json, random
import networkx as nx

cases = []
r = random.Random(7)
for n, m, damping in [(2, 1, 0.85), (5, 9, 0.5), (12, 30, 0.85), (30, 45, 0.95)]:
    edges = [(r.randrange(n), r.randrange(n), round(r.uniform(0.01, 2), 3)) for _ in range(m)]
    used = sorted({e for a, b, _ in edges for e in (a, b)})
    start = {x: round(r.uniform(0.1, 1), 3) for x in r.sample(used, min(3, len(used)))}
    g = nx.MultiGraph()
    for a, b, w in edges:
        g.add_edge(a, b, weight=w)
    p = nx.pagerank(g, alpha=damping, personalization=start, weight="weight", tol=1e-14, max_iter=10000)
    cases.append({"edges": edges, "start": start, "damping": damping, "visits": {str(k): v for k, v in p.items()}})
print(json.dumps(cases))

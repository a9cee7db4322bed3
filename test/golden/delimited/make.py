"""Delimited texts and what Python's own csv module reads in them: `python3 test/golden/delimited/make.py > test/golden/delimited/cases.json`.

Cells are drawn from a seeded alphabet of what tends to go wrong. The texts are written by csv.writer in all its quoting styles and line ends, read back
by csv.reader, and kept only where that gives the written cells: where Python's writer and reader agree, ours must agree too. Needs Python 3.8 or later.
"""

import csv
import io
import json
import random
import sys

PIECES = ["", " ", "a", "007", "1e5", "NaN", "null", "true", ",", '"', '""', "\n", "\r\n", "\r", "\t", "é", "é", "水", "🐉", "#", "'", "\\", "=1"]
draw = random.Random(4)
cases = []
while len(cases) < 60:
    columns = draw.randint(2, 4)
    names = [f"c{i}" for i in range(columns)]
    rows = [["".join(draw.choice(PIECES) for _ in range(draw.randint(0, 3))) for _ in names] for _ in range(draw.randint(0, 5))]
    quoting = draw.choice([csv.QUOTE_MINIMAL, csv.QUOTE_ALL])
    end = draw.choice(["\n", "\r\n"])
    out = io.StringIO(newline="")
    csv.writer(out, quoting=quoting, lineterminator=end).writerows([names, *rows])
    text = out.getvalue()
    if not draw.randint(0, 3):
        text = text[: -len(end)]
    read = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    if read == [names, *rows]:
        cases.append({"text": text, "names": names, "rows": rows})
json.dump({"python": sys.version.split()[0], "cases": cases}, sys.stdout, ensure_ascii=True, indent=1)
print()

"""Makes assets/encoders/minilm.json: vectors of all-MiniLM-L6-v2 (fp32) by onnxruntime and tokenizers in Python, four decimals, to which the
encoder `minilm` is compared. pip install onnxruntime tokenizers numpy; python3 test/golden/make-minilm.py FOLDER > assets/encoders/minilm.json
FOLDER holds tokenizer.json and onnx/model.onnx of Xenova/all-MiniLM-L6-v2."""
import json, sys
import numpy as np, onnxruntime as ort
from tokenizers import Tokenizer

folder = sys.argv[1]
tok = Tokenizer.from_file(folder + "/tokenizer.json"); tok.no_padding()
session = ort.InferenceSession(folder + "/onnx/model.onnx", providers=["CPUExecutionProvider"])
texts = ["Paris is the capital of France.", "what city serves as the seat of Osaka Prefecture?", "Tallinn category for people who died here Category:Deaths in Tallinn"]
vectors = []
for text in texts:
    e = tok.encode(text)
    feed = {"input_ids": [e.ids], "attention_mask": [e.attention_mask], "token_type_ids": [e.type_ids]}
    out = session.run(None, {k: np.array(v, dtype=np.int64) for k, v in feed.items() if k in {i.name for i in session.get_inputs()}})[0][0]
    v = out.mean(axis=0); v /= np.linalg.norm(v)
    vectors.append([round(float(x), 4) for x in v])
print(json.dumps({"options": {"model": "Xenova/all-MiniLM-L6-v2", "pooling": "mean", "maxTokens": 0}, "texts": texts, "vectors": vectors}, separators=(",", ":")))

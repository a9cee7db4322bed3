"""Makes augment.json: draws of CPython's generator, and what Pillow's ImageEnhance makes of a small picture.
pip install pillow; python3 test/golden/make-augment.py > test/golden/augment.json"""
import hashlib, json, random
from PIL import Image, ImageEnhance

draws = []
for key in ["S1||26", "S4||26", "S5||1854", "é||0"]:
    seed = int(hashlib.sha1(key.encode()).hexdigest(), 16) % (2**31 - 1)
    r = random.Random(seed)
    draws.append({"key": key, "seed": seed, "draws": [r.random(), r.choice(list(range(6))), r.uniform(0.75, 0.95), r.randint(85, 95), r.randint(0, 0), r.choice(list(range(1000))), r.randint(-5, 1 << 20), r.random()]})

w, h = 13, 9
picture = Image.new("RGB", (w, h))
picture.putdata([((x * 37 + y * 11) % 256, (x * x * 5 + y * 83) % 256, (255 - x * 19 + y * y * 7) % 256) for y in range(h) for x in range(w)])
jitter = []
for b, c, s, sharp in [(1.1, 0.9, 1.07, 1.08), (0.86, 1.14, 0.91, 0.93), (1.0, 1.0, 1.0, 1.0), (1.15, 1.15, 1.15, 1.1), (0.85, 0.85, 0.85, None)]:
    p = ImageEnhance.Color(ImageEnhance.Contrast(ImageEnhance.Brightness(picture).enhance(b)).enhance(c)).enhance(s)
    if sharp is not None:
        p = ImageEnhance.Sharpness(p).enhance(sharp)
    jitter.append({"factors": {"brightness": b, "contrast": c, "saturation": s, **({} if sharp is None else {"sharpness": sharp})}, "bytes": p.tobytes().hex()})
print(json.dumps({"draws": draws, "jitter": jitter}))

"""Widths of texts in thousandths of an em, shaped by HarfBuzz (default features) with the packaged fonts.

Independent of the library, which measures with fontkit. Made with uharfbuzz 0.57.0:
    python test/golden/figures/text-widths.py > test/golden/figures/text-widths.json
"""
import json, pathlib
import uharfbuzz as hb

fonts = pathlib.Path(__file__).resolve().parents[3] / "assets/fonts"
texts = ["Hello AV", "nDCG@10", "office fi fl \u2014 \u03b1 \u2265 5", "Random path (same subgraph)", "To Ty 1,234.5%", "p < 0.001", "\u221212.5"]
out = []
for weight, file in [("regular", "SourceSans3_400Regular.ttf"), ("semibold", "SourceSans3_600SemiBold.ttf")]:
    face = hb.Face(hb.Blob.from_file_path(str(fonts / file)))
    font = hb.Font(face)
    for text in texts:
        buffer = hb.Buffer()
        buffer.add_str(text)
        buffer.guess_segment_properties()
        hb.shape(font, buffer)
        out.append({"weight": weight, "text": text, "width": sum(p.x_advance for p in buffer.glyph_positions) * 1000 / face.upem})
print(json.dumps(out, indent=1))

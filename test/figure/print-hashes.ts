import { sha256 } from "../../lib/core/index.js";
import { linePathCount } from "./examples.js";

const chart = linePathCount();
for (const bytes of [await chart.svg(), await chart.pdf(), await chart.png()]) console.log(sha256(bytes));

import { reader, readerNames } from "../../lib/answer/index.js";
import { readerLaws } from "../laws/reader.js";

for (const name of readerNames()) readerLaws(name, () => reader(name));

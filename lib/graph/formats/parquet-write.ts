import type { ParquetWriteOptions } from "hyparquet-writer";
import { MkgError, quote } from "../../core/index.js";
import { isHalfPair, kindOf } from "./cell-values.js";
import type { OutFile, OutTable } from "./format.js";

type SchemaElement = NonNullable<ParquetWriteOptions["schema"]>[number];

/** The Parquet type of a cell's kind. */
const types: Readonly<Record<string, Omit<SchemaElement, "name">>> = {
  string: { type: "BYTE_ARRAY", converted_type: "UTF8", logical_type: { type: "STRING" } },
  number: { type: "DOUBLE" },
  bigint: { type: "INT64" },
  boolean: { type: "BOOLEAN" },
  date: {
    type: "INT64",
    converted_type: "TIMESTAMP_MILLIS",
    logical_type: { type: "TIMESTAMP", isAdjustedToUTC: true, unit: "MILLIS" },
  },
};
const kindNames = [
  ...Object.keys(types),
  ...["string", "number", "bigint", "boolean"].map((kind) => `list of ${kind}`),
];

/** Parquet files, one a table; what they hold says {@link parquet}. A column without any value is one of text. The same tables give the same bytes. */
export async function encodeParquet(tables: readonly OutTable[], place: string): Promise<readonly OutFile[]> {
  const checked = tables.map(({ part, columns }) => {
    if (columns.data.size === 0) throw new MkgError(place, `${part}: a table without columns`, "At least one column");
    const kinds = [...columns.data].map(([name, column]) => {
      const kind = kindOf(column, kindNames, { place, part, name, format: "parquet" });
      return kind.replace("null", "string");
    });
    for (const name of columns.data.keys())
      if (isHalfPair(name) || name === "")
        throw new MkgError(
          place,
          `${part}, header: parquet cannot hold a column name (${quote(name)})`,
          "Unicode text",
        );
    return { part, columns, kinds };
  });
  const { parquetWriteBuffer } = await import("hyparquet-writer");
  return checked.map(({ part, columns, kinds }) => {
    const names = [...columns.data.keys()];
    const schema: SchemaElement[] = [{ name: "root", num_children: names.length }];
    for (const [i, name] of names.entries()) schema.push(...elements(name, kinds[i]!));
    const columnData = [...columns.data].map(([name, column], i) => ({
      name,
      data: Array.from(column as Iterable<unknown>, (value) => value ?? null),
      // a dictionary would join 0 and −0
      ...(kinds[i]!.endsWith("number") ? { encoding: "PLAIN" as const } : {}),
    }));
    return { name: `${part}.parquet`, data: new Uint8Array(parquetWriteBuffer({ columnData, schema })) };
  });
}

function elements(name: string, kind: string): SchemaElement[] {
  const item = types[kind.replace("list of ", "")]!;
  if (!kind.startsWith("list of ")) return [{ name, repetition_type: "OPTIONAL", ...item }];
  return [
    { name, repetition_type: "OPTIONAL", num_children: 1, converted_type: "LIST", logical_type: { type: "LIST" } },
    { name: "list", repetition_type: "REPEATED", num_children: 1 },
    { name: "element", repetition_type: "OPTIONAL", ...item },
  ];
}

import { MkgError, quote, refuseUnknown } from "../../core/index.js";
import type { Column } from "../columns.js";
import type { OutTable } from "../formats/format.js";

/**
 * The tables with the lists of strings in some columns joined into one string a cell, as `loadGraph`'s option `split` takes them apart; an empty cell
 * stands for the empty list. A list that would not come back is an error that names table, row and column.
 */
export function joinLists(
  place: string,
  tables: readonly OutTable[],
  split: Readonly<Record<string, string>> | undefined,
): readonly OutTable[] {
  if (split === undefined) return tables;
  refuseUnknown(
    place,
    split,
    [...new Set(tables.flatMap(({ columns }) => [...columns.data.keys()]))],
    "column of split",
  );
  for (const [name, separator] of Object.entries(split))
    if (typeof separator !== "string" || separator === "")
      throw new MkgError(place, `split.${name} is not a separator (${quote(separator)})`, "A non-empty string");
  return tables.map(({ part, columns }) => ({
    part,
    columns: {
      ...columns,
      data: new Map(
        [...columns.data].map(([name, column]) => [
          name,
          Object.hasOwn(split, name) ? joined(place, part, name, column, columns.rows, split[name]!) : column,
        ]),
      ),
    },
  }));
}

function joined(place: string, part: string, name: string, column: Column, rows: number, separator: string): string[] {
  return Array.from({ length: rows }, (_, row) => {
    const list = column.at(row);
    const why =
      !Array.isArray(list) || !list.every((item) => typeof item === "string")
        ? "not a list of strings"
        : list.some((item) => item.includes(separator))
          ? `an item holds the separator ${quote(separator)}`
          : list.length === 1 && list[0] === ""
            ? "a list of one empty string would come back as an empty list"
            : undefined;
    if (why)
      throw new MkgError(
        place,
        `${part}, row ${row} (from 0), column ${name}: ${why} (${quote(list)})`,
        "Lists of strings without the separator",
        "Choose another separator, or jsonl or parquet, which hold lists",
      );
    return (list as string[]).join(separator);
  });
}

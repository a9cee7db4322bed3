import type { CellObject } from "@e965/xlsx";
import type { Noticing } from "../notices.js";

/** What the numbers of a workbook mean, and where to note how a cell was read. */
export interface CellReading {
  /** The workbook counts days from 1904 instead of 1900. */
  readonly date1904: boolean;
  /** Stands for a carriage return in the text of cells. */
  readonly carriageReturn: string;
  readonly isDate: (format: string) => boolean;
  readonly repaired: Noticing;
  readonly notices: Noticing;
}

/**
 * The text of one cell, null for a blank one, or what is wrong with it. Strings are as stored. A number is the shortest decimal that gives its
 * double again; a whole number under a format of zeros (`00000`) is as shown, since its zeros are part of an id. A date is ISO 8601, without a
 * timezone because a sheet has none; TRUE and FALSE are as Excel writes them; a formula is its stored value.
 */
export function cellText(
  cell: CellObject | undefined,
  address: string,
  reading: CellReading,
): string | null | { readonly wrong: string } {
  if (!cell || cell.t === "z") return null;
  if (cell.t === "s")
    return typeof cell.v === "string"
      ? cell.v.replaceAll(reading.carriageReturn, "\r")
      : { wrong: "a text that the workbook does not hold" };
  if (cell.t === "e") return { wrong: `an error value ${cell.w || "of a formula"}` };
  if (cell.t === "b") {
    reading.notices.add("true and false: read as TRUE and FALSE", address);
    return cell.v ? "TRUE" : "FALSE";
  }
  const value = cell.v as number;
  if (typeof value !== "number" || !Number.isFinite(value)) return { wrong: "not a number" };
  const format = String(cell.z ?? "General");
  if (reading.isDate(format)) return dateText(value, format, address, reading);
  const text = String(value);
  // above 2^53 the double is not the number that was typed; from 1e21 on its text is plainly rounded
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER && /^-?\d+$/.test(text))
    return { wrong: `a number of more digits than a number cell keeps (${text})` };
  if (/^-?\d{15}0$/.test(text))
    reading.notices.add("numbers of 16 digits with a 0 at the end: Excel keeps 15 digits", `${address}: ${text}`);
  const shown = cell.w ?? text;
  if (/^0+$/.test(format) && /^0\d+$/.test(shown) && Number(shown) === value) {
    reading.repaired.add("numbers shown with leading zeros: read as shown", `${address}: ${shown}`);
    return shown;
  }
  if (shown !== text && format !== "General")
    reading.notices.add("numbers shown otherwise than stored: read as stored", `${address}: ${text}`);
  return text;
}

const dayMs = 86_400_000;
const hidden = /"[^"]*"|\\.|_.|\*.|\[(?![hms]+\])[^\]]*\]/gi;

/** ISO 8601: a date, a date and time, a time of day, or for elapsed time (`[h]:mm`) a duration. To the millisecond. */
function dateText(serial: number, format: string, address: string, reading: CellReading): string | { wrong: string } {
  const note = (text: string) => {
    reading.repaired.add("dates and times: read as ISO 8601", `${address}: ${text}`);
    return text;
  };
  const ms = Math.round(serial * dayMs);
  const plain = format.replace(hidden, "");
  if (/\[[hms]+\]/i.test(plain)) return note(`${ms < 0 ? "-" : ""}PT${trim(Math.abs(ms) / 1000)}S`);
  if (ms < 0 || serial >= 2_958_466) return { wrong: `no date (${serial})` };
  if (serial < 1 && !/[dye]/i.test(plain))
    return note(
      new Date(ms)
        .toISOString()
        .slice(11)
        .replace(/(\.000)?Z$/, ""),
    );
  // Excel counts a 29 February 1900, which was no day; day 0 is none either
  const day = Math.floor(ms / dayMs);
  if (!reading.date1904 && (day === 60 || day === 0)) return { wrong: `no day of the calendar (${serial})` };
  const from1970 = reading.date1904 ? -24_107 : day < 60 ? -25_568 : -25_569;
  const iso = new Date(ms + from1970 * dayMs).toISOString();
  return note(ms % dayMs === 0 ? iso.slice(0, 10) : iso.replace(/(\.000)?Z$/, ""));
}

const trim = (seconds: number) => String(Math.round(seconds * 1000) / 1000);

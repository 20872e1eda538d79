/** A cell that a spreadsheet would run as a formula if it began so. */
const FORMULA = /^[\s]*[=+\-@\t\r]/;
const QUOTED = /[",\r\n]/;

/**
 * A table as CSV (RFC 4180). Texts that spreadsheets take for formulas get an apostrophe in front;
 * numbers do not.
 */
export function writeCsv(rows: CsvTable): string {
  return rows.map((row) => `${row.map(writeCell).join(",")}\r\n`).join("");
}

export type CsvTable = readonly (readonly CsvValue[])[];
type CsvValue = string | number | null;

function writeCell(value: CsvValue): string {
  if (value === null) return "";
  if (typeof value === "number") return String(value);
  const isDecimal = /^-?\d+(?:\.\d+)?$/.test(value);
  const text = !isDecimal && FORMULA.test(value) ? `'${value}` : value;
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

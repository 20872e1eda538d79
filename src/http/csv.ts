type Cell = string | number | null;

/** A file of comma-separated values. [RFC 4180] */
export function csv(
  requestId: string,
  fileName: string,
  rows: readonly (readonly Cell[])[],
): Response {
  const text = rows.map((row) => `${row.map(writeCell).join(",")}\r\n`).join("");
  return new Response(text, {
    headers: {
      "content-type": "text/csv; charset=utf-8",
      "content-disposition": `attachment; filename="${fileName}"`,
      "cache-control": "no-store",
      "x-request-id": requestId,
    },
  });
}

/** A spreadsheet would run a text that begins like a formula. */
function writeCell(cell: Cell): string {
  if (cell === null) return "";
  if (typeof cell === "number") return String(cell);
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

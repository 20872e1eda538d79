import { writeCsv, type CsvTable } from "#lib/csv.ts";
import type { Exchange } from "../routes.ts";

const TYPES = { json: "application/json", csv: "text/csv", html: "text/html" } as const;

type ReportFormat = keyof typeof TYPES;

/** The format that the query names, else the first type that the client accepts. */
export function formatOf<Format extends ReportFormat>(
  { request }: Exchange,
  formats: readonly Format[],
  asked: Format | undefined,
): Format | undefined {
  if (asked !== undefined) return asked;
  const [first = ""] = (request.headers.get("accept") ?? "").toLowerCase().split(/[,;]/);
  return formats.find((each) => TYPES[each] === first.trim());
}

export function answerCsv(exchange: Exchange, name: string, rows: CsvTable): Response {
  return new Response(writeCsv(rows), {
    headers: {
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition": `attachment; filename="${name}.csv"`,
      "cache-control": "no-store",
      "x-request-id": exchange.id,
    },
  });
}

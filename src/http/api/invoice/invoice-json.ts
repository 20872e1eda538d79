import { z } from "zod";
import { writeUsd } from "#core/money.ts";
import type { UsageGroup, UsageSum } from "#core/usage-report.ts";
import type { CsvTable } from "#lib/csv.ts";
import type { JsonObject } from "#lib/json.ts";
import { seconds } from "../seconds.ts";
import { cellOf, DISPLAY, showDisplay, showSum, SUM, sumNames } from "../usage/usage-json.ts";
import type { Invoice } from "./invoice.ts";

export const INVOICE = z
  .object({
    owner: z.object({
      kind: z.enum(["user", "team"]),
      id: z.int(),
      name: z.string().nullable(),
      email: z.string().nullable(),
    }),
    month: z.string(),
    from: z.int(),
    to: z.int(),
    issued_at: z.int(),
    currency: z.literal("USD"),
    is_final: z.boolean().describe("No call of the month can change the sums any more."),
    open_calls: z.int().describe("Calls and tasks of the month that are not charged yet."),
    display: DISPLAY.optional(),
    total_usd: z.string().describe("A decimal."),
    total: z.object(SUM),
    items: z.array(
      z.object({
        key_id: z.int().optional(),
        key_name: z.string().nullable().optional(),
        user_id: z.int().optional(),
        user_name: z.string().nullable().optional(),
        model: z.string().nullable(),
        ...SUM,
      }),
    ),
    others: z.object(SUM).optional().describe("The sum of the lines above 1,000."),
    quota_changes: z.array(
      z.object({ at: z.int(), amount_usd: z.string(), note: z.string().nullable() }),
    ),
  })
  .meta({ id: "Invoice" });

export function showInvoice(invoice: Invoice): JsonObject {
  const { owner, name, email, month, from, to, total, others, display } = invoice;
  const sumOf = (sum: UsageSum): JsonObject => showSum(sum, display);
  return {
    owner: { kind: owner.kind, id: owner.id, name, email: email ?? null },
    month,
    from: seconds(from),
    to: seconds(to),
    issued_at: seconds(invoice.issuedAt),
    currency: "USD",
    is_final: invoice.isFinal,
    open_calls: invoice.openCalls,
    ...(display && { display: showDisplay(display) }),
    total_usd: writeUsd(total.cost),
    total: sumOf(total),
    items: invoice.lines.map((line) => ({ ...showLine(invoice, line), ...sumOf(line.sum) })),
    ...(others && { others: sumOf(others) }),
    quota_changes: invoice.quotaChanges.map(({ at, amount, note }) => ({
      at: seconds(at),
      amount_usd: writeUsd(amount),
      note,
    })),
  };
}

function showLine({ owner, names }: Invoice, { of }: UsageGroup): JsonObject {
  const by = owner.kind === "team" ? "user" : "key";
  const id = Number(of[by]);
  return { [`${by}_id`]: id, [`${by}_name`]: names[by].get(id) ?? null, model: of.model ?? null };
}

/** A row for each line, then `others` and `total`. */
export function invoiceRows(invoice: Invoice): CsvTable {
  const { owner, month, lines, others, total, display } = invoice;
  const by = owner.kind === "team" ? "user" : "key";
  const head = ["month", owner.kind, `${by}_id`, `${by}_name`, "model", ...sumNames(display)];
  const sumCells = (sum: typeof total) => Object.values(showSum(sum, display)).map(cellOf);
  const whose = invoice.name ?? String(owner.id);
  return [
    head,
    ...lines.map((line) => {
      const id = Number(line.of[by]);
      const model = line.of.model ?? null;
      const name = invoice.names[by].get(id) ?? null;
      return [month, whose, id, name, model === null ? null : String(model), ...sumCells(line.sum)];
    }),
    ...(others ? [[month, whose, null, "others", null, ...sumCells(others)]] : []),
    [month, whose, null, "total", null, ...sumCells(total)],
  ];
}

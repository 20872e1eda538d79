import { createHash } from "node:crypto";
import { inCurrency, rateOf, type DisplayCurrency } from "#core/display-currency.ts";
import { writeUsd } from "#core/money.ts";
import type { UsageSum } from "#core/usage-report.ts";
import { escapeHtml } from "#lib/html.ts";
import type { Invoice } from "./invoice.ts";

const STYLE = `
body { font: 11pt/1.4 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; margin: 1rem 0 2rem; }
th, td { border-bottom: 1px solid #ccc; padding: 0.25rem 0.5rem; text-align: left; }
.number { text-align: right; font-variant-numeric: tabular-nums; }
tfoot td { border-top: 2px solid #000; font-weight: bold; }
.note { color: #555; }
@media print { body { margin: 0; max-width: none; } thead { display: table-header-group; } }
`;
const STYLE_DIGEST = createHash("sha256").update(STYLE).digest("base64");

/** The page runs no script, loads nothing, and is shown in no other page. */
export const INVOICE_HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "content-security-policy":
    `default-src 'none'; style-src 'sha256-${STYLE_DIGEST}'; ` +
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox allow-modals",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** The statement as a page for the printer. Each text of a person is escaped. */
export function renderInvoice(invoice: Invoice): string {
  const { owner, month, total, others, display } = invoice;
  const title = `Statement ${month}: ${invoice.name ?? `${owner.kind} ${owner.id}`}`;
  const by = owner.kind === "team" ? "user" : "key";
  const numbers = numbersOf(display);
  const rows = invoice.lines.map(({ of, sum }) => {
    const id = Number(of[by]);
    const name = invoice.names[by].get(id) ?? `${by} ${id}`;
    return row([name, String(of.model ?? "unknown model")], sum, numbers);
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${escapeHtml(title)}</h1>
<p>${escapeHtml(describe(invoice))}</p>
<table>
<thead><tr><th>${by === "user" ? "User" : "API key"}</th><th>Model</th>${numbers.map(([head]) => `<th class="number">${head}</th>`).join("")}</tr></thead>
<tbody>
${[...rows, ...(others ? [row(["Others", ""], others, numbers)] : [])].join("\n")}
</tbody>
<tfoot>${row(["Total", ""], total, numbers)}</tfoot>
</table>
${renderQuotaChanges(invoice)}<p class="note">Calls belong to the month in which they were admitted (UTC). ${escapeHtml(describeAmounts(display))}</p>
</body>
</html>
`;
}

type NumberColumns = readonly (readonly [string, (sum: UsageSum) => string])[];

const NUMBERS: NumberColumns = [
  ["Calls", ({ calls }) => String(calls)],
  ["Input tokens", ({ inputTokens }) => String(inputTokens)],
  ["Output tokens", ({ outputTokens }) => String(outputTokens)],
  ["US dollars", ({ cost }) => writeUsd(cost)],
];

/** The charge is in dollars; the other currency is for the reader. */
function numbersOf(display: DisplayCurrency | undefined): NumberColumns {
  if (display === undefined) return NUMBERS;
  return [...NUMBERS, [display.code, ({ cost }) => inCurrency(cost, display)]];
}

function describeAmounts(display: DisplayCurrency | undefined): string {
  if (display === undefined) return "Amounts are US dollars.";
  return `Amounts are charged in US dollars, and shown in ${display.code} at ${rateOf(display)} for one dollar.`;
}

function row(texts: readonly string[], sum: UsageSum, columns: NumberColumns): string {
  const cells = texts.map((each) => `<td>${escapeHtml(each)}</td>`);
  const numbers = columns.map(([, read]) => `<td class="number">${read(sum)}</td>`);
  return `<tr>${[...cells, ...numbers].join("")}</tr>`;
}

function describe({ owner, email, issuedAt, isFinal, openCalls }: Invoice): string {
  const whose = `${owner.kind === "team" ? "Team" : "User"} ${owner.id}`;
  const issued = `issued ${new Date(issuedAt).toISOString().slice(0, 16).replace("T", " ")} UTC`;
  const open = openCalls === 0 ? "" : `, ${openCalls} calls are not charged yet`;
  const state = isFinal ? "final" : `preliminary${open}`;
  return [whose, email, issued, state].filter((each) => each !== undefined).join(" · ");
}

function renderQuotaChanges({ quotaChanges }: Invoice): string {
  if (quotaChanges.length === 0) return "";
  const rows = quotaChanges.map(({ at, amount, note }) => {
    const date = new Date(at).toISOString().slice(0, 10);
    return `<tr><td>${date}</td><td>${escapeHtml(note ?? "")}</td><td class="number">${writeUsd(amount)}</td></tr>`;
  });
  return `<h2>Changes of the quota</h2>
<table>
<thead><tr><th>Date</th><th>Note</th><th class="number">US dollars</th></tr></thead>
<tbody>
${rows.join("\n")}
</tbody>
</table>
`;
}

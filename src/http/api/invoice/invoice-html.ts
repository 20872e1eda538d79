import { createHash } from "node:crypto";
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
  const { owner, month, total, others } = invoice;
  const title = `Statement ${month}: ${invoice.name ?? `${owner.kind} ${owner.id}`}`;
  const by = owner.kind === "team" ? "user" : "key";
  const rows = invoice.lines.map(({ of, sum }) => {
    const id = Number(of[by]);
    const name = invoice.names[by].get(id) ?? `${by} ${id}`;
    return row([name, String(of.model ?? "unknown model")], sum);
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
<thead><tr><th>${by === "user" ? "User" : "API key"}</th><th>Model</th>${NUMBERS.map(([head]) => `<th class="number">${head}</th>`).join("")}</tr></thead>
<tbody>
${[...rows, ...(others ? [row(["Others", ""], others)] : [])].join("\n")}
</tbody>
<tfoot>${row(["Total", ""], total)}</tfoot>
</table>
${renderQuotaChanges(invoice)}<p class="note">Calls belong to the month in which they were admitted (UTC). Amounts are US dollars.</p>
</body>
</html>
`;
}

const NUMBERS: readonly (readonly [string, (sum: UsageSum) => string])[] = [
  ["Calls", ({ calls }) => String(calls)],
  ["Input tokens", ({ inputTokens }) => String(inputTokens)],
  ["Output tokens", ({ outputTokens }) => String(outputTokens)],
  ["US dollars", ({ cost }) => writeUsd(cost)],
];

function row(texts: readonly string[], sum: UsageSum): string {
  const cells = texts.map((each) => `<td>${escapeHtml(each)}</td>`);
  const numbers = NUMBERS.map(([, read]) => `<td class="number">${read(sum)}</td>`);
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

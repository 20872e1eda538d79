import { z } from "zod";
import { GatewayError } from "#core/error.ts";
import type { User } from "#core/user.ts";
import type { Answer } from "#http/answer.ts";
import { requireUser } from "#http/require-user.ts";
import type { Exchange, LoginPermission } from "#http/routes.ts";
import { succeed } from "../envelope.ts";
import { teamView } from "../log/call-view.ts";
import { envelope, management } from "../management.ts";
import { choiceField } from "../query-fields.ts";
import { readId } from "../read-id.ts";
import { answerCsv, formatOf } from "../report-format.ts";
import { INVOICE_HEADERS, renderInvoice } from "./invoice-html.ts";
import { INVOICE, invoiceRows, showInvoice } from "./invoice-json.ts";
import { readInvoice, type InvoiceDeps, type InvoiceOwner } from "./invoice.ts";

const FORMATS = ["json", "csv", "html"] as const;

const QUERY = z.object({
  month: z
    .string()
    .optional()
    .transform((given = "", context) => {
      if (given === "") return undefined;
      if (!/^20\d{2}-(?:0[1-9]|1[0-2])$/.test(given)) context.addIssue("must be as 2026-11");
      return given;
    })
    .meta({ description: "A month in UTC, such as `2026-11`; the current one if it is absent." }),
  format: choiceField(FORMATS, "The same as `Accept: text/csv` or `Accept: text/html`."),
});

const ANSWER: Answer = {
  description: "The statement.",
  content: {
    "application/json": envelope(INVOICE),
    "text/csv": z.string().describe("A row for each line, and the total."),
    "text/html": z.string().describe("A page for the printer."),
  },
};

interface InvoiceRoute extends LoginPermission {
  readonly operationId: string;
  readonly path: string;
  readonly summary: string;
}

function invoiceRoute(route: InvoiceRoute, ownerOf: (exchange: Exchange) => InvoiceOwner) {
  return management({
    ...route,
    method: "GET",
    tag: "Usage",
    query: QUERY,
    answer: ANSWER,
    async handle(exchange, deps: InvoiceDeps, { query: { month, format } }) {
      const invoice = await readInvoice(ownerOf(exchange), month, deps);
      switch (formatOf(exchange, FORMATS, format)) {
        case "csv": {
          const { owner } = invoice;
          const name = `statement-${owner.kind}-${owner.id}-${invoice.month}`;
          return answerCsv(exchange, name, invoiceRows(invoice));
        }
        case "html":
          return new Response(renderInvoice(invoice), {
            headers: {
              ...INVOICE_HEADERS,
              "cache-control": "no-store",
              "x-request-id": exchange.id,
            },
          });
        default:
          return succeed(exchange.id, "", showInvoice(invoice));
      }
    },
  });
}

export const getOwnInvoice = invoiceRoute(
  {
    operationId: "getOwnInvoice",
    path: "/api/invoice/self",
    access: "user",
    scope: "usage:read",
    summary: "Your statement of a month, by key and model.",
  },
  (exchange) => ({ kind: "user", id: requireUser(exchange).id }),
);

export const getOwnTeamInvoice = invoiceRoute(
  {
    operationId: "getOwnTeamInvoice",
    path: "/api/invoice/team",
    access: "user",
    scope: "usage:read",
    summary: "The statement of a month of a team, for its owners, by user and model.",
  },
  (exchange) => ({ kind: "team", id: teamOf(requireUser(exchange)) }),
);

export const getUserInvoice = invoiceRoute(
  {
    operationId: "getUserInvoice",
    path: "/api/invoice/user/:id",
    access: "auditor",
    scope: "usage:read",
    summary: "A user's statement of a month, by key and model.",
  },
  (exchange) => ({ kind: "user", id: idOf(exchange) }),
);

export const getTeamInvoice = invoiceRoute(
  {
    operationId: "getTeamInvoice",
    path: "/api/invoice/team/:id",
    access: "auditor",
    scope: "usage:read",
    summary: "A team's statement of a month, by user and model.",
  },
  (exchange) => ({ kind: "team", id: idOf(exchange) }),
);

function teamOf(user: User): number {
  const { teamId } = teamView(user).scope;
  if (teamId === undefined) throw new Error("The view of a team names it.");
  return teamId;
}

function idOf(exchange: Exchange): number {
  const id = readId(exchange.param("id"));
  if (id === undefined) throw new GatewayError("not_found", "There is no such id.");
  return id;
}

import { z } from "zod";
import { GatewayError } from "#core/error.ts";
import type { HomeDeps } from "#http/deps/home.ts";
import { HOURS, type ShownModel } from "#relay/alerts/model-health.ts";
import { buildError } from "#styles/text/chat/error.ts";
import type { Endpoint } from "#http/routes.ts";

const CACHE = "public, max-age=15";

const STATUS = z.object({
  models: z.array(
    z.object({
      model: z.string(),
      state: z.enum(["up", "degraded", "down", "unknown"]),
      available: z.number().nullable(),
      hours: z.array(z.number().nullable()),
    }),
  ),
});

/** Models and their health over 24 hours, for everyone. */
export const getStatusPage: Endpoint<Pick<HomeDeps, "modelHealth" | "isStatusPublic">> = {
  operationId: "getStatusPage",
  tag: "Gateway",
  answer: {
    description: "The status page.",
    content: { "application/json": STATUS, "text/html": z.string() },
  },
  method: "GET",
  path: "/status",
  access: "public",
  summary:
    "Models and their health over 24 hours, as JSON by `Accept`, else as HTML. " +
    "404 unless `status_page` is `on`.",
  renderError: buildError,

  async handle({ request }, { modelHealth, isStatusPublic }) {
    if (!isStatusPublic) throw new GatewayError("not_found", "There is no status page here.");
    const models = await modelHealth.list();
    const headers = { "cache-control": CACHE, vary: "accept" };
    if (request.headers.get("accept")?.includes("application/json") === true) {
      return Response.json({ models: models.map(showModel) }, { headers });
    }
    return new Response(pageOf(models), {
      headers: {
        ...headers,
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'",
        "x-content-type-options": "nosniff",
      },
    });
  },
};

function showModel({ model, state, available, hours }: ShownModel) {
  return {
    model,
    state,
    available: available ?? null,
    hours: hours.map((share) => share ?? null),
  };
}

function pageOf(models: readonly ShownModel[]): string {
  const rows = models.map(
    ({ model, state, available, hours }) =>
      `<tr><td>${escaped(model)}</td><td class="${state}">${state}</td>` +
      `<td>${percent(available)}</td><td class="hours">${hours.map(cellOf).join("")}</td></tr>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Status</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
table { border-collapse: collapse; width: 100% }
td, th { padding: .3rem .6rem; text-align: left; border-bottom: 1px solid #ccc }
.up { color: #14662b } .degraded { color: #8a5a00 } .down { color: #a11 } .unknown { color: #555 }
.hours { white-space: nowrap }
i { display: inline-block; width: .4rem; height: 1.2rem; margin-right: 1px; background: #ccc }
i.up { background: #2c9a4b } i.degraded { background: #d9a13b } i.down { background: #c33 }
</style></head><body>
<h1>Status</h1>
<table><thead><tr><th>Model</th><th>State</th><th>Available</th><th>Last ${HOURS} hours</th></tr></thead>
<tbody>${rows.join("\n")}</tbody></table>
</body></html>
`;
}

function cellOf(share: number | undefined): string {
  const state =
    share === undefined ? "unknown" : share === 0 ? "down" : share < 0.99 ? "degraded" : "up";
  return `<i class="${state}" title="${percent(share)}"></i>`;
}

function percent(share: number | undefined): string {
  return share === undefined ? "no calls" : `${(Math.floor(share * 10_000) / 100).toString()} %`;
}

function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

import { z } from "zod";
import { GatewayError } from "#core/error.ts";
import { buildError } from "#styles/text/chat/error.ts";
import { jsonAnswer } from "../answer.ts";
import type { StatusDeps } from "#http/deps/status.ts";
import { json } from "../json.ts";
import type { Endpoint } from "../routes.ts";

export const SIMULATED_HEADER = "sluice-simulated";

export const livez: Endpoint<Pick<StatusDeps, "version">> = {
  operationId: "getLiveness",
  tag: "Gateway",
  answer: jsonAnswer(z.object({ status: z.literal("ok"), version: z.string() })),
  method: "GET",
  path: "/livez",
  access: "public",
  summary: "Liveness: answers while the process runs.",
  renderError: buildError,
  handle: ({ id }, { version }) => json({ status: "ok", version }, id),
};

/**
 * Some clients check with this route that the server is reachable before the first call. They
 * accept any response.
 */
export const hello: Endpoint<Pick<StatusDeps, "version">> = {
  ...livez,
  operationId: "hello",
  path: "/api/hello",
  summary:
    "Liveness: answers while the process runs. Claude Code requests it with HEAD at its start.",
};

export const metrics: Endpoint<Pick<StatusDeps, "renderMetrics">> = {
  operationId: "getMetrics",
  tag: "Gateway",
  answer: { description: "The metrics.", content: { "text/plain": z.string() } },
  method: "GET",
  path: "/metrics",
  access: "metrics",
  summary: "Counters and gauges in the Prometheus text format.",
  renderError: buildError,
  async handle(_exchange, deps) {
    return new Response(await deps.renderMetrics(), {
      headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" },
    });
  },
};

/** Ready: not draining, and the database accepts writes. */
export const readyz: Endpoint<Pick<StatusDeps, "isDraining" | "ping" | "channelRegistry">> = {
  operationId: "getReadiness",
  tag: "Gateway",
  answer: jsonAnswer(z.object({ status: z.literal("ok"), simulated: z.boolean().optional() })),
  method: "GET",
  path: "/readyz",
  access: "public",
  summary: "Readiness: answers 200 while new calls are accepted.",
  renderError: buildError,
  async handle({ id }, deps) {
    if (deps.isDraining()) throw new GatewayError("unavailable", "The gateway is shutting down.");
    await deps.ping();
    if (!deps.channelRegistry.isSimulated) return json({ status: "ok" }, id);
    const response = json({ status: "ok", simulated: true }, id);
    response.headers.set(SIMULATED_HEADER, "true");
    return response;
  },
};

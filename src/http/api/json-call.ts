import type { GatewayError } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import type { ObjectRule } from "#lib/rules.ts";
import type { RouteDescription } from "#http/routes.ts";

interface ClientFormat {
  readonly inbound: { buildError(error: GatewayError): JsonObject };
}

/** What the routes of model calls with a JSON body have in common. */
export function jsonCall(
  format: ClientFormat,
  rule: ObjectRule,
): Pick<RouteDescription, "method" | "requestSchema" | "renderError"> {
  return {
    method: "POST",
    requestSchema: () => schemaOf(rule),
    renderError: (error) => format.inbound.buildError(error),
  };
}

import { z } from "zod";
import { GatewayError } from "#core/error.ts";
import { KEY_STATUS, type ApiKey } from "#core/key.ts";
import type { PastCallDeps } from "#http/deps/past-calls.ts";
import { requireUser } from "#http/require-user.ts";
import { succeed } from "../envelope.ts";
import { explainBody } from "../explain.ts";
import { EXPLANATION } from "../explain-answer.ts";
import { optional } from "../fields.ts";
import { exchangeFor, placeholderFor } from "../log/explain-call.ts";
import { management } from "../management.ts";
import { operationOfCall, OPERATION_STYLES } from "../text/operations.ts";

const ID = z.int().min(1).max(Number.MAX_SAFE_INTEGER);

/** For the page of channels: the order of a model without a key of one's own. */
export const explainRouting = management({
  operationId: "explainRouting",
  tag: "Channels",
  method: "POST",
  path: "/api/channel/explain",
  access: "auditor",
  scope: "channels:read",
  summary:
    "The channels of a text model in the order of attempts, for a short request of a style. " +
    "`token_id` names the key that calls; without it, a key without limits does.",
  body: z.strictObject({
    model: z.string().min(1).max(256),
    style: optional(z.enum(OPERATION_STYLES)).describe("Style of the request; chat if absent."),
    token_id: optional(ID),
  }),
  data: EXPLANATION,

  async handle(
    exchange,
    { keyDirectory, explaining }: Pick<PastCallDeps, "keyDirectory" | "explaining">,
    { body: { model, style = "chat", token_id: id } },
  ) {
    const operation = operationOfCall(style, model, false);
    if (operation === undefined) throw new Error(`The style ${style} has no operation.`);
    const body = placeholderFor({ model, isStream: false }, operation);
    const key =
      id === undefined ? unlimitedKey(requireUser(exchange).id) : await keyDirectory.findById(id);
    if (key === undefined) throw new GatewayError("not_found", "The key does not exist.");
    const asking = exchangeFor(exchange, key, body);
    return succeed(exchange.id, "", await explainBody(asking, operation, body, explaining));
  },
});

/** Stands for a key that may call everything. It is not stored and has no secret. */
function unlimitedKey(userId: number): ApiKey {
  return {
    id: 0,
    userId,
    name: "explanation",
    status: KEY_STATUS.enabled,
    models: ["*"],
    accounts: [],
  };
}

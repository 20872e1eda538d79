import { z } from "zod";
import type { CallRecord } from "#core/call.ts";
import { GatewayError } from "#core/error.ts";
import type { ApiKey } from "#core/key.ts";
import type { RequestBody } from "#core/style.ts";
import { readBody } from "#http/body.ts";
import type { PastCallDeps } from "#http/deps/past-calls.ts";
import type { Exchange } from "#http/routes.ts";
import { succeed } from "../envelope.ts";
import { explainBody } from "../explain.ts";
import { EXPLANATION } from "../explain-answer.ts";
import { management } from "../management.ts";
import { operationOfCall, type TextOperation } from "../text/operations.ts";
import { TurnExchange } from "../text/response-socket/turn-exchange.ts";

type Deps = Pick<PastCallDeps, "calls" | "contents" | "keyDirectory" | "explaining">;

export const explainCall = management({
  operationId: "explainCall",
  tag: "Calls",
  method: "POST",
  path: "/api/log/explain/:id",
  access: "admin",
  scope: "logs:read",
  summary:
    "Explains what would happen to a past call of text now, with its key, model and style. " +
    "Uses its request if the content log has all of it, otherwise a short one.",
  data: z.object({
    request: z
      .enum(["logged", "placeholder"])
      .describe("`placeholder`: a request with the same model, and a short prompt."),
    explanation: EXPLANATION,
  }),

  async handle(exchange, deps: Deps) {
    const call = await deps.calls.find(exchange.param("id"));
    if (call === undefined) throw new GatewayError("not_found", "Call not found.");
    const operation = operationOfCall(call.style, call.model, call.isStream);
    if (operation === undefined) {
      throw new GatewayError("invalid_request", "Only calls of text can be explained.");
    }
    const key = await requireKeyOf(call, deps);
    const logged = await loggedBody(call, deps);
    const body = logged ?? placeholderFor(call, operation);
    const asking = exchangeFor(exchange, key, body);
    return succeed(exchange.id, "", {
      request: logged === undefined ? "placeholder" : "logged",
      explanation: await explainBody(asking, operation, body, deps.explaining),
    });
  },
});

async function requireKeyOf(
  { keyId }: CallRecord,
  { keyDirectory }: Pick<Deps, "keyDirectory">,
): Promise<ApiKey> {
  const key = await keyDirectory.findById(keyId);
  if (key !== undefined) return key;
  throw new GatewayError("not_found", "The key of the call was deleted.");
}

/** The client's request after redaction; undefined if the content log has not all of it. */
async function loggedBody(
  { id }: CallRecord,
  { contents, explaining }: Pick<Deps, "contents" | "explaining">,
): Promise<RequestBody | undefined> {
  const request = (await contents.read(id))?.content.request;
  if (request === undefined || request.isTruncated) return undefined;
  return readBody(request.text, explaining.limits.jsonDepth);
}

const PROMPT = "-";
const MAX_DEPTH = 8;

/** The smallest request of the style with the model of the call. */
export function placeholderFor(
  { model, isStream }: Pick<CallRecord, "model" | "isStream">,
  { style }: TextOperation,
): RequestBody {
  const field = style.conversationField;
  const body = {
    contents: { contents: [{ role: "user", parts: [{ text: PROMPT }] }] },
    input: { model, stream: isStream, input: PROMPT },
    prompt: { model, stream: isStream, prompt: PROMPT },
  }[field] ?? {
    model,
    stream: isStream,
    max_tokens: 1,
    messages: [{ role: "user", content: PROMPT }],
  };
  return readBody(JSON.stringify(body), MAX_DEPTH);
}

/** The request of the key's holder, without the headers of the admin. */
export function exchangeFor(exchange: Exchange, key: ApiKey, body: RequestBody) {
  const { request, client, id, signal, chosenFacts } = exchange;
  return new TurnExchange(new Request(request.url), client, { id, key, body, signal, chosenFacts });
}

import { estimateInputTokens } from "#core/count.ts";
import { GatewayError } from "#core/error.ts";
import type { StoredResponse } from "#core/responses.ts";
import type { RequestBody } from "#core/style.ts";
import { isObject, outlineJson, type Json, type JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { countInput } from "#relay/metering/count-input.ts";
import { REQUEST } from "#styles/text/responses/request/fields.ts";
import { responses } from "#styles/text/responses/index.ts";
import { streamableAnswer } from "#http/answer.ts";
import type { ConversationDeps, TextDeps } from "#http/deps/text.ts";
import { requireKey } from "#http/require-key.ts";
import type { Exchange, Endpoint } from "#http/routes.ts";
import { jsonCall } from "#http/api/json-call.ts";
import { RESPONSE } from "./answers.ts";
import { continueConversation, type Continued, type ConversationStore } from "./conversation.ts";
import { generate, type Generation } from "./generate.ts";
import { keepingResponse } from "./kept-response.ts";
import { truncateInput } from "./truncate.ts";

export const createResponse: Endpoint<ConversationDeps> = {
  ...jsonCall(responses, REQUEST),
  operationId: "createResponse",
  tag: "Text",
  answer: streamableAnswer(RESPONSE),
  path: "/v1/responses",
  access: "key",
  family: "text",
  summary:
    "Generates text in the responses style; continues `previous_response_id` on any upstream.",
  handle: serve,
};

async function serve(exchange: Exchange, deps: ConversationDeps): Promise<Response> {
  const generation = creationOf(exchange, deps, {
    store: deps.responses,
    async save(response, isStored) {
      if (isStored) await deps.responses.save(response);
    },
  });
  return await generate(exchange, responses, deps, generation);
}

/** What a response goes on from, and what becomes of it. */
interface Keeping {
  readonly store: ConversationStore;
  /**
   * `isStored`: the client wants to continue it later. Called before the response's last byte is
   * sent.
   */
  save(response: StoredResponse, isStored: boolean): Promise<void>;
  /** Throws if the conversation cannot be continued with this request. */
  check?(asked: Continued): void;
}

/** Creates a response, requested over HTTP or over a WebSocket. */
export function creationOf(
  exchange: Exchange,
  deps: Pick<TextDeps, "channels" | "summarySeal" | "limits" | "clock" | "onError">,
  { store, save, check }: Keeping,
): Required<Pick<Generation, "prepare" | "outlet">> {
  const { userId } = requireKey(exchange);
  let asked: Continued | undefined;
  let isStored = true;
  return {
    async prepare(body) {
      const { bodyBytes } = deps.limits;
      asked = await continueConversation(body.json, userId, deps, store, bodyBytes);
      check?.(asked);
      isStored = body.json["store"] !== false;
      const whole = askedWhole(body, asked, deps);
      if (body.json["truncation"] === "disabled") await refuseTooLong(whole.json, deps);
      return whole;
    },

    outlet: keepingResponse(async (response) => {
      const { id } = response;
      if (asked === undefined || typeof id !== "string") return;
      const { previousId, added } = asked;
      const kept: StoredResponse = {
        id,
        userId,
        ...(previousId === undefined ? {} : { previousId }),
        createdAt: deps.clock.now(),
        input: added,
        response: { ...response, previous_response_id: previousId ?? null, store: isStored },
      };
      await keep({ exchange, deps }, () => save(kept, isStored));
    }),
  };
}

/**
 * The upstream request, completed with the stored conversation as far as the context window allows.
 */
export function askedWhole(
  body: RequestBody,
  { input }: Continued,
  deps: Pick<TextDeps, "channels" | "limits">,
): RequestBody {
  return withInput(body, fitted(input, body.json, deps), deps.limits.jsonDepth);
}

/** A response that was charged is still sent if it could not be stored. */
async function keep(
  { exchange, deps }: { exchange: Exchange; deps: Pick<TextDeps, "onError"> },
  save: () => Promise<void>,
): Promise<void> {
  try {
    await save();
  } catch (cause) {
    const message = "The response could not be stored.";
    deps.onError(new GatewayError("internal", message, { cause }), exchange.id);
  }
}

/**
 * Refuses input that is certain to exceed the context window; an estimate above the window alone is
 * not certain.
 */
async function refuseTooLong(body: JsonObject, deps: Pick<TextDeps, "channels">): Promise<void> {
  const window = Math.max(...windowsOf(body, deps));
  if (estimateInputTokens(body) < window * SURELY_SHORT) return;
  const [candidate] = deps.channels.find(textOf(body["model"]) ?? "") ?? [];
  if (candidate === undefined) return;
  const facts = responses.inbound.readRequest(body, {});
  const tokens = await countInput(responses.inbound.parseRequest(body, facts), candidate.traits);
  if (tokens <= window) return;
  throw new GatewayError(
    "context_length_exceeded",
    `This model's maximum context length is ${window} tokens, but the input has ${tokens}, and ` +
      "'truncation' is 'disabled'. Send less, or set 'truncation' to 'auto'.",
    { param: "input" },
  );
}

/** Share of the window below which an estimate certainly fits. */
const SURELY_SHORT = 0.5;

/** The model's context windows on its channels; infinite if one is unknown. */
function windowsOf(
  { model }: JsonObject,
  { channels }: Pick<TextDeps, "channels">,
): readonly number[] {
  const found = (typeof model === "string" ? channels.find(model) : undefined) ?? [];
  const windows = found.map(({ traits }) => traits.contextTokens ?? Infinity);
  return windows.length === 0 ? [Infinity] : windows;
}

function fitted(
  input: readonly Json[],
  body: JsonObject,
  deps: Pick<TextDeps, "channels">,
): readonly Json[] {
  const { truncation, model } = body;
  if (truncation !== "auto" || typeof model !== "string") return input;
  const windows = (deps.channels.find(model) ?? []).map(({ traits }) => traits.contextTokens);
  const known = windows.filter((tokens) => tokens !== undefined);
  if (known.length === 0) return input;
  const others = { instructions: body["instructions"] ?? null, tools: body["tools"] ?? null };
  return truncateInput(input, estimateInputTokens(others), Math.min(...known));
}

/** Keeps the client's own bytes if nothing was added to them. */
function withInput(body: RequestBody, input: readonly Json[], maxDepth: number): RequestBody {
  const own = body.json["input"];
  const isOwn =
    typeof own === "string" ? input.length === 1 && isPlain(input[0], own) : isSame(own, input);
  if (isOwn) return body;
  const json = { ...body.json, input };
  const text = JSON.stringify(json);
  return { text, outline: outlineJson(text, maxDepth), json };
}

function isPlain(item: Json | undefined, text: string): boolean {
  return isObject(item) && item["role"] === "user" && item["content"] === text;
}

function isSame(own: Json | undefined, input: readonly Json[]): boolean {
  return (
    Array.isArray(own) && own.length === input.length && own.every((item, at) => item === input[at])
  );
}

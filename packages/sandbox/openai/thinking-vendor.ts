import type { ReasoningEffort } from "../engine/conversation.ts";
import { isJsonArray, isJsonObject, jsonText, type Json, type JsonObject } from "../json.ts";
import type { Vendor, VendorError, VendorOptions } from "../vendor.ts";
import type { ChatReply, Choice } from "./chat-reply.ts";
import { compatibleVendor } from "./compatible-vendor.ts";
import { fromUrl, objectOf, textOf } from "./content-parts.ts";
import type { AnswerDialect, DeltaWriter, Thinking } from "./dialect.ts";
import { invalid, type ApiError, type ErrorDetail } from "./error.ts";
import { newId } from "./ids.ts";
import { EVERY_EFFORT, type Model } from "./models.ts";
import { plainMessage } from "./plain-message.ts";
import { plainRequest } from "./plain-request.ts";
import { jsonReply } from "../wire/reply.ts";
import { only } from "./routing.ts";
import { callDelta } from "./tool-deltas.ts";
import type { Totals } from "./usage.ts";

/** A model that thinks, and of which only a few facts differ from those of others. */
export interface ThinkingModel extends Model {
  readonly maxOutputTokens: number;
}

export function thinkingModel(
  id: string,
  contextTokens: number,
  maxOutputTokens: number,
): ThinkingModel {
  return {
    id,
    snapshot: id,
    owner: "system",
    contextTokens,
    maxOutputTokens,
    thinks: "visibly",
    efforts: EVERY_EFFORT,
    usualEffort: "medium",
    isStrict: false,
    speaks: false,
    namesPhases: false,
  };
}

/** A vendor whose models think and show it, and which speaks the chat protocol with little of its own. */
interface ThinkingVendor {
  readonly id: string;
  readonly base: string;
  readonly models: readonly ThinkingModel[];
  /** Throws in the vendor's own words. */
  check(body: JsonObject, model: ThinkingModel): void;
  isThinking(body: JsonObject, model: ThinkingModel): boolean;
  /** Whether the arguments of a call are streamed, and not sent in one piece. */
  streamsCalls?(body: JsonObject): boolean;
  /** Whether thoughts stand among the words, in tags. */
  mixesThoughts?(body: JsonObject): boolean;
  /** How many stop sequences a request may have; four if absent. */
  readonly maxStops?: number;
  /** Where the balance of the account is shown, and how. */
  readonly balance?: { readonly path: string; readonly answer: JsonObject };
  refusal(status: number, detail: ErrorDetail): JsonObject;
  failure(error: VendorError): JsonObject;
}

export function thinkingVendor(vendor: ThinkingVendor, options: VendorOptions): Vendor {
  const find = (id: string) => vendor.models.find((model) => model.id === id);
  return compatibleVendor(
    {
      id: vendor.id,
      base: vendor.base,
      dialect: {
        request: {
          roles: ["system", "user", "assistant", "tool"],
          userParts: {
            video_url(part, path) {
              const url = textOf(objectOf(part, "video_url", path), "url", `${path}.video_url`);
              return { media: fromUrl(url, "video", `${path}.video_url.url`) };
            },
          },
          findModel: find,
          checkSupport(body, { id }) {
            const model = find(id);
            if (model === undefined) return;
            checkRoles(body);
            vendor.check(body, model);
          },
          prepare: plainRequest,
          readThinking(body, { id }) {
            const model = find(id);
            return model !== undefined && vendor.isThinking(body, model)
              ? thinkingIn(body, model)
              : { effort: "none" };
          },
          readSearch: () => undefined,
          needsJsonWord: false,
          maxStops: vendor.maxStops,
        },
        answer: answerOf(vendor),
      },
      models: vendor.models,
      cacheFromTokens: 64,
      newRequestId: () => newId("req-", 24),
      headers: (requestId) => ({ "x-request-id": requestId }),
      refusal: (status, detail) => vendor.refusal(status, detail),
      failure: (error) => vendor.failure(error),
      besides(request, headers) {
        const { balance } = vendor;
        if (balance === undefined || request.path !== balance.path) return undefined;
        return only("GET", request, () => jsonReply(200, balance.answer, headers));
      },
    },
    options,
  );
}

function thinkingIn(body: JsonObject, { usualEffort }: Model): Thinking {
  const asked = EVERY_EFFORT.find((each) => each === body["reasoning_effort"]);
  const effort: ReasoningEffort = asked === undefined || asked === "none" ? usualEffort : asked;
  return { effort };
}

/** In the words of the parsers that these vendors have. */
function checkRoles(body: JsonObject): void {
  const index = messagesIn(body).findIndex((each) => each["role"] === "developer");
  if (index < 0) return;
  throw invalid(
    null,
    null,
    `messages[${index}].role: unknown variant \`developer\`, expected one of \`system\`, \`user\`, \`assistant\`, \`tool\``,
  );
}

export function messagesIn(body: JsonObject): readonly JsonObject[] {
  return (isJsonArray(body["messages"]) ? body["messages"] : []).filter(isJsonObject);
}

export function functionsIn(body: JsonObject): readonly JsonObject[] {
  const tools: readonly Json[] = isJsonArray(body["tools"]) ? body["tools"] : [];
  return tools.flatMap((tool) =>
    isJsonObject(tool) && isJsonObject(tool["function"]) ? [tool["function"]] : [],
  );
}

export function thinkingTypeIn(body: JsonObject): Json | undefined {
  return isJsonObject(body["thinking"]) ? body["thinking"]["type"] : undefined;
}

export function checkLimit(
  body: JsonObject,
  { maxOutputTokens }: ThinkingModel,
  refuse: (name: string, range: string) => ApiError,
): void {
  for (const name of ["max_tokens", "max_completion_tokens"]) {
    const value = body[name] ?? undefined;
    if (value === undefined) continue;
    const isInside = typeof value === "number" && value >= 1 && value <= maxOutputTokens;
    if (!isInside) throw refuse(name, `[1, ${maxOutputTokens}]`);
  }
}

function answerOf({ streamsCalls, mixesThoughts }: ThinkingVendor): AnswerDialect {
  const mixes = ({ request }: ChatReply): boolean => mixesThoughts?.(request.body) === true;
  return {
    newId: () => newId("chatcmpl-", 24),
    newCallId: () => newId("call_", 24),
    common: () => ({}),
    message(choice, pieces, reply) {
      const plain = plainMessage(choice, pieces, reply);
      if (!mixes(reply) || choice.answer.reasoning === "") return plain;
      const { reasoning_content: _, content, ...rest } = plain;
      return {
        ...rest,
        content: `<think>\n${choice.answer.reasoning}\n</think>\n\n${jsonText(content ?? "")}`,
      };
    },
    deltas: (choice, reply) =>
      deltasOf(choice, reply, {
        isMixed: mixes(reply),
        isWhole: streamsCalls?.(reply.request.body) === false,
      }),
    chunkChoice: ({ index, delta, logprobs, finish }) => ({
      index,
      delta,
      logprobs,
      finish_reason: finish,
    }),
    usage,
    showsNullUsage: false,
  };
}

function deltasOf(
  choice: Choice,
  { faults }: ChatReply,
  { isMixed, isWhole }: { readonly isMixed: boolean; readonly isWhole: boolean },
): DeltaWriter {
  const quirks = isWhole ? { ...faults, toolquirks: { style: "whole" } as const } : faults;
  const role = { role: "assistant" };
  const tags = isMixed && choice.answer.reasoning !== "";
  let isOpen = false;
  return {
    opening: { ...role, content: "" },
    delta(piece) {
      switch (piece.kind) {
        case "reasoning": {
          if (!tags) return { reasoning_content: piece.text };
          const before = isOpen ? "" : "<think>\n";
          isOpen = true;
          return { content: before + piece.text };
        }
        case "text":
        case "refusal": {
          const before = isOpen ? "\n</think>\n\n" : "";
          isOpen = false;
          return { content: before + piece.text };
        }
        case "call":
        case "input":
          return callDelta(piece, choice, false, quirks);
      }
    },
    closing: () => ({}),
  };
}

function usage({ prompt, cached, output, reasoning }: Totals): JsonObject {
  return {
    prompt_tokens: prompt.total,
    completion_tokens: output,
    total_tokens: prompt.total + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}

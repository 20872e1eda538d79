import { anthropic } from "@sluice/sandbox/anthropic.ts";
import { isJsonObject, type JsonObject } from "@sluice/sandbox/json.ts";
import { failureBody, invalidParams, refusalOf } from "../error.ts";
import { ApiError } from "@sluice/sandbox/openai/error.ts";
import { messagesIn, thinkingVendor } from "@sluice/sandbox/openai/thinking-vendor.ts";
import type { VendorOptions, VendorRequest } from "@sluice/sandbox/vendor.ts";
import type { Frame } from "@sluice/sandbox/wire/frame.ts";
import { jsonReply, type Reply } from "@sluice/sandbox/wire/reply.ts";
import { check, isThinking, WRITERS } from "./rules.ts";

/** Chat completions, and messages as another vendor knows them; `undefined` for other paths. */
export function textEndpoints(options: VendorOptions) {
  const chat = thinkingVendor(
    {
      id: "minimax",
      base: "/v1",
      models: WRITERS,
      check,
      isThinking,
      mixesThoughts: (body) => body["reasoning_split"] !== true,
      refusal: (status, detail) => refusalOf(new ApiError(status, detail), "v2").body,
      failure: (error) => failureBody(error, "v2"),
    },
    options,
  );
  const messages = anthropic(options);

  async function answer(request: VendorRequest): Promise<Reply> {
    const body = isJsonObject(request.body) ? request.body : {};
    const model = WRITERS.find(({ id }) => id === body["model"]);
    try {
      if (model === undefined) throw invalidParams("unknown model");
      check(body, model);
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      const refused = refusalOf(cause, "v2");
      return jsonReply(refused.status, refused.body);
    }
    const played = playedBody(body);
    const reply = await messages.reply({ ...request, path: "/v1/messages", body: played });
    return renamed(reply, played.model, model.id);
  }

  return {
    chat,
    messages,
    reply(request: VendorRequest): Reply | Promise<Reply> | undefined {
      if (request.path === "/v1/chat/completions") return chat.reply(request);
      return request.path === "/anthropic/v1/messages" ? answer(request) : undefined;
    },
  };
}

/** A model of the style's own vendor answers in its place: one that takes the same kinds of thinking. */
const PLAYED = "claude-opus-4-6";
/** The same for an answer that was begun, where that one goes on with none. */
const PLAYED_BEGUN = "claude-sonnet-4-5-20250929";

/** It takes one sampler and writes less; what was asked for has been checked by then. */
function playedBody({ top_p: _top, ...body }: JsonObject) {
  const isBegun = messagesIn(body).at(-1)?.["role"] === "assistant";
  const { thinking, ...unthinking } = body;
  const limit = body["max_tokens"];
  const most = isBegun ? 64_000 : 128_000;
  return {
    ...(isBegun || thinking === undefined ? unthinking : body),
    ...(typeof limit === "number" ? { max_tokens: Math.min(limit, most) } : {}),
    model: isBegun ? PLAYED_BEGUN : PLAYED,
  };
}

function renamed(reply: Reply, played: string, id: string): Reply {
  const own = (text: string): string => text.replace(`"model":"${played}"`, `"model":"${id}"`);
  if (reply.body.kind === "bytes") {
    const text = own(new TextDecoder().decode(reply.body.bytes));
    return { ...reply, body: { ...reply.body, bytes: new TextEncoder().encode(text) } };
  }
  if (reply.body.kind !== "events") return reply;
  const { frames } = reply.body;
  function* named(): Iterable<Frame> {
    for (const frame of frames) yield { ...frame, data: own(frame.data) };
  }
  return { ...reply, body: { ...reply.body, frames: named() } };
}

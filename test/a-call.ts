import type { JsonObject } from "#lib/json.ts";
import type { Call } from "#relay/call.ts";
import { NO_USAGE } from "#core/usage.ts";
import { chat } from "#styles/text/chat/index.ts";

/** A call of chat completions, with fields of its body. */
export function aCall(fields: JsonObject = {}): Call {
  const json: JsonObject = {
    model: "m",
    messages: [{ role: "user", content: "Hello." }],
    ...fields,
  };
  return {
    id: "call",
    key: { id: 1, userId: 1, name: "k", status: 1, models: ["*"], accounts: ["user:1"] },
    style: chat,
    body: {
      text: "",
      json,
      outline: { members: new Map(), repeated: new Set(), depth: 1, parts: 0 },
    },
    facts: chat.inbound.readRequest(json, {}),
    inputTokens: 1,
    header: () => undefined,
    isStrict: false,
    signal: new AbortController().signal,
    at: 0,
    startedAt: 0,
    now: () => 0,
    count: async () => NO_USAGE,
  };
}

import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import type { JsonObject } from "#lib/json.ts";
import { CHAT } from "../raw-fields.ts";
import { textOf } from "#lib/values.ts";

/** The tiers that clients of this style know; another vendor's mean nothing to them. */
const TIERS = new Set(["auto", "default", "flex", "scale", "priority", "fast"]);

/** What an answer and each of its chunks begin with. */
export function headOfAnswer(
  start: Extract<ChatEvent, { type: "start" }> | undefined,
  request: ChatRequest,
  object: "chat.completion" | "chat.completion.chunk",
): JsonObject {
  const own = start?.extra?.[CHAT];
  const tier = textOf(own?.["service_tier"]);
  const fingerprint = textOf(own?.["system_fingerprint"]);
  return {
    id: answerId(start?.id ?? ""),
    object,
    created: Math.floor((start?.createdAt ?? 0) / 1_000),
    model: start === undefined || start.model === "" ? request.model : start.model,
    ...(tier !== undefined && TIERS.has(tier) ? { service_tier: tier } : {}),
    ...(fingerprint === undefined ? {} : { system_fingerprint: fingerprint }),
  };
}

/** One of ours is letters and digits alone; an upstream's stays as it is. */
function answerId(id: string): string {
  return /^[A-Za-z0-9]{24}$/.test(id) ? `chatcmpl-${id}` : id;
}

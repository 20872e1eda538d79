import { createHash } from "node:crypto";
import { isArray, isObject, type Json } from "#lib/json.ts";
import { listOf, memberOf } from "#lib/values.ts";
import type { Call } from "../call.ts";

/** Identifies a conversation by its first turns, which stay the same as it grows. */
export interface ConversationDigests {
  /**
   * Digest of the user's first message. Other conversations may start alike, unless their clients
   * send session ids.
   */
  readonly beginning: string;
  /** Digest including the first answer, if there is one; two conversations rarely share it. */
  readonly answered?: string;
}

/** Instructions before the user's first message may change, and are not a turn. */
const SYSTEM_ROLES = new Set<Json | undefined>(["system", "developer"]);
/** Characters per turn, enough to distinguish conversations. */
const MAX_READ = 4_096;

export function conversationDigests({
  key,
  style,
  body,
  tags,
}: Pick<Call, "key" | "style" | "body" | "tags">): ConversationDigests | undefined {
  const said = body.json[style.conversationField];
  const items = isArray(said) ? said : said === undefined ? [] : [said];
  const first = items.findIndex((item) => !SYSTEM_ROLES.has(memberOf(item, "role")));
  if (first < 0) return undefined;
  const { session = "", agent = "" } = tags ?? {};
  const beginning = digestOf(`${key.userId}`, session, agent, textOf(items[first]));
  const answer = items.slice(first + 1).find((item) => !isUsers(item));
  if (answer === undefined) return { beginning };
  return { beginning, answered: digestOf(beginning, textOf(answer)) };
}

function isUsers(item: Json): boolean {
  const role = memberOf(item, "role");
  return role === "user" || SYSTEM_ROLES.has(role);
}

function digestOf(...parts: readonly string[]): string {
  return createHash("sha256").update(parts.join("\n")).digest("base64url").slice(0, 27);
}

/** The start of an item's text, without cache marks that move as the conversation grows. */
function textOf(item: Json | undefined): string {
  let text = "";
  const read = (value: Json | undefined): void => {
    if (text.length >= MAX_READ) return;
    if (typeof value === "string") text += `${value.slice(0, MAX_READ - text.length)}\n`;
    else if (isArray(value)) listOf(value).forEach(read);
    else if (isObject(value)) {
      for (const name in value) if (name !== "cache_control") read(value[name]);
    }
  };
  read(item);
  return text;
}

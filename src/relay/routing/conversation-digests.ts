import { createHash } from "node:crypto";
import { isArray, isObject, type Json } from "#lib/json.ts";
import { listOf, memberOf } from "#lib/values.ts";
import type { Call } from "../call.ts";

/** By what a conversation is known again: its first turns stay the same as it grows. */
interface ConversationDigests {
  /** Of what the user said first; other conversations may begin alike, unless their clients name sessions. */
  readonly beginning: string;
  /** With the first answer, if there is one; two conversations rarely share it. */
  readonly answered?: string;
}

/** Whatever came before the user's first words: instructions change, and are no turn. */
const SYSTEM_ROLES = new Set<Json | undefined>(["system", "developer"]);
/** Of each turn, in characters: enough to tell conversations apart. */
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

/** The beginning of all that an item says, without marks that move as the conversation grows. */
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

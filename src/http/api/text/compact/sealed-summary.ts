import { GatewayError } from "#core/error.ts";
import { randomBase62 } from "#lib/ids.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import type { Seal } from "#lib/seal.ts";
import { textOf } from "#lib/values.ts";
import { COMPACTION } from "#styles/text/responses/conversation/compaction.ts";

/** Prefix that distinguishes this gateway's summaries from a vendor's encrypted content. */
const MARK = "sluice-summary.";

/** An item that only this gateway can decrypt, and only for the user of the conversation. */
export function sealSummary(summary: string, userId: number, seal: Seal): JsonObject {
  return {
    id: `cmp_${randomBase62(24)}`,
    type: COMPACTION,
    encrypted_content: MARK + seal.close(Buffer.from(summary), contextOf(userId)),
  };
}

/**
 * The conversation with decrypted summaries as messages, which every upstream can read. A vendor's
 * encrypted items stay unchanged. Throws for a summary of another user.
 */
export function withOpenSummaries(
  items: readonly Json[],
  userId: number,
  seal: Seal,
): readonly Json[] {
  if (!items.some((item) => sealedIn(item) !== undefined)) return items;
  return items.map((item, index) => {
    const sealed = sealedIn(item);
    return sealed === undefined ? item : messageOf(openSummary(sealed, userId, seal, index));
  });
}

function sealedIn(item: Json): string | undefined {
  if (!isObject(item) || item["type"] !== COMPACTION) return undefined;
  const sealed = textOf(item["encrypted_content"]);
  return sealed?.startsWith(MARK) === true ? sealed.slice(MARK.length) : undefined;
}

function openSummary(sealed: string, userId: number, seal: Seal, index: number): string {
  const summary = seal.open(sealed, contextOf(userId));
  if (summary !== undefined) return new TextDecoder().decode(summary);
  throw new GatewayError(
    "invalid_request",
    `'input[${index}].encrypted_content' cannot be read: it is of another user or another gateway, or was changed. Send the conversation itself.`,
    { param: `input[${index}].encrypted_content` },
  );
}

function messageOf(summary: string): JsonObject {
  return {
    type: "message",
    role: "user",
    content: `Summary of the conversation so far:\n\n${summary}`,
  };
}

function contextOf(userId: number): string {
  return `user:${userId}`;
}

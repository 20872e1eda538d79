import { GatewayError } from "#core/error.ts";
import { referencesTooLong, type ResponseStore } from "#core/responses.ts";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";
import type { Seal } from "#lib/seal.ts";
import { withOpenSummaries } from "./compact/sealed-summary.ts";

/** The new items of a call, and the whole conversation with them. */
export interface Continued {
  /** The client's own items, with references resolved. */
  readonly added: readonly Json[];
  /**
   * The input for the upstream: earlier turns and the new items, with this gateway's summaries as
   * messages.
   */
  readonly input: readonly Json[];
  /** The same, with summaries still encrypted as the client sent them. */
  readonly sealed: readonly Json[];
  readonly previousId: string | undefined;
}

/** Look-up of earlier turns and their items. */
export type ConversationStore = Pick<ResponseStore, "findConversation" | "findItems">;

/** Completes a Responses request with the stored conversation that it continues. */
export async function continueConversation(
  body: JsonObject,
  userId: number,
  { summarySeal }: { readonly summarySeal: Seal },
  store: ConversationStore,
  maxChars: number,
): Promise<Continued> {
  const { previous_response_id: previous } = body;
  const previousId = typeof previous === "string" && previous !== "" ? previous : undefined;
  const added = await withoutReferences(inputItems(body["input"]), userId, store, maxChars);
  const earlier =
    previousId === undefined ? [] : await itemsUpTo(previousId, userId, store, maxChars);
  const sealed = [...earlier, ...added];
  return { added, sealed, input: withOpenSummaries(sealed, userId, summarySeal), previousId };
}

/** Input as items; a plain string is what the user says. */
function inputItems(input: Json | undefined): readonly Json[] {
  if (isArray(input)) return input;
  return typeof input === "string" ? [{ role: "user", content: input }] : [];
}

async function itemsUpTo(
  id: string,
  userId: number,
  store: ConversationStore,
  maxChars: number,
): Promise<readonly Json[]> {
  const turns = await store.findConversation(userId, id, maxChars);
  if (turns === undefined) {
    throw new GatewayError("not_found", `Previous response with id '${shown(id)}' not found.`, {
      param: "previous_response_id",
    });
  }
  return turns.flatMap(({ input, response: { output } }) => [
    ...input,
    ...(isArray(output) ? output : []),
  ]);
}

/** Clients refer to items of earlier responses by id instead of sending them again. */
async function withoutReferences(
  items: readonly Json[],
  userId: number,
  store: ConversationStore,
  maxChars: number,
): Promise<readonly Json[]> {
  const ids = items.map(referenceIn).filter((id) => id !== undefined);
  if (ids.length === 0) return items;
  const known = await store.findItems(userId, ids, maxChars);
  // A short reference may stand for a large item, and may be repeated: limit the expanded size.
  const sizes = new Map([...known].map(([id, item]) => [id, JSON.stringify(item).length]));
  const chars = ids.reduce((sum, id) => sum + (sizes.get(id) ?? 0), 0);
  if (chars > maxChars) throw referencesTooLong();
  return items.map((item, index) => {
    const id = referenceIn(item);
    if (id === undefined) return item;
    const found = known.get(id);
    if (found !== undefined) return found;
    throw new GatewayError("not_found", `Item with id '${shown(id)}' not found.`, {
      param: `input[${index}]`,
    });
  });
}

/** A reference may omit its type, and then has only an id. */
function referenceIn(item: Json): string | undefined {
  if (!isObject(item) || typeof item["id"] !== "string") return undefined;
  const isReference =
    item["type"] === "item_reference" ||
    (!("type" in item) && !("role" in item) && !("content" in item));
  return isReference ? item["id"] : undefined;
}

function shown(id: string): string {
  return id.slice(0, 128);
}

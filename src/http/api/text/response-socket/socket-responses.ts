import { referencesTooLong, type ResponseStore, type StoredResponse } from "#core/responses.ts";
import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import { listOf } from "#lib/values.ts";

/** A response with the responses that it continues, oldest first. */
interface Kept {
  readonly turns: readonly StoredResponse[];
  readonly chars: number;
  /** It is also in the database. */
  readonly isStored: boolean;
}

/**
 * Responses that a WebSocket can continue: its own, stored or not, and those in the database. Its
 * own are forgotten when the connection closes, or when newer ones need the space.
 */
export class SocketResponses implements Pick<ResponseStore, "findConversation" | "findItems"> {
  readonly #store: ResponseStore;
  readonly #userId: number;
  readonly #kept = new Map<string, Kept>();
  #chars = 0;

  constructor(store: ResponseStore, userId: number) {
    this.#store = store;
    this.#userId = userId;
  }

  async findConversation(
    userId: number,
    id: string,
    maxChars: number,
  ): Promise<readonly StoredResponse[] | undefined> {
    const kept = this.#kept.get(id);
    if (kept === undefined) return await this.#store.findConversation(userId, id, maxChars);
    if (kept.chars > maxChars) throw referencesTooLong();
    return kept.turns;
  }

  async findItems(
    userId: number,
    itemIds: readonly string[],
    maxChars: number,
  ): Promise<ReadonlyMap<string, JsonObject>> {
    const found = new Map<string, JsonObject>();
    const wanted = new Set(itemIds);
    for (const { turns } of this.#kept.values()) {
      for (const item of turns.flatMap(({ response }) => listOf(response["output"]))) {
        const id = isObject(item) ? item["id"] : undefined;
        if (isObject(item) && typeof id === "string" && wanted.has(id)) found.set(id, item);
      }
    }
    const others = itemIds.filter((id) => !found.has(id));
    if (others.length === 0) return found;
    return new Map([...found, ...(await this.#store.findItems(userId, others, maxChars))]);
  }

  /**
   * Keeps a response for this connection, with at most `maxChars` in total; the oldest are dropped
   * first.
   */
  async keep(response: StoredResponse, isStored: boolean, maxChars: number): Promise<void> {
    const earlier = await this.#earlierOf(response, maxChars);
    if (earlier === undefined) return;
    const own = JSON.stringify(response.input).length + JSON.stringify(response.response).length;
    const chars = earlier.chars + own;
    this.forget(response.id);
    if (chars > maxChars) return;
    this.#kept.set(response.id, { turns: [...earlier.turns, response], chars, isStored });
    this.#chars += chars;
    for (const [id] of this.#kept) {
      if (this.#chars <= maxChars) break;
      this.forget(id);
    }
  }

  forget(id: string): void {
    this.#chars -= this.#kept.get(id)?.chars ?? 0;
    this.#kept.delete(id);
  }

  clear(): void {
    this.#kept.clear();
    this.#chars = 0;
  }

  /**
   * The response in the form for the database. If it continues a response that only this connection
   * holds, it includes the whole conversation.
   */
  toStore(response: StoredResponse): StoredResponse {
    const { previousId, ...rest } = response;
    const previous = previousId === undefined ? undefined : this.#kept.get(previousId);
    if (previous === undefined || previous.isStored) return response;
    const earlier = previous.turns.flatMap((turn): readonly Json[] => [
      ...turn.input,
      ...listOf(turn.response["output"]),
    ]);
    return { ...rest, input: [...earlier, ...response.input] };
  }

  async #earlierOf(
    { previousId }: StoredResponse,
    maxChars: number,
  ): Promise<Pick<Kept, "turns" | "chars"> | undefined> {
    if (previousId === undefined) return { turns: [], chars: 0 };
    const kept = this.#kept.get(previousId);
    if (kept !== undefined) return kept;
    const turns = await this.#store
      .findConversation(this.#userId, previousId, maxChars)
      .catch(() => undefined);
    return turns === undefined ? undefined : { turns, chars: JSON.stringify(turns).length };
  }
}

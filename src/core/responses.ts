import { GatewayError } from "./error.ts";
import type { Json, JsonObject } from "#lib/json.ts";

/** One answer of the responses style, kept so that a later call can go on from it. */
export interface StoredResponse {
  readonly id: string;
  /** Nobody else ever sees it. */
  readonly userId: number;
  readonly previousId?: string;
  /** Unix ms. */
  readonly createdAt: number;
  /** What this call added to the conversation, as the caller wrote it. */
  readonly input: readonly Json[];
  /** The response object, as the caller got it. */
  readonly response: JsonObject;
}

/** What belongs to somebody else answers exactly as what does not exist. */
export interface ResponseStore {
  save(stored: StoredResponse): Promise<void>;
  find(userId: number, id: string): Promise<StoredResponse | undefined>;
  /**
   * A response and all that it goes on from, oldest first; `undefined` where
   * any of them is gone. Throws `context_length_exceeded` where they are longer
   * than `maxChars` together: all of them are held at once.
   */
  findConversation(
    userId: number,
    id: string,
    maxChars: number,
  ): Promise<readonly StoredResponse[] | undefined>;
  /**
   * Output items by their own ids; those that are not there are left out.
   * Throws `context_length_exceeded` as a conversation does: the responses that
   * they stand in are all held at once.
   */
  findItems(
    userId: number,
    itemIds: readonly string[],
    maxChars: number,
  ): Promise<ReadonlyMap<string, JsonObject>>;
  /** False where there is none. */
  delete(userId: number, id: string): Promise<boolean>;
  /** Deletes at most `limit` of those made before `before` (Unix ms); says how many. */
  prune(before: number, limit: number): Promise<number>;
}

export function referencesTooLong(): GatewayError {
  return new GatewayError(
    "context_length_exceeded",
    "What this request refers to is too long; send what matters of it instead.",
    { param: "input" },
  );
}

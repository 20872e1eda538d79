import { GatewayError } from "./error.ts";
import type { Json, JsonObject } from "#lib/json.ts";

/** A stored response of the responses style, which a later call can continue. */
export interface StoredResponse {
  readonly id: string;
  /** Only this user can read it. */
  readonly userId: number;
  readonly previousId?: string;
  /** Unix ms. */
  readonly createdAt: number;
  /** The input that this call added to the conversation, as the client wrote it. */
  readonly input: readonly Json[];
  /** The response object as sent to the client. */
  readonly response: JsonObject;
}

/** The store of responses. Another user's response is reported as missing. */
export interface ResponseStore {
  save(stored: StoredResponse): Promise<void>;
  find(userId: number, id: string): Promise<StoredResponse | undefined>;
  /**
   * A response and all its predecessors, oldest first; `undefined` if any of
   * them is missing. Throws `context_length_exceeded` if their total exceeds
   * `maxChars`, because all of them are in memory at once.
   */
  findConversation(
    userId: number,
    id: string,
    maxChars: number,
  ): Promise<readonly StoredResponse[] | undefined>;
  /**
   * Output items by their ids; missing items are omitted. Throws
   * `context_length_exceeded` like `findConversation`, because the responses
   * that contain them are all in memory at once.
   */
  findItems(
    userId: number,
    itemIds: readonly string[],
    maxChars: number,
  ): Promise<ReadonlyMap<string, JsonObject>>;
  /** False if it does not exist. */
  delete(userId: number, id: string): Promise<boolean>;
  /** Deletes at most `limit` responses created before `before` (Unix ms); returns their number. */
  prune(before: number, limit: number): Promise<number>;
}

export function referencesTooLong(): GatewayError {
  return new GatewayError(
    "context_length_exceeded",
    "The items that this request refers to are too long. Send only the relevant content.",
    { param: "input" },
  );
}

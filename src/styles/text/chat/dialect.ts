import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";

/**
 * In which ways a vendor's reading of chat completions is narrower than the
 * style. Declared by the provider; what is not declared is as in the style.
 */
export interface ChatDialect {
  /** Knows `system` only: `developer` is renamed. */
  readonly developerRole?: false;
  /** Knows `max_tokens` only. */
  readonly maxCompletionTokens?: false;
  /** Refuses `stream_options`; it reports usage in every stream. */
  readonly streamOptions?: false;
  /** Members that make it refuse the request; they only tune, so they are left out. */
  readonly refuses?: readonly string[];
  /** Members of a message that make it refuse the request. */
  readonly refusesInMessages?: readonly string[];
}

type Edits = Record<string, Json | undefined>;

/** What to change in an outgoing body so that a vendor of this dialect takes it. */
export function adaptToDialect(body: JsonObject, dialect: ChatDialect): Readonly<Edits> {
  const edits: Edits = {};
  if (dialect.maxCompletionTokens === false && body["max_completion_tokens"] !== undefined) {
    edits["max_completion_tokens"] = undefined;
    edits["max_tokens"] ??= body["max_tokens"] ?? body["max_completion_tokens"];
  }
  if (dialect.streamOptions === false && body["stream_options"] !== undefined) {
    edits["stream_options"] = undefined;
  }
  for (const field of dialect.refuses ?? []) {
    if (body[field] !== undefined) edits[field] = undefined;
  }
  const messages = adaptMessages(body["messages"], dialect);
  if (messages !== undefined) edits["messages"] = messages;
  return edits;
}

/** `undefined` where nothing changes, so that the caller's bytes can stay. */
function adaptMessages(messages: Json | undefined, dialect: ChatDialect): Json | undefined {
  if (!isArray(messages)) return undefined;
  let isChanged = false;
  const adapted = messages.map((message) => {
    if (!isObject(message)) return message;
    const renamed = dialect.developerRole === false && message["role"] === "developer";
    const dropped = (dialect.refusesInMessages ?? []).filter((field) => field in message);
    if (!renamed && dropped.length === 0) return message;

    isChanged = true;
    const kept = Object.entries(message).filter(([key]) => !dropped.includes(key));
    return { ...Object.fromEntries(kept), ...(renamed ? { role: "system" } : {}) };
  });
  return isChanged ? adapted : undefined;
}

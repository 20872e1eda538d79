import { promptOf, type Plan } from "../vendor/plan.ts";

/** What a caller saw of a call. */
export interface Outcome {
  readonly id: string;
  readonly status: number;
  /** Tokens of the answer that arrived. */
  readonly tokens: number;
  readonly end: End;
  readonly durationMs: number;
}

/**
 * `whole`: an answer that ended without an error, complete or not. `told`: an error
 * that the caller can see: a status, an error event, an answer that is no JSON, or
 * a broken connection. `hangs`: no end within the limit. `left`: the caller hung up.
 */
export type End = "whole" | "told" | "hangs" | "left";

export interface CallOptions {
  readonly url: string;
  readonly secret: string;
  /** Members of the request that name the model. */
  readonly model: Readonly<Record<string, unknown>>;
  /** A plan, or the prompt itself. */
  readonly plan: Plan | string;
  readonly isStream: boolean;
  /** The caller hangs up after so many tokens of a stream. */
  readonly leaveAfterTokens?: number;
  /** The caller hangs up after this time. */
  readonly leaveAfterMs?: number;
  readonly limitMs?: number;
}

const LIMIT_MS = 60_000;

/** Never throws: what goes wrong is the outcome. */
export async function call(options: CallOptions): Promise<Outcome> {
  const { plan, isStream, leaveAfterMs, limitMs = LIMIT_MS } = options;
  const id = typeof plan === "string" ? "" : plan.id;
  const startedAt = performance.now();
  const hangUp = new AbortController();
  let why: End = "told";
  const stopAs = (end: End): void => {
    why = end;
    hangUp.abort();
  };
  const limit = setTimeout(() => stopAs("hangs"), limitMs);
  const leave = leaveAfterMs === undefined ? 0 : setTimeout(() => stopAs("left"), leaveAfterMs);
  const seen = { status: 0, tokens: 0 };
  let end: End;
  try {
    const response = await send(options, hangUp.signal);
    seen.status = response.status;
    if (!response.ok) {
      await response.text();
      end = "told";
    } else if (isStream) {
      end = await readStream(response, seen, options.leaveAfterTokens, () => stopAs("left"));
    } else end = readWhole(await response.text(), seen);
  } catch {
    end = why;
  } finally {
    clearTimeout(limit);
    clearTimeout(leave);
  }
  return { id, ...seen, end, durationMs: performance.now() - startedAt };
}

function send(
  { url, secret, model, plan, isStream }: CallOptions,
  signal: AbortSignal,
): Promise<Response> {
  const content = typeof plan === "string" ? plan : promptOf(plan);
  const tokens = typeof plan === "string" ? undefined : plan.tokens;
  return fetch(`${url}/v1/chat/completions`, {
    method: "POST",
    headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
    body: JSON.stringify({
      ...model,
      messages: [{ role: "user", content }],
      // A gateway that reserves money reserves for the tokens that the call may have.
      ...(tokens === undefined ? {} : { max_tokens: tokens }),
      ...(isStream ? { stream: true, stream_options: { include_usage: true } } : {}),
    }),
    signal,
  });
}

interface Seen {
  tokens: number;
}

interface ChatAnswer {
  readonly error?: unknown;
  readonly choices?: readonly {
    readonly message?: { readonly content?: unknown };
    readonly delta?: { readonly content?: unknown };
  }[];
}

function readWhole(text: string, seen: Seen): End {
  const answer = parsed(text);
  if (answer === undefined || hasError(answer)) return "told";
  const content = answer.choices?.[0]?.message?.content;
  if (typeof content === "string") seen.tokens = countWords(content);
  return "whole";
}

async function readStream(
  response: Response,
  seen: Seen,
  leaveAfterTokens: number | undefined,
  leave: () => void,
): Promise<End> {
  const decoder = new TextDecoder();
  let held = "";
  for await (const bytes of response.body ?? []) {
    held += decoder.decode(bytes as Uint8Array, { stream: true });
    const lines = held.split("\n");
    held = lines.pop() ?? "";
    for (const line of lines) {
      const data = line.startsWith("data:") ? line.slice(5).trim() : "";
      if (data === "" || data === "[DONE]") continue;
      const event = parsed(data);
      if (event === undefined || hasError(event)) return "told";
      const content = event.choices?.[0]?.delta?.content;
      if (typeof content === "string") seen.tokens += countWords(content);
    }
    if (leaveAfterTokens !== undefined && seen.tokens >= leaveAfterTokens) {
      leave();
      return "left";
    }
  }
  return "whole";
}

const hasError = ({ error }: ChatAnswer): boolean => error !== undefined && error !== null;

function parsed(text: string): ChatAnswer | undefined {
  try {
    return JSON.parse(text) as ChatAnswer;
  } catch {
    return undefined;
  }
}

/** The vendor's answers have one token a word. */
function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => word !== "").length;
}

/** A request body as far as this gateway reads it. */
export interface ChatRequest {
  readonly model: string;
  readonly isStream: boolean;
  readonly maxTokens: number | undefined;
}

const RANGES: readonly (readonly [field: string, least: number, most: number])[] = [
  ["temperature", 0, 2],
  ["top_p", 0, 1],
  ["presence_penalty", -2, 2],
  ["frequency_penalty", -2, 2],
  ["n", 1, 128],
  ["max_tokens", 1, 1e9],
  ["max_completion_tokens", 1, 1e9],
  ["top_logprobs", 0, 20],
];
const BOOLEANS = ["stream", "logprobs", "store", "parallel_tool_calls"];
const LISTS = ["tools", "modalities"];

/** The checked request, or the field that is wrong. One loop over each kind of field. */
export function checkChat(text: string): ChatRequest | string {
  const body = parse(text);
  if (body === undefined) return "body";
  const { model, messages } = body;
  if (typeof model !== "string") return "model";
  if (!Array.isArray(messages) || messages.length === 0) return "messages";
  for (const message of messages) if (!isMessage(message)) return "messages";
  for (const [field, least, most] of RANGES) {
    const value = body[field];
    if (value === undefined || value === null) continue;
    if (typeof value !== "number" || value < least || value > most) return field;
  }
  for (const field of BOOLEANS) {
    if (body[field] !== undefined && typeof body[field] !== "boolean") return field;
  }
  for (const field of LISTS) {
    if (body[field] !== undefined && !Array.isArray(body[field])) return field;
  }
  const maxTokens = body["max_completion_tokens"] ?? body["max_tokens"];
  return {
    model,
    isStream: body["stream"] === true,
    maxTokens: typeof maxTokens === "number" ? maxTokens : undefined,
  };
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return isRecord(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

function isMessage(message: unknown): boolean {
  if (!isRecord(message)) return false;
  const { role, content } = message;
  if (typeof role !== "string") return false;
  return (
    typeof content === "string" ||
    Array.isArray(content) ||
    content === null ||
    content === undefined
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export interface Tokens {
  readonly input: number;
  readonly output: number;
}

/** Usage stands near the end of an answer, so it is searched for there and nothing is parsed. */
export function findUsage(text: string): Tokens | undefined {
  const at = text.lastIndexOf('"usage":{');
  if (at === -1) return undefined;
  return {
    input: numberAfter(text, '"prompt_tokens":', at),
    output: numberAfter(text, '"completion_tokens":', at),
  };
}

function numberAfter(text: string, name: string, from: number): number {
  let at = text.indexOf(name, from);
  if (at === -1) return 0;
  at += name.length;
  let value = 0;
  for (let digit = text.charCodeAt(at) - 48; digit >= 0 && digit <= 9;) {
    value = value * 10 + digit;
    digit = text.charCodeAt(++at) - 48;
  }
  return value;
}

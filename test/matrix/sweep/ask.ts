import type { JsonObject } from "#lib/json.ts";

/**
 * One usual setting of a request, written in the words of each caller style.
 * A style that has no words for it is left out.
 */
export interface Setting {
  readonly name: string;
  readonly chat?: Edit;
  readonly responses?: Edit;
  readonly messages?: Edit;
  readonly gemini?: Edit;
}

/** Members to add to the plain question, or a whole new body made of it. */
export type Edit = JsonObject | ((body: JsonObject) => JsonObject);

export type CallerStyle = "chat" | "responses" | "messages" | "gemini";

export const CALLER_STYLES: readonly CallerStyle[] = ["chat", "responses", "messages", "gemini"];

interface RequestSpec {
  readonly path: string;
  readonly body: JsonObject;
}

/** The plain question of a style, with one setting. `undefined` if the style has no words for it. */
export function ask(
  style: CallerStyle,
  model: string,
  setting: Setting,
  { stream, text }: { readonly stream: boolean; readonly text: string },
): RequestSpec | undefined {
  const edit = setting[style];
  if (edit === undefined) return undefined;
  const plain = DEFAULTS[style](model, text);
  const body = typeof edit === "function" ? edit(plain) : { ...plain, ...edit };
  if (style !== "gemini") return { path: PATHS[style], body: stream ? { ...body, stream } : body };
  const verb = stream ? "streamGenerateContent?alt=sse" : "generateContent";
  return { path: `/v1beta/models/${model}:${verb}`, body };
}

const PATHS = {
  chat: "/v1/chat/completions",
  responses: "/v1/responses",
  messages: "/v1/messages",
};

const DEFAULTS: Readonly<Record<CallerStyle, (model: string, text: string) => JsonObject>> = {
  chat: (model, text) => ({ model, messages: [{ role: "user", content: text }] }),
  responses: (model, text) => ({ model, input: [{ role: "user", content: text }] }),
  messages: (model, text) => ({
    model,
    max_tokens: 2_000,
    messages: [{ role: "user", content: text }],
  }),
  gemini: (_model, text) => ({ contents: [{ role: "user", parts: [{ text }] }] }),
};

export const STYLES = ["chat", "responses", "messages", "native"] as const;
export type Style = (typeof STYLES)[number];

export interface Turn {
  readonly role: "user" | "assistant";
  readonly text: string;
  /** Pictures as data URLs. */
  readonly images: readonly string[];
}

export interface ChatOptions {
  readonly model: string;
  readonly system: string;
  readonly stream: boolean;
  readonly effort: "none" | "low" | "medium" | "high";
  readonly maxTokens: number | undefined;
  readonly temperature: number | undefined;
  readonly tools: readonly Tool[];
  readonly schema: unknown;
  readonly search: boolean;
}

interface Tool {
  readonly name: string;
  readonly description?: string;
  readonly parameters?: unknown;
}

/** What an answer adds up to; each style's events fill it. */
export interface Answer {
  text: string;
  reasoning: string;
  tools: { name: string; input: string }[];
  inputTokens: number | undefined;
  outputTokens: number | undefined;
}

export interface Written {
  readonly path: string;
  readonly body: unknown;
}

const DEFAULT_MESSAGES_TOKENS = 4_096;
const THINKING = { low: 1_024, medium: 4_096, high: 16_384 };

/** The request in the wire format of a style, as its own clients write it. */
export function writeRequest(style: Style, turns: readonly Turn[], options: ChatOptions): Written {
  switch (style) {
    case "chat":
      return { path: "/v1/chat/completions", body: chatBody(turns, options) };
    case "responses":
      return { path: "/v1/responses", body: responsesBody(turns, options) };
    case "messages":
      return { path: "/v1/messages", body: messagesBody(turns, options) };
    case "native": {
      const verb = options.stream ? "streamGenerateContent?alt=sse" : "generateContent";
      return {
        path: `/v1beta/models/${encodeURIComponent(options.model)}:${verb}`,
        body: nativeBody(turns, options),
      };
    }
  }
}

function chatBody(turns: readonly Turn[], options: ChatOptions): object {
  const { model, system, stream, effort, maxTokens, temperature, tools, schema, search } = options;
  const messages = turns.map(({ role, text, images }) => ({
    role,
    content:
      images.length === 0
        ? text
        : [
            { type: "text", text },
            ...images.map((url) => ({ type: "image_url", image_url: { url } })),
          ],
  }));
  return without({
    model,
    messages: system === "" ? messages : [{ role: "system", content: system }, ...messages],
    stream: stream || undefined,
    stream_options: stream ? { include_usage: true } : undefined,
    reasoning_effort: effort === "none" ? undefined : effort,
    max_completion_tokens: maxTokens,
    temperature,
    tools:
      tools.length === 0 ? undefined : tools.map((each) => ({ type: "function", function: each })),
    response_format:
      schema === undefined
        ? undefined
        : { type: "json_schema", json_schema: { name: "answer", schema, strict: true } },
    web_search_options: search ? {} : undefined,
  });
}

function responsesBody(turns: readonly Turn[], options: ChatOptions): object {
  const { model, system, stream, effort, maxTokens, temperature, tools, schema, search } = options;
  const given: unknown[] = tools.map((each) => ({ type: "function", ...each }));
  if (search) given.push({ type: "web_search" });
  return without({
    model,
    instructions: system || undefined,
    input: turns.map(({ role, text, images }) => ({
      role,
      content: [
        { type: role === "user" ? "input_text" : "output_text", text },
        ...images.map((image_url) => ({ type: "input_image", image_url })),
      ],
    })),
    stream: stream || undefined,
    reasoning: effort === "none" ? undefined : { effort, summary: "auto" },
    max_output_tokens: maxTokens,
    temperature,
    tools: given.length === 0 ? undefined : given,
    text:
      schema === undefined
        ? undefined
        : { format: { type: "json_schema", name: "answer", schema, strict: true } },
  });
}

function messagesBody(turns: readonly Turn[], options: ChatOptions): object {
  const { model, system, stream, effort, maxTokens, temperature, tools, schema, search } = options;
  const budget = effort === "none" ? undefined : THINKING[effort];
  const given: unknown[] = tools.map(({ parameters, ...each }) => ({
    ...each,
    input_schema: parameters ?? { type: "object" },
  }));
  if (search) given.push({ type: "web_search_20250305", name: "web_search" });
  return without({
    model,
    system: system || undefined,
    messages: turns.map(({ role, text, images }) => ({
      role,
      content: [
        ...images.map((url) => ({ type: "image", source: base64Of(url) })),
        { type: "text", text },
      ],
    })),
    stream: stream || undefined,
    max_tokens: Math.max(
      maxTokens ?? DEFAULT_MESSAGES_TOKENS,
      budget === undefined ? 1 : budget + 1_024,
    ),
    thinking: budget === undefined ? undefined : { type: "enabled", budget_tokens: budget },
    temperature,
    tools: given.length === 0 ? undefined : given,
    output_config: schema === undefined ? undefined : { format: { type: "json_schema", schema } },
  });
}

function nativeBody(turns: readonly Turn[], options: ChatOptions): object {
  const { system, effort, maxTokens, temperature, tools, schema, search } = options;
  const given: unknown[] = [];
  if (tools.length > 0) given.push({ functionDeclarations: tools });
  if (search) given.push({ googleSearch: {} });
  const config = without({
    maxOutputTokens: maxTokens,
    temperature,
    thinkingConfig:
      effort === "none" ? undefined : { thinkingBudget: THINKING[effort], includeThoughts: true },
    responseMimeType: schema === undefined ? undefined : "application/json",
    responseJsonSchema: schema,
  });
  return without({
    systemInstruction: system === "" ? undefined : { parts: [{ text: system }] },
    contents: turns.map(({ role, text, images }) => ({
      role: role === "assistant" ? "model" : "user",
      parts: [
        { text },
        ...images.map((url) => {
          const { media_type: mimeType, data } = base64Of(url);
          return { inlineData: { mimeType, data } };
        }),
      ],
    })),
    generationConfig: Object.keys(config).length === 0 ? undefined : config,
    tools: given.length === 0 ? undefined : given,
  });
}

function without(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function base64Of(url: string): {
  readonly type: "base64";
  readonly media_type: string;
  readonly data: string;
} {
  const [, media_type = "", data = ""] = /^data:([^;]+);base64,(.*)$/s.exec(url) ?? [];
  return { type: "base64", media_type, data };
}

type Fields = Readonly<Record<string, unknown>>;

/** Adds an event of a stream, or a complete answer, to what is known. */
export function readEvent(style: Style, event: unknown, answer: Answer): void {
  READERS[style](fieldsOf(event), answer);
}

const READERS: Record<Style, (event: Fields, answer: Answer) => void> = {
  chat(event, answer) {
    const choice = fieldsOf(listOf(event["choices"])[0]);
    const delta = fieldsOf(choice["delta"] ?? choice["message"]);
    answer.text += textOf(delta["content"]);
    answer.reasoning += textOf(delta["reasoning_content"] ?? delta["reasoning"]);
    for (const call of listOf(delta["tool_calls"]).map(fieldsOf)) {
      const at = typeof call["index"] === "number" ? call["index"] : answer.tools.length;
      const made = fieldsOf(call["function"]);
      const tool = (answer.tools[at] ??= { name: "", input: "" });
      tool.name += textOf(made["name"]);
      tool.input += textOf(made["arguments"]);
    }
    count(answer, fieldsOf(event["usage"]), "prompt_tokens", "completion_tokens");
  },
  responses(event, answer) {
    const kind = event["type"];
    if (kind === "response.output_text.delta") answer.text += textOf(event["delta"]);
    if (
      kind === "response.reasoning_summary_text.delta" ||
      kind === "response.reasoning_text.delta"
    )
      answer.reasoning += textOf(event["delta"]);
    const item = fieldsOf(event["item"]);
    if (kind === "response.output_item.done" && item["type"] === "function_call")
      answer.tools.push({ name: textOf(item["name"]), input: textOf(item["arguments"]) });
    if (kind === undefined)
      for (const each of listOf(event["output"])) readItem(fieldsOf(each), answer);
    const usage = fieldsOf(fieldsOf(event["response"])["usage"] ?? event["usage"]);
    count(answer, usage, "input_tokens", "output_tokens");
  },
  messages(event, answer) {
    for (const block of listOf(event["content"]).map(fieldsOf)) {
      answer.text += textOf(block["text"]);
      answer.reasoning += textOf(block["thinking"]);
      if (block["type"] === "tool_use")
        answer.tools.push({ name: textOf(block["name"]), input: JSON.stringify(block["input"]) });
    }
    const started = fieldsOf(event["content_block"]);
    if (started["type"] === "tool_use")
      answer.tools.push({ name: textOf(started["name"]), input: "" });
    const delta = fieldsOf(event["delta"]);
    answer.text += textOf(delta["text"]);
    answer.reasoning += textOf(delta["thinking"]);
    const last = answer.tools.at(-1);
    if (last !== undefined) last.input += textOf(delta["partial_json"]);
    count(
      answer,
      fieldsOf(fieldsOf(event["message"])["usage"] ?? event["usage"]),
      "input_tokens",
      "output_tokens",
    );
  },
  native(event, answer) {
    const candidate = fieldsOf(listOf(event["candidates"])[0]);
    for (const part of listOf(fieldsOf(candidate["content"])["parts"]).map(fieldsOf)) {
      if (part["thought"] === true) answer.reasoning += textOf(part["text"]);
      else answer.text += textOf(part["text"]);
      const call = fieldsOf(part["functionCall"]);
      if (typeof call["name"] === "string")
        answer.tools.push({ name: call["name"], input: JSON.stringify(call["args"] ?? {}) });
    }
    count(answer, fieldsOf(event["usageMetadata"]), "promptTokenCount", "candidatesTokenCount");
  },
};

function readItem(item: Fields, answer: Answer): void {
  const texts = (list: unknown): string =>
    listOf(list)
      .map((part) => textOf(fieldsOf(part)["text"]))
      .join("");
  if (item["type"] === "message") answer.text += texts(item["content"]);
  if (item["type"] === "reasoning") answer.reasoning += texts(item["summary"]);
  if (item["type"] === "function_call")
    answer.tools.push({ name: textOf(item["name"]), input: textOf(item["arguments"]) });
}

function count(answer: Answer, usage: Fields, input: string, output: string): void {
  if (typeof usage[input] === "number") answer.inputTokens = usage[input];
  if (typeof usage[output] === "number") answer.outputTokens = usage[output];
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

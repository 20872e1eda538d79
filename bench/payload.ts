/**
 * What is asked and answered in the bench. Every request carries a marker in its
 * prompt, which survives any gateway; it tells the upstream what to answer, so
 * that the upstream needs no JSON parser and a mixed-up answer is noticed.
 */
export interface Ask {
  /** An endless stream is sent as fast as it is taken. */
  readonly kind: "unary" | "stream" | "endless";
  /** Answers differ by variant, in content and not in length. */
  readonly variant: number;
  /** Time between two events of a stream. */
  readonly paceMs: number;
}

/** What the callers speak; the upstream only speaks chat. */
export type Speech = "chat" | "messages";

export const PATHS: Readonly<Record<Speech, string>> = {
  chat: "/v1/chat/completions",
  messages: "/v1/messages",
};

export const MODEL = "bench-model";
export const VARIANTS = 8;
/** Events with a choice in them; the usage event and `[DONE]` come on top. */
const EVENTS = 60;

const USAGE = { prompt_tokens: 112, completion_tokens: 58, total_tokens: 170 };
const MARKER = "[bench ";

export function requestBody(ask: Ask, speech: Speech = "chat", model = MODEL): string {
  const marker = `${MARKER}${ask.kind} ${ask.variant} ${ask.paceMs}]`;
  const system =
    "You answer questions about rivers, locks and weirs. You keep to what is asked, " +
    "name your units, and say so when you do not know.";
  const question =
    `${marker} A canal lock is 48 metres long and 6.2 metres wide, and lifts boats by ` +
    "3.4 metres. How much water does one passage use, how long does it take to fill " +
    "through two sluices of half a square metre each, and how many boats may pass in " +
    "an hour when they alternate between both directions?";
  const user = { role: "user", content: question };
  const limits = { model, temperature: 0.2, max_tokens: 256 };
  if (speech === "messages") {
    const stream = ask.kind === "unary" ? {} : { stream: true };
    return JSON.stringify({ ...limits, system, messages: [user], ...stream });
  }
  return JSON.stringify({
    ...limits,
    messages: [{ role: "system", content: system }, user],
    ...(ask.kind !== "unary" && { stream: true, stream_options: { include_usage: true } }),
  });
}

export function findAsk(body: Buffer): Ask | undefined {
  const at = body.indexOf(MARKER);
  if (at === -1) return undefined;
  const marker = body.toString("latin1", at + MARKER.length, at + MARKER.length + 24);
  const found = /^(unary|stream|endless) (\d+) (\d+)\]/.exec(marker);
  if (found === null) return undefined;
  const kind = found[1] === "unary" || found[1] === "endless" ? found[1] : "stream";
  return { kind, variant: Number(found[2]), paceMs: Number(found[3]) };
}

export function answerBody(variant: number): string {
  return JSON.stringify({
    id: `chatcmpl-bench-${variant}`,
    object: "chat.completion",
    created: 1_700_000_000,
    model: MODEL,
    system_fingerprint: "fp_bench",
    choices: [
      {
        index: 0,
        message: { role: "assistant", content: answerText(variant), refusal: null },
        logprobs: null,
        finish_reason: "stop",
      },
    ],
    usage: USAGE,
  });
}

/** The events of a stream as they go over the wire, `[DONE]` included. */
export function answerEvents(variant: number): string[] {
  const chunk = (fields: object): string => chunkEvent(variant, fields);
  const choice = (delta: object, reason: string | null = null): string =>
    chunk({ choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }] });

  const events = [choice({ role: "assistant", content: "" })];
  for (const word of streamWords(variant)) events.push(choice({ content: word }));
  events.push(choice({}, "stop"), chunk({ choices: [], usage: USAGE }), "data: [DONE]\n\n");
  return events;
}

/** An event with so much text. */
export function endlessEvent(characters: number): string {
  const delta = { content: "w".repeat(characters) };
  return chunkEvent(0, { choices: [{ index: 0, delta, logprobs: null, finish_reason: null }] });
}

function chunkEvent(variant: number, fields: object): string {
  const common = {
    id: `chatcmpl-bench-${variant}`,
    object: "chat.completion.chunk",
    created: 1_700_000_000,
    model: MODEL,
  };
  return `data: ${JSON.stringify({ ...common, ...fields })}\n\n`;
}

/**
 * What is wrong with an answer, or nothing. Only the meaning is compared, so that
 * a gateway may change ids or spacing; the text, its end and the usage must be there.
 */
export function answerFlaw(ask: Ask, body: string, speech: Speech = "chat"): string | undefined {
  try {
    if (speech === "messages") return messageEventsFlaw(ask.variant, body);
    return ask.kind === "unary" ? bodyFlaw(ask.variant, body) : eventsFlaw(ask.variant, body);
  } catch {
    return `not the JSON that was expected: ${body.slice(0, 120)}`;
  }
}

interface Completion {
  choices: { message?: { content?: string }; delta?: { content?: string } }[];
  usage?: { total_tokens?: number } | null;
}

function bodyFlaw(variant: number, body: string): string | undefined {
  const answer: Completion = JSON.parse(body);
  if (answer.choices[0]?.message?.content !== answerText(variant)) return "the text is wrong";
  if (answer.usage?.total_tokens !== USAGE.total_tokens) return "the usage is wrong";
  return undefined;
}

function eventsFlaw(variant: number, body: string): string | undefined {
  const events = body.split("\n\n").filter((event) => event !== "");
  if (events.pop() !== "data: [DONE]") return "the stream ends without [DONE]";

  let text = "";
  let totalTokens: number | undefined;
  for (const event of events) {
    const chunk: Completion = JSON.parse(event.slice("data: ".length));
    text += chunk.choices[0]?.delta?.content ?? "";
    totalTokens = chunk.usage?.total_tokens ?? totalTokens;
  }
  if (text !== streamWords(variant).join("")) return "the text is wrong";
  if (totalTokens !== USAGE.total_tokens) return "the usage is wrong";
  return undefined;
}

/** Only streams are asked for in this style. */
function messageEventsFlaw(variant: number, body: string): string | undefined {
  const events = body.split("\n\n").filter((event) => event !== "");
  if (events.at(-1)?.startsWith("event: message_stop\n") !== true)
    return "the stream does not stop";

  let text = "";
  let outputTokens: number | undefined;
  for (const event of events) {
    const data: { delta?: { text?: string }; usage?: { output_tokens?: number } } = JSON.parse(
      event.slice(event.indexOf("data: ") + "data: ".length),
    );
    text += data.delta?.text ?? "";
    outputTokens = data.usage?.output_tokens ?? outputTokens;
  }
  if (text !== streamWords(variant).join("")) return "the text is wrong";
  if (outputTokens !== USAGE.completion_tokens) return "the usage is wrong";
  return undefined;
}

function answerText(variant: number): string {
  return (
    `Answer ${variant}. One passage uses about 1,012 cubic metres: 48 m by 6.2 m by 3.4 m. ` +
    "Filling takes roughly five minutes, because the flow through the sluices falls with the " +
    "root of the head that is left. Alternating boats share a filling, so that eight to ten " +
    "may pass in an hour; with boats from one side only the lock turns around empty each time, " +
    "and five or six may pass."
  );
}

function streamWords(variant: number): string[] {
  return Array.from({ length: EVENTS - 2 }, (_, index) => ` w${variant}-${100 + index}`);
}

import type { Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { FAULTS } from "./faults.ts";
import { serveWire, type WireRequest } from "./http.ts";
import { planIn, PROMPT_TOKENS, TOKEN, type Plan } from "./plan.ts";
import type { CallRecord } from "./record.ts";
import { writeAnswer, writeChunk, writeChunkEnd, writeStreamHead } from "./write.ts";

/** Tokens of an answer without usage, whose prompt has no plan. */
export const UNCOUNTED_TOKENS = 200;

/** An OpenAI-compatible vendor that does what its callers' plans say, and records it. */
export interface Vendor extends AsyncDisposable {
  /** The base address of a channel: `good`, `uncounted`, or the name of a fault. */
  readonly addressOf: (channel: string) => string;
  /** By the ids of plans; a call that was tried again has its last record. */
  readonly records: ReadonlyMap<string, CallRecord>;
  /** Calls that reached a channel so far. */
  readonly callsTo: (channel: string) => number;
}

export async function startVendor(): Promise<Vendor> {
  const records = new Map<string, CallRecord>();
  const counts = new Map<string, number>();
  const server = await serveWire(async (request, socket) => {
    const [, channel = "", , ...rest] = request.path.split("/");
    if (rest.join("/") !== "chat/completions") {
      // Gateways that check their channels ask for the models.
      writeAnswer(socket, 200, JSON.stringify({ object: "list", data: [] }));
      return;
    }
    counts.set(channel, (counts.get(channel) ?? 0) + 1);
    const fault = FAULTS[channel];
    if (fault !== undefined) fault.write(socket, request);
    else await answer(request, socket, channel, records);
  });
  return {
    addressOf: (channel) => `http://127.0.0.1:${server.port}/${channel}/v1`,
    records,
    callsTo: (channel) => counts.get(channel) ?? 0,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
}

interface ChatBody {
  readonly model: string;
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly messages: readonly { readonly content: unknown }[];
}

async function answer(
  { body }: WireRequest,
  socket: Socket,
  channel: string,
  records: Map<string, CallRecord>,
): Promise<void> {
  const chat = JSON.parse(body) as ChatBody;
  const plan = planOf(chat);
  if (plan.isRefused === true) {
    const error = {
      message: "Your input was flagged by the moderation of this vendor.",
      code: "flagged",
    };
    writeAnswer(socket, 403, JSON.stringify({ error }));
    return;
  }
  const record: CallRecord = {
    id: plan.id,
    startedAt: performance.now(),
    written: 0,
    isComplete: false,
  };
  records.set(plan.id, record);
  const onClose = (): void => {
    if (!record.isComplete) record.abortedAt = performance.now();
  };
  socket.once("close", onClose);
  const hasUsage = channel !== "uncounted";
  if (chat.stream === true) await stream(socket, chat, plan, record, hasUsage);
  else await whole(socket, chat, plan, record, hasUsage);
  socket.off("close", onClose);
}

/** A prompt without a plan is one of the experiment whose tokens nobody reports. */
function planOf(chat: ChatBody): Plan {
  for (const { content } of chat.messages) {
    const plan = planIn(textOf(content));
    if (plan !== undefined) return plan;
  }
  return { id: `uncounted-${chat.stream === true}`, tokens: UNCOUNTED_TOKENS };
}

/** Some gateways make a list of parts of a prompt that is one text. */
function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const parts = content as readonly { readonly text?: unknown }[];
  return parts.map(({ text }) => (typeof text === "string" ? text : "")).join("");
}

function usageOf(tokens: number): object {
  return {
    prompt_tokens: PROMPT_TOKENS,
    completion_tokens: tokens,
    total_tokens: PROMPT_TOKENS + tokens,
  };
}

async function whole(
  socket: Socket,
  { model }: ChatBody,
  { id, tokens, pauseMs = 0 }: Plan,
  record: CallRecord,
  hasUsage: boolean,
): Promise<void> {
  if (pauseMs > 0) await sleep(pauseMs);
  if (socket.destroyed) return;
  const message = { role: "assistant", content: TOKEN.repeat(tokens).trim() };
  const body = {
    id: `chatcmpl-${id}`,
    object: "chat.completion",
    created: 1,
    model,
    choices: [{ index: 0, message, finish_reason: "stop" }],
    ...(hasUsage ? { usage: usageOf(tokens) } : {}),
  };
  record.written = tokens;
  record.isComplete = true;
  writeAnswer(socket, 200, JSON.stringify(body));
}

async function stream(
  socket: Socket,
  chat: ChatBody,
  { id, tokens, pauseMs = 0, chunkBytes }: Plan,
  record: CallRecord,
  hasUsage: boolean,
): Promise<void> {
  const event = (choices: readonly object[], more: object = {}): string => {
    const head = { id: `chatcmpl-${id}`, object: "chat.completion.chunk", created: 1 };
    return `data: ${JSON.stringify({ ...head, model: chat.model, choices, ...more })}\n\n`;
  };
  const content = chunkBytes === undefined ? TOKEN : TOKEN.repeat(chunkBytes / TOKEN.length);
  const delta = { role: "assistant", content };
  const piece = event([{ index: 0, delta, finish_reason: null }]);
  writeStreamHead(socket);
  for (let number = 0; number < tokens; number += 1) {
    if (socket.destroyed) return;
    record.written += 1;
    if (!writeChunk(socket, piece)) await drained(socket);
    if (pauseMs > 0) await sleep(pauseMs);
  }
  if (socket.destroyed) return;
  record.isComplete = true;
  writeChunk(socket, event([{ index: 0, delta: {}, finish_reason: "stop" }]));
  if (hasUsage && chat.stream_options?.include_usage === true) {
    writeChunk(socket, event([], { usage: usageOf(tokens) }));
  }
  writeChunk(socket, "data: [DONE]\n\n");
  writeChunkEnd(socket);
}

/** Resolves once the socket takes more, or is closed. */
function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off("drain", done);
      socket.off("close", done);
      resolve();
    };
    socket.on("drain", done);
    socket.on("close", done);
    if (socket.destroyed) done();
  });
}

import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import { LossReport } from "#core/lossy.ts";
import type { Usage } from "#core/usage.ts";
import type { UpstreamReply } from "#egress/egress.ts";
import { pull } from "#lib/pull.ts";
import type { Sink } from "#lib/push-stream.ts";
import { decodeSse } from "#lib/sse.ts";
import { explained, type AnswerStream } from "./answer-stream.ts";
import type { Call } from "./call.ts";
import type { Route } from "./route.ts";
import { countUsage } from "./tokens.ts";
import { parseAnswer, type WholeReading } from "./whole.ts";

/** A call in the words of another style, and what those words could not say. */
export interface Translation {
  readonly request: ChatRequest;
  readonly body: string;
  readonly lost: readonly string[];
}

export function translateRequest(call: Call, route: Route): Translation {
  const request = call.style.inbound.parseRequest(call.body.json);
  const report = new LossReport();
  const built = route.endpoint.style.outbound.buildRequest(
    { ...request, model: route.upstreamModel },
    report,
  );
  if (call.isStrict) report.refuseIfAny();

  const edits = route.provider.adaptRequest?.(built) ?? {};
  return { request, body: JSON.stringify({ ...built, ...edits }), lost: report.fields };
}

export async function translateWhole(
  reply: UpstreamReply,
  call: Call,
  route: Route,
  { request, lost }: Translation,
): Promise<WholeReading> {
  const json = parseAnswer(await reply.readAll());
  const events = route.endpoint.style.outbound.parseResponse(json).map((each) => dated(each, call));
  const reported = usageIn(events);
  const usage = reported ?? (await countUsage(call.body.json, textIn(events)));
  const counted = reported === undefined ? [...events, { type: "usage", usage } as const] : events;
  return {
    body: JSON.stringify(call.style.inbound.buildResponse(counted, request)),
    usage,
    takeOutputText: () => "",
    lost,
  };
}

export function translateStream(
  reply: UpstreamReply,
  call: Call,
  route: Route,
  { request, lost }: Translation,
  maxEventBytes: number,
): AnswerStream {
  const meter = new EventMeter(call);
  const decoded = route.endpoint.style.outbound.decodeStream(
    decodeSse(
      pull((take) => reply.pump(take)),
      maxEventBytes,
    ),
  );
  const encoded = call.style.inbound.encodeStream(meter.watch(decoded), request);
  return new TranslatedStream(reply, encoded, meter, lost);
}

class TranslatedStream implements AnswerStream {
  readonly #reply: UpstreamReply;
  readonly #encoded: AsyncGenerator<string>;
  readonly #meter: EventMeter;
  readonly lost: readonly string[];

  constructor(
    reply: UpstreamReply,
    encoded: AsyncGenerator<string>,
    meter: EventMeter,
    lost: readonly string[],
  ) {
    this.#reply = reply;
    this.#encoded = encoded;
    this.#meter = meter;
    this.lost = lost;
  }

  async run(take: Sink["write"]): Promise<void> {
    try {
      for await (const piece of this.#encoded) await take(piece);
    } catch (cause) {
      throw explained(cause);
    }
  }

  get isEnding(): boolean {
    return this.#meter.isOver;
  }

  get usage(): Usage | undefined {
    return this.#meter.usage;
  }

  takeOutputText(): string {
    return this.#meter.takeOutputText();
  }

  close(): void {
    this.#reply.close();
  }
}

/** Reads usage and text off the events on their way through. */
class EventMeter {
  usage: Usage | undefined;
  /** The upstream's answer was read to its proper end. */
  isOver = false;
  readonly #call: Call;
  #text = "";

  constructor(call: Call) {
    this.#call = call;
  }

  async *watch(events: AsyncIterable<ChatEvent>): AsyncGenerator<ChatEvent> {
    for await (const event of events) {
      if (event.type === "usage") this.usage = event.usage;
      else this.#text += textOf(event);
      yield dated(event, this.#call);
    }
    this.isOver = true;
  }

  takeOutputText(): string {
    const text = this.#text;
    this.#text = "";
    return text;
  }
}

/** Every style wants to know when an answer was made, and not every upstream says. */
function dated(event: ChatEvent, { at }: Call): ChatEvent {
  if (event.type !== "start" || event.createdAt > 0) return event;
  return { ...event, createdAt: Math.floor(at / 1_000) };
}

function usageIn(events: readonly ChatEvent[]): Usage | undefined {
  return events.findLast((event) => event.type === "usage")?.usage;
}

function textIn(events: readonly ChatEvent[]): string {
  return events.map(textOf).join("");
}

function textOf(event: ChatEvent): string {
  if (event.type === "delta") return event.text;
  return event.type === "open" && event.block.type === "tool_call" ? event.block.name : "";
}

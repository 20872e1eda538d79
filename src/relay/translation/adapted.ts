import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import type { GatewayError } from "#core/error.ts";
import { LossReport, reportLosses, type LossRule } from "#core/lossy.ts";
import type { Usage } from "#core/usage.ts";
import type { AdapterWay } from "#providers/provider.ts";
import { PLACEHOLDER, type FetchSession } from "#egress/fetch.ts";
import type { Sink } from "#lib/push-stream.ts";
import type { AnswerStream } from "../delivery/answer-stream.ts";
import type { Call } from "../call.ts";
import type { AdaptedRoute } from "../routing/route.ts";
import { lossNames } from "./callers-field.ts";
import { hasNeedlessChoice } from "./needless-choice.ts";
import { readRequest, StreamWriter, writeWhole } from "./translate.ts";
import type { ReasoningCache } from "./reasoning-cache.ts";
import { withSystemPrompt } from "./with-system-prompt.ts";
import type { WholeReading } from "../delivery/whole.ts";

const LOSSES: readonly LossRule<ChatRequest>[] = [{ lost: "tool_choice", when: hasNeedlessChoice }];

/** A complete response through an adapter. */
export async function readAdapted(
  call: Call,
  route: AdaptedRoute,
  session: FetchSession,
  reasoningCache: ReasoningCache,
): Promise<WholeReading> {
  const { request, report, events } = await askAdapter(call, route, session.fetch, reasoningCache);
  try {
    const read = await Array.fromAsync(events);
    return await writeWhole(read, call, route, request, report.fields, reasoningCache);
  } finally {
    session.close();
  }
}

/** The same, event by event. */
export async function openAdapted(
  call: Call,
  route: AdaptedRoute,
  session: FetchSession,
  reasoningCache: ReasoningCache,
): Promise<AnswerStream> {
  const { request, report, events } = await askAdapter(call, route, session.fetch, reasoningCache);
  return new AdaptedStream(
    events,
    new StreamWriter(call, route, request, reasoningCache),
    report,
    session,
  );
}

/** The request is sent when the first event is read. */
export async function askAdapter(
  call: Call,
  route: AdaptedRoute,
  fetch: AdapterWay["fetch"],
  reasoningCache: ReasoningCache,
) {
  const { channel, traits, adapter } = route;
  const request = await readRequest(call, route, reasoningCache);
  const report = new LossReport(call.style.keeps, lossNames(call.style, call.body.json, request));
  reportLosses(LOSSES, request, report);
  const events = adapter.answer(withSystemPrompt(request, channel), {
    baseUrl: channel.baseUrl,
    options: channel.options ?? {},
    traits,
    report,
    isStrict: call.isStrict,
    fetch,
    placeholder: PLACEHOLDER,
  });
  return { request, report, events };
}

class AdaptedStream implements AnswerStream {
  readonly #events: AsyncIterable<ChatEvent>;
  readonly #writer: StreamWriter;
  readonly #report: LossReport;
  readonly #session: FetchSession;
  readonly isTranslated = true;
  /** The head, which is not sent yet. */
  #held = "";
  hasContent = false;
  isEnding = false;

  constructor(
    events: AsyncIterable<ChatEvent>,
    writer: StreamWriter,
    report: LossReport,
    session: FetchSession,
  ) {
    this.#events = events;
    this.#writer = writer;
    this.#report = report;
    this.#session = session;
  }

  /**
   * Reads the next event after the client took the last one. The head waits for the first content:
   * until then another channel may take over.
   */
  async run(take: Sink["write"]): Promise<void> {
    for await (const event of this.#events) {
      this.#session.heard();
      this.#held += this.#writer.write(event);
      if (this.#held === "" || !this.#writer.meter.hasContent) continue;
      this.hasContent = true;
      await take(this.#takeHeld());
    }
    const end = this.#takeHeld() + (await this.#writer.end());
    this.isEnding = true;
    this.hasContent = true;
    await take(end);
  }

  get lost(): readonly string[] {
    return this.#report.fields;
  }

  get usage(): Usage | undefined {
    return this.#writer.meter.usage;
  }

  takeOutputText(): string {
    return this.#writer.meter.takeOutputText();
  }

  /**
   * Send a waiting head first: some clients parse an error as part of the response that it starts.
   */
  fail(error: GatewayError): string {
    return this.#takeHeld() + this.#writer.fail(error);
  }

  /** Aborts the iterator, which stops reading from the upstream. */
  close(): void {
    this.#session.close();
  }

  #takeHeld(): string {
    const held = this.#held;
    this.#held = "";
    return held;
  }
}

import type { ChatEvent, ChatRequest } from "#core/chat.ts";
import type { GatewayError } from "#core/error.ts";
import { LossReport, reportLosses, type LossRule } from "#core/lossy.ts";
import { bodyOverrides } from "#core/overrides.ts";
import type { MediaFetcher } from "#core/media.ts";
import type { StreamDecoder, StreamEncoder } from "#core/style.ts";
import type { Usage } from "#core/usage.ts";
import type { UpstreamReply } from "#egress/egress.ts";
import type { Sink } from "#lib/push-stream.ts";
import { originalNames } from "#styles/text/tool-names.ts";
import { SseDecoder, type SseEvent } from "#lib/sse.ts";
import { explained, type AnswerStream } from "../delivery/answer-stream.ts";
import { unpackerFor, withFormatTool, type AnswerForm, type Unpack } from "./answer-form.ts";
import type { Call } from "../call.ts";
import { lossNames } from "./callers-field.ts";
import type { Continuation } from "./continuation.ts";
import { countUsage, withPrompt } from "../metering/count-usage.ts";
import { EventMeter } from "../metering/event-meter.ts";
import { fitRequest, targetOf } from "./fit-request.ts";
import { CallWriter, withCallFormat } from "./forced-call.ts";
import { editsWithout } from "../failover/learned-refusals.ts";
import { inlineLinks } from "./inline-links.ts";
import { REASONING_ACCOUNT, requestContext, type RequestTerms } from "./passthrough.ts";
import { hasNeedlessChoice } from "./needless-choice.ts";
import { onlyFirstCall } from "./one-call.ts";
import type { Route, WireRoute } from "../routing/route.ts";
import type { ReasoningCache } from "./reasoning-cache.ts";
import { isWebPage, sentWebPage } from "../delivery/web-page.ts";
import { parseExactAnswer, type WholeReading } from "../delivery/whole.ts";
import {
  canSearch,
  isMeasurable,
  STOP_MEMBERS,
  StopCutter,
  unaskedStops,
} from "./stop-sequences.ts";

/** A request translated to another style, and its lost fields. */
export interface Translation {
  readonly request: ChatRequest;
  readonly form: AnswerForm;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly path: string | undefined;
  readonly lost: readonly string[];
}

interface TranslationTerms extends RequestTerms {
  readonly isStreamed?: boolean;
}

export interface TranslationDeps {
  readonly reasoningCache: ReasoningCache;
  /** Downloads links for upstreams that do not. */
  readonly media: MediaFetcher;
}

/**
 * The client's request in the common form, with cached data that the client's style could not
 * carry. It waits only for data that another gateway may have.
 */
export function readRequest(
  call: Call,
  route: Route,
  reasoningCache: ReasoningCache,
): ChatRequest | Promise<ChatRequest> {
  if (call.facts.unknownValue !== undefined) throw call.facts.unknownValue;
  const request = call.style.inbound.parseRequest(call.body.json, call.facts);
  const loading = reasoningCache.load(call.key, request);
  const complete = (): ChatRequest =>
    withReasoning(reasoningCache.restore(call.key, request), call, route);
  return loading === undefined ? complete() : loading.then(complete);
}

function withReasoning(request: ChatRequest, call: Call, route: Route): ChatRequest {
  const { upstreamModel: model } = route;
  // Reasoning settings in the body take precedence over a suffix of the model name.
  const preset = route.steering ?? reasoningOfStyle(call, route);
  if (preset === undefined) return { ...request, model };
  return { ...request, model, reasoning: { ...preset, ...request.reasoning } };
}

/** Reasoning would use up a limit that clients of the style chose for the text. */
function reasoningOfStyle({ style }: Call, { traits }: Route): ChatRequest["reasoning"] {
  const isKnown = traits.reasoningControls !== undefined;
  return style.hasReasoning === false && isKnown ? { enabled: false } : undefined;
}

export async function translateRequest(
  call: Call,
  route: WireRoute,
  { reasoningCache, media }: TranslationDeps,
  { isStreamed = call.facts.stream, isAway = false, refused = [] }: TranslationTerms = {},
): Promise<Translation> {
  const { endpoint, upstreamModel } = route;
  // Headers of a client of another style do not apply to this upstream.
  const isAlike = endpoint.style.id === call.style.id;
  const read = readRequest(call, route, reasoningCache);
  const complete = read instanceof Promise ? await read : read;
  const request = await withMedia(complete, call, route, media);
  const keptMembers = [...(call.style.keeps ?? []), ...(canSearch(request) ? STOP_MEMBERS : [])];
  const report = new LossReport(keptMembers, lossNames(call.style, call.body.json, request));
  const byTool = withFormatTool(request, route);
  const byFormat = byTool === undefined ? withCallFormat(request, route) : undefined;
  const isByTool = byTool !== undefined;
  reportLosses(
    LOSSES,
    { request, isAway, isAlike, isByTool, isByFormat: byFormat !== undefined },
    report,
  );
  const formed = byTool ?? byFormat?.request ?? request;
  const asked = formed.stream === isStreamed ? formed : { ...formed, stream: isStreamed };
  const written = endpoint.style.outbound.buildRequest(asked, {
    report,
    ...targetOf(route),
  });
  const { systemPrompt } = route.channel;
  const built =
    systemPrompt === undefined
      ? written
      : { ...written, ...endpoint.style.outbound.withSystemPrompt(written, systemPrompt) };
  const isRewritten = isAway || !isAlike || byFormat !== undefined || systemPrompt !== undefined;
  const fitted = { ...built, ...fitRequest(built, route, report, isRewritten) };
  const context = requestContext(route, isAlike ? call.header : NO_HEADER);
  const adapted = {
    ...fitted,
    ...endpoint.adaptRequest?.(fitted, upstreamModel, report, context),
  };
  const kept = { ...adapted, ...editsWithout(adapted, refused, report) };
  const overrides = route.channel.overrides?.body;
  const body =
    overrides === undefined ? kept : { ...kept, ...bodyOverrides(kept, overrides, report) };
  if (call.isStrict) report.refuseIfAny();

  const keepsReasoning = byFormat !== undefined && isAlike;
  return {
    request: keepsReasoning ? { ...request, keepsReasoning } : request,
    form: {
      isByTool,
      ...(byFormat === undefined ? {} : { asCallOf: byFormat.tool }),
      stops: unaskedStops(request, body, endpoint.style),
    },
    body: JSON.stringify(body),
    headers: endpoint.headers?.(body, context.ofCaller, context) ?? {},
    path: endpoint.pathFor?.(body),
    lost: report.fields,
  };
}

interface LossFacts {
  readonly request: ChatRequest;
  readonly isAway: boolean;
  readonly isAlike: boolean;
  /** A forced tool enforces the answer's format. */
  readonly isByTool: boolean;
  /** A format stands for a forced call. */
  readonly isByFormat: boolean;
}

const LOSSES: readonly LossRule<LossFacts>[] = [
  { lost: REASONING_ACCOUNT, when: ({ isAway }) => isAway },
  { lost: "tool_choice", when: ({ request, isAlike }) => !isAlike && hasNeedlessChoice(request) },
  { lost: "response_format", when: ({ isByTool }) => isByTool },
  { lost: "tool_choice", when: ({ isByFormat }) => isByFormat },
];

const NO_HEADER = (): undefined => undefined;

/** If client and upstream share a style, the vendor handles links itself. */
async function withMedia(
  request: ChatRequest,
  { style, signal }: Call,
  { endpoint }: WireRoute,
  media: MediaFetcher,
): Promise<ChatRequest> {
  const { inlines } = endpoint;
  const isForeign = endpoint.style.id !== style.id;
  return inlines !== undefined && isForeign
    ? await inlineLinks(request, inlines, media, signal)
    : request;
}

export async function translateWhole(
  reply: UpstreamReply,
  call: Call,
  route: WireRoute,
  { request, lost, form }: Translation,
  reasoningCache: ReasoningCache,
  continuation?: Continuation,
): Promise<WholeReading> {
  const events: ChatEvent[] = [];
  const { outbound } = route.endpoint.style;
  let last = outbound.parseResponse(parseExactAnswer(await reply.readAll()));
  for (let next = await continuation?.next(last); next !== undefined;) {
    using hop = next;
    events.push(...(continuation?.joiner.between(last) ?? []));
    last = outbound.parseResponse(parseExactAnswer(await hop.readAll()));
    next = await continuation?.next(last);
  }
  events.push(...(continuation?.joiner.pass(last) ?? last));
  return await writeWhole(events, call, route, request, lost, reasoningCache, form);
}

/** A complete response from an upstream that only streams. */
export async function gatherStream(
  reply: UpstreamReply,
  call: Call,
  route: WireRoute,
  { request, lost, form }: Translation,
  maxEventBytes: number,
  reasoningCache: ReasoningCache,
): Promise<WholeReading> {
  const sse = new SseDecoder(maxEventBytes);
  const decoder = route.endpoint.style.outbound.openDecoder();
  const events: ChatEvent[] = [];
  const take = (read: readonly SseEvent[]): void => {
    for (const each of read) {
      if (!decoder.isOver) events.push(...decoder.read(each));
    }
  };
  try {
    await reply.pump((chunk) => take(sse.push(chunk)));
    take(sse.end());
    if (!decoder.isOver) events.push(...decoder.end());
  } catch (cause) {
    throw explained(cause);
  }
  return await writeWhole(events, call, route, request, lost, reasoningCache, form);
}

/** A complete response in the client's style, from common events. */
export async function writeWhole(
  events: readonly ChatEvent[],
  call: Call,
  route: Route,
  request: ChatRequest,
  lost: readonly string[],
  reasoningCache: ReasoningCache,
  form: AnswerForm = {},
): Promise<WholeReading> {
  const meter = new EventMeter(call, route, reasoningCache);
  const named = originalNames(request);
  const { stages } = openForm(call, request, form);
  const seen = through(stages, events)
    .filter(onlyFirstCall(request))
    .map((event) => meter.see(named(event)));
  meter.usage ??= withPrompt(
    await countUsage(request, meter.takeOutputText(), route.traits, call),
    route,
  );
  const { usage } = meter;
  return {
    body: JSON.stringify(
      call.style.inbound.buildResponse(
        [...seen.filter(isNotUsage), { type: "usage", usage }],
        request,
      ),
    ),
    usage,
    takeOutputText: () => "",
    lost: joined(lost, meter.lost),
  };
}

/** What an answer goes through on its way from the form that it has to the one that was asked for. */
function openForm(
  { style }: Call,
  request: ChatRequest,
  { isByTool = false, asCallOf, stops = [] }: AnswerForm,
): { readonly stages: readonly Unpack[]; readonly cutter: StopCutter | undefined } {
  const unpack = unpackerFor(request, isByTool);
  const caller = asCallOf === undefined ? undefined : new CallWriter(asCallOf, style.callIdPrefix);
  const call: Unpack | undefined = caller && ((event) => caller.take(event));
  const cutter = stops.length === 0 ? undefined : new StopCutter(stops, request.choices);
  const cut: Unpack | undefined = cutter && ((event) => cutter.take(event));
  return { stages: [unpack, call, cut].filter((stage) => stage !== undefined), cutter };
}

function through(stages: readonly Unpack[], events: readonly ChatEvent[]): readonly ChatEvent[] {
  let passed = events;
  for (const stage of stages) passed = passed.flatMap(stage);
  return passed;
}

/** Losses by the gateway and by the upstream. */
function joined(ours: readonly string[], theirs: readonly string[]): readonly string[] {
  return theirs.length === 0 ? ours : [...new Set([...ours, ...theirs])];
}

function isNotUsage(event: ChatEvent): boolean {
  return event.type !== "usage";
}

export function translateStream(
  reply: UpstreamReply,
  call: Call,
  route: WireRoute,
  translation: Translation,
  maxEventBytes: number,
  reasoningCache: ReasoningCache,
  continuation?: Continuation,
): AnswerStream {
  return new TranslatedStream(
    reply,
    () => ({
      sse: new SseDecoder(maxEventBytes),
      decoder: route.endpoint.style.outbound.openDecoder(),
    }),
    new StreamWriter(call, route, translation.request, reasoningCache, translation.form),
    translation.lost,
    continuation,
  );
}

/** Writes common events in the client's style, and meters them. */
export class StreamWriter {
  readonly meter: EventMeter;
  readonly #call: Pick<Call, "inputTokens">;
  readonly #request: ChatRequest;
  readonly #route: Pick<Route, "traits" | "promptTokens">;
  readonly #encoder: StreamEncoder;
  readonly #named: (event: ChatEvent) => ChatEvent;
  readonly #isWanted: (event: ChatEvent) => boolean;
  readonly #stages: readonly Unpack[];
  readonly #cutter: StopCutter | undefined;
  readonly #isMeasurable: boolean;
  #hasUsage = false;

  constructor(
    call: Call,
    route: Route,
    request: ChatRequest,
    reasoningCache: ReasoningCache,
    form: AnswerForm = {},
  ) {
    this.#call = call;
    this.#request = request;
    const { stages, cutter } = openForm(call, request, form);
    this.#stages = stages;
    this.#cutter = cutter;
    this.#isMeasurable = isMeasurable(request, route);
    this.#named = originalNames(request);
    this.#isWanted = onlyFirstCall(request);
    this.#route = route;
    this.meter = new EventMeter(call, route, reasoningCache);
    this.#encoder = call.style.inbound.openEncoder(request, call.facts);
  }

  write(event: ChatEvent): string {
    if (this.#stages.length === 0) return this.#write(event);
    let out = "";
    for (const each of through(this.#stages, [event])) out += this.#write(each);
    return out;
  }

  /** The answer was cut in all its choices: nothing that follows is content. */
  get isCut(): boolean {
    return this.#cutter?.isDone === true;
  }

  /** Nothing that follows is wanted: what was written can be ended, and its upstream let go. */
  get isComplete(): boolean {
    return this.isCut && this.#isMeasurable;
  }

  #write(event: ChatEvent): string {
    if (!this.#isWanted(event)) return "";
    if (event.type === "usage") this.#hasUsage = true;
    return this.#encoder.encode(this.meter.see(this.#named(event)));
  }

  /** The end of the stream. Usage is included even if the upstream reported none. */
  async end(): Promise<string> {
    if (this.#hasUsage) return this.#encoder.end();
    const { text, tokens } = await this.meter.wholeOutput();
    const { traits } = this.#route;
    const counted = await countUsage(this.#request, text, traits, this.#call, tokens);
    const usage = withPrompt(counted, this.#route);
    return this.write({ type: "usage", usage }) + this.#encoder.end();
  }

  fail(error: GatewayError): string {
    return this.#encoder.fail(error);
  }
}

/** Parses one reply of an upstream. */
interface Reader {
  readonly sse: SseDecoder;
  readonly decoder: StreamDecoder;
}

/**
 * Converts the upstream's bytes to the client's in one synchronous step per piece: one promise per
 * piece, none per event. The head waits for the first content: until then another channel may take
 * over.
 */
class TranslatedStream implements AnswerStream {
  #reply: UpstreamReply;
  readonly #open: () => Reader;
  #reader: Reader;
  readonly #writer: StreamWriter;
  readonly #continuation: Continuation | undefined;
  #isClosed = false;
  readonly #lost: readonly string[];
  readonly isTranslated = true;
  /** The head, which is not sent yet. */
  #held = "";
  #hasReceived = false;
  #hasBegun = false;
  isEnding = false;

  constructor(
    reply: UpstreamReply,
    open: () => Reader,
    writer: StreamWriter,
    lost: readonly string[],
    continuation: Continuation | undefined,
  ) {
    this.#reply = reply;
    this.#open = open;
    this.#reader = open();
    this.#writer = writer;
    this.#lost = lost;
    this.#continuation = continuation;
  }

  get lost(): readonly string[] {
    return joined(this.#lost, this.#writer.meter.lost);
  }

  async run(take: Sink["write"]): Promise<void> {
    try {
      for (let goesOn = true; goesOn;) goesOn = await this.#runHop(take);
    } catch (cause) {
      throw explained(cause);
    }
  }

  /** One reply of the upstream; true if another one follows. */
  async #runHop(take: Sink["write"]): Promise<boolean> {
    const { sse, decoder } = this.#reader;
    try {
      await this.#reply.pump((chunk) => this.#read(chunk, take), true);
    } catch (cause) {
      // Its end was written, and the upstream was let go before its own.
      if (this.isEnding && this.#isClosed) return false;
      throw cause;
    }
    await this.#pass(sse.end(), take);
    if (this.isEnding) return false;
    const last = decoder.end();
    const next = this.#writer.isCut ? undefined : await this.#continuation?.next(last);
    if (next === undefined || this.#continuation === undefined) {
      await this.#end(this.#write(this.#joined(last)), take);
      return false;
    }
    this.#reply = next;
    if (this.#isClosed) next.close();
    this.#reader = this.#open();
    await this.#hand(this.#write(this.#continuation.joiner.between(last)), take);
    return true;
  }

  get hasContent(): boolean {
    return this.#hasBegun;
  }

  get waitingBytes(): number {
    return this.#reply.waitingBytes ?? 0;
  }

  get usage(): Usage | undefined {
    return this.#writer.meter.usage;
  }

  /** Each request of a response reads the input again. */
  get inputUsage(): Usage | undefined {
    return this.#continuation?.usage;
  }

  takeOutputText(): string {
    return this.#writer.meter.takeOutputText();
  }

  /**
   * Send a waiting head first: some clients parse an error as part of the response that it starts.
   */
  fail(error: GatewayError): string {
    const held = this.#held;
    this.#held = "";
    return held + this.#writer.fail(error);
  }

  close(): void {
    this.#isClosed = true;
    this.#reply.close();
  }

  #read(chunk: Uint8Array, take: Sink["write"]): void | Promise<void> {
    if (!this.#hasReceived && isWebPage(chunk)) throw sentWebPage();
    this.#hasReceived = true;
    return this.#pass(this.#reader.sse.push(chunk), take);
  }

  #pass(events: readonly SseEvent[], take: Sink["write"]): void | Promise<void> {
    if (this.isEnding) return undefined;
    const { decoder } = this.#reader;
    let out = "";
    try {
      for (const event of events) {
        out += this.#write(this.#joined(decoder.read(event)));
        if (decoder.isOver) return this.#end(out, take);
        if (this.#writer.isComplete) return this.#end(out, take).then(() => this.close());
      }
    } catch (cause) {
      // Send the events before a failure, unless nothing was sent yet: then another channel may
      // take over.
      if (out !== "" && this.#hasBegun) void take(out);
      throw cause;
    }
    return this.#hand(out, take);
  }

  #joined(events: readonly ChatEvent[]): readonly ChatEvent[] {
    return this.#continuation?.joiner.pass(events) ?? events;
  }

  #hand(out: string, take: Sink["write"]): void | Promise<void> {
    this.#held += out;
    return this.#writer.meter.hasContent ? this.#begin(take) : undefined;
  }

  #begin(take: Sink["write"]): void | Promise<void> {
    const held = this.#held;
    this.#held = "";
    if (held === "") return undefined;
    this.#hasBegun = true;
    return take(held);
  }

  #write(events: readonly ChatEvent[]): string {
    let out = "";
    for (const event of events) out += this.#writer.write(event);
    return out;
  }

  async #end(written: string, take: Sink["write"]): Promise<void> {
    // The head stays for a failure: if the call cannot be settled, the end is not sent.
    const out = this.#held + written + (await this.#writer.end());
    this.isEnding = true;
    this.#hasBegun = true;
    await take(out);
  }
}

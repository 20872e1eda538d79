import type { AttemptRecord, CallOutcome, CallRecord } from "#core/call.ts";
import { estimateTokens } from "#core/count.ts";
import { GatewayError, type FaultCode } from "#core/error.ts";
import type { CloseListener, HoldContext, HoldRequest, Ledger } from "#core/ledger.ts";
import type { Budget } from "#core/key.ts";
import type { RateReservation, RateLimiter } from "#core/limits.ts";
import {
  ANY_TIER,
  costOf,
  FREE,
  isTierUnpriced,
  nanoUsd,
  priceAt,
  type NanoUsd,
  type Price,
  type PriceOf,
} from "#core/money.ts";
import type { ServedAs } from "#core/price-condition.ts";
import { NO_USAGE, type Usage } from "#core/usage.ts";
import { defined } from "#lib/values.ts";
import type { Deadlines, Watched } from "#lib/deadlines.ts";
import type { Clock } from "#lib/clock.ts";
import type { Mutable } from "#lib/values.ts";
import type { Served } from "../call.ts";
import { release } from "./rate-reservations.ts";
import { keptFailure } from "../failover/kept-failure.ts";
import type { Endable, OpenCalls } from "./open-calls.ts";
import { addOwner, recordOf } from "./record.ts";
import { isUnpriced, type Candidate, type Plan } from "../routing/route.ts";
import { unpricedNotice, type UnpricedNotice } from "../routing/unpriced.ts";
import { withPrompt } from "./count-usage.ts";
import { PendingOutput } from "./pending-output.ts";

export interface SettlementDeps {
  readonly ledger: Ledger;
  readonly limiter: RateLimiter;
  readonly clock: Clock;
  readonly delivery: { readonly deadlines: Deadlines };
  readonly open: OpenCalls;
  readonly maxOpen: number;
  /** Called for every call at its end, and for refused calls: metrics and other observers. */
  onClosed(record: CallRecord): void;
  /** Called for every response of a model without a price. */
  onUnpriced(notice: UnpricedNotice): void;
  /** A settlement that could not be written yet; it is retried. */
  onError(cause: unknown): void;
}

/** The source of a response's usage: the upstream's report, or its text. */
export interface Metered {
  readonly usage: Usage | undefined;
  /** Input usage, if the upstream reports it before the output. */
  readonly inputUsage?: Usage | undefined;
  /** Whether content was delivered. A stream that fails before is not charged. */
  readonly hasContent?: boolean;
  takeOutputText(): string;
}

/** Lost parts of a request, which may be known only at the end of the response. */
interface Lossy {
  readonly lost: readonly string[];
}

const NO_LOSS: Lossy = { lost: [] };
/** Maximum time that a response waits for its settlement on disk. */
const DURABLE_WAIT_MS = 5_000;

/**
 * Accounts for one call from its hold to its record: money and rate reservations. It is closed
 * once, by the first event that ends the call; later attempts wait for that.
 */
export class Settlement implements Watched, CloseListener {
  readonly #call: Endable;
  readonly #deps: SettlementDeps;
  readonly #attempts: AttemptRecord[] = [];
  /** Resolves when the hold is on disk. No byte of a response is sent before. */
  readonly durable: Promise<void>;
  #route: Candidate | undefined;
  #metered: Metered | undefined;
  #lossy: Lossy = NO_LOSS;
  #firstByteAt: number | undefined;
  #upstreamMs = 0;
  /** Only if the upstream reports no usage. */
  #uncounted: PendingOutput | undefined;
  #held: NanoUsd;
  #noting: Promise<NanoUsd> | undefined;
  #checkpointedAt: number;
  #closing: Promise<void> | undefined;
  #trailer: string | undefined;
  /** Present while the call waits for the disk. */
  #onSettled: (() => void) | undefined;
  dueAt = Infinity;
  slot: number | undefined;
  /** Reservations of the caller's and of the channel's limits. */
  #callerReservation: RateReservation | undefined;
  #channelReservation: RateReservation | undefined;
  #usedTokens = 0;

  private constructor(
    call: Endable,
    plan: Pick<Plan, "estimate">,
    durable: Promise<void>,
    deps: SettlementDeps,
    reservation: RateReservation | undefined,
  ) {
    this.#call = call;
    this.#deps = deps;
    this.#callerReservation = reservation;
    this.durable = durable;
    this.#held = plan.estimate;
    this.#checkpointedAt = call.startedAt;
    // Checked when the first byte is sent; until then a rejection is not unhandled.
    if (!isProvisional(call)) durable.catch(() => {});
  }

  /**
   * Reserves the maximum cost of the call. Throws `out_of_quota` before any upstream request.
   * `claim`: the call's rate reservation, released at its end.
   */
  static open(
    call: Endable,
    plan: Pick<Plan, "estimate">,
    deps: SettlementDeps,
    reservation?: RateReservation,
  ): Settlement | Promise<Settlement> {
    if (deps.open.count >= deps.maxOpen) {
      throw new GatewayError(
        "overloaded",
        "The gateway has reached its limit of concurrent calls. Retry later.",
        {
          retryAfterMs: 1_000,
        },
      );
    }
    const { ledger } = deps;
    const request = new CallHold(call, plan.estimate);
    if (ledger.holdNow === undefined) {
      return Settlement.#openAfter(request, call, plan, deps, reservation);
    }
    const { durable } = ledger.holdNow(request);
    deps.open.enter(call);
    return new Settlement(call, plan, durable, deps, reservation);
  }

  static async #openAfter(
    request: HoldRequest,
    call: Endable,
    plan: Pick<Plan, "estimate">,
    deps: SettlementDeps,
    reservation: RateReservation | undefined,
  ): Promise<Settlement> {
    deps.open.enter(call);
    try {
      const { durable } = await deps.ledger.hold(request);
      return new Settlement(call, plan, durable, deps, reservation);
    } catch (cause) {
      deps.open.leave(call);
      throw cause;
    }
  }

  /** Text after the last event of a complete stream. */
  get trailer(): string | undefined {
    return this.#trailer;
  }

  get attempts(): readonly AttemptRecord[] {
    return this.#attempts;
  }

  /** Attempts that ended. */
  get attemptCount(): number {
    return this.#attempts.length;
  }

  /** `waitedMs`: for the upstream, until the answer began or the attempt failed. */
  recordAttempt(attempt: AttemptRecord, waitedMs = 0): void {
    this.#upstreamMs += waitedMs;
    this.#attempts.push(attempt);
  }

  /** The last attempt, which had started to respond, failed before any content. */
  amendAttempt(error: GatewayError, durationMs: number): void {
    const last = this.#attempts.pop();
    if (last === undefined) return;
    const kept = error.vendor && keptFailure(error.vendor, "", undefined);
    this.#attempts.push({ ...last, fault: error.code, durationMs, ...kept });
  }

  /** Sets the rate reservation of the channel that responds, in place of an earlier one. */
  attachChannelReservation(reservation: RateReservation): void {
    if (this.#channelReservation !== undefined)
      release(this.#channelReservation, 0, this.#deps.limiter);
    this.#channelReservation = reservation;
  }

  /** A route started to respond: from here on, delivered content is charged. */
  beginMetering(route: Candidate, metered: Metered, lossy: Lossy): void {
    this.#route = route;
    this.#metered = metered;
    this.#lossy = lossy;
    this.#firstByteAt = this.#deps.clock.monotonic();
    if (isUnpriced(route)) noteUnpriced(this.#call, route, this.#deps);
    else this.#noteUnpricedTier(route);
  }

  /** A published tier without a published price is charged as the usual one, and not in silence. */
  #noteUnpricedTier(route: Candidate): void {
    const { price } = route;
    if (price?.variants === undefined) return;
    const { serviceTier } = servedUnlessTold(this.#call, route);
    if (serviceTier === undefined || !isTierUnpriced(price, { serviceTier })) return;
    this.#call.onUnpriced?.("service_tier");
    this.#deps.onUnpriced({ ...unpricedNotice(this.#call, route, false), serviceTier });
  }

  complete(): Promise<void> {
    return this.#close("completed", undefined);
  }

  fail(error: GatewayError): Promise<void> {
    return this.#close(error.code === "canceled" ? "canceled" : "failed", error);
  }

  cancel(): Promise<void> {
    return this.#close("canceled", undefined);
  }

  /** Leaves the hold to another owner; rate reservations are released. */
  transfer(): void {
    if (this.#closing !== undefined) return;
    this.#closing = Promise.resolve();
    this.#leave();
  }

  /**
   * Increases the hold to the cost of a response. False if the caller's quota is not sufficient.
   */
  async covers(route: Candidate, usage: Usage): Promise<boolean> {
    const completed = this.#completed(usage, route);
    const cost = costOf(completed, route.price ?? FREE, this.#pricesOf(completed));
    return cost <= this.#held || (await this.#extend(nanoUsd(cost - this.#held)));
  }

  isCheckpointDue(now: number, intervalMs: number): boolean {
    return now - this.#checkpointedAt >= intervalMs;
  }

  /**
   * Records the delivered part of a long response, so that a crash loses little. Increases the hold
   * if the response exceeded it: with a margin if possible, else by the missing amount. False if
   * the quota is not sufficient: the response must end.
   */
  async checkpoint(): Promise<boolean> {
    this.#checkpointedAt = this.#deps.clock.monotonic();
    if (this.#closing !== undefined || this.#metered === undefined) return true;

    if (this.#metered.hasContent === false) return true;

    // Counting takes time, so a response well within its hold does not wait for it.
    this.#noting ??= this.#note(this.#metered).finally(() => (this.#noting = undefined));
    if (this.#costOf(this.#roughUsage(this.#metered)) <= this.#held) return true;
    const delivered = await this.#noting;
    if (delivered <= this.#held) return true;
    const missing = nanoUsd(delivered - this.#held);
    const ample = nanoUsd(Math.max(missing, Math.ceil(this.#held / 2)));
    return (await this.#extend(ample)) || (ample > missing && (await this.#extend(missing)));
  }

  /**
   * Counts the delivered part as at the end of the call, and records it for recovery by another
   * gateway.
   */
  async #note(metered: Metered): Promise<NanoUsd> {
    const usage = await this.#usageSoFar(metered);
    const cost = this.#costOf(usage);
    if (this.#closing !== undefined) return cost;
    const record = this.#recordOf("interrupted", "internal", usage, cost);
    this.#deps.ledger.checkpoint(this.#call.id, cost, { ...contextOf(this.#call), record });
    return cost;
  }

  async #usageSoFar(metered: Metered): Promise<Usage> {
    if (metered.usage !== undefined)
      return { ...this.#completed(metered.usage), isEstimated: true };
    this.collect();
    try {
      const tokens = await this.#pending.countSoFar();
      const counted = await this.#call.count("", this.#route?.traits ?? {}, tokens);
      return this.#completed(withInput(withPrompt(counted, this.#route), metered.inputUsage));
    } catch (cause) {
      this.#deps.onError(cause);
      return this.#roughUsage(metered);
    }
  }

  get #pending(): PendingOutput {
    this.#uncounted ??= new PendingOutput();
    return this.#uncounted;
  }

  get #price(): Price {
    return this.#route?.price ?? FREE;
  }

  #costOf(usage: Usage): NanoUsd {
    return costOf(usage, this.#price, this.#pricesOf(usage));
  }

  /** Looks up the prices, at the start of this call, of other models that did a part of its work. */
  #pricesOf({ steps, servedBy }: Usage): PriceOf | undefined {
    return steps === undefined && servedBy === undefined ? undefined : this.#otherPrices();
  }

  #otherPrices(): PriceOf {
    return (model) => {
      const price = this.#route?.priceOf?.(model);
      return price && priceAt(price, this.#call.at);
    };
  }

  #recordOf(
    outcome: CallOutcome,
    fault: FaultCode | null,
    usage: Usage,
    cost: NanoUsd,
    attempts: readonly AttemptRecord[] = this.#attempts,
  ): CallRecord {
    return recordOf(this.#call, this.#deps.clock, {
      outcome,
      fault,
      usage,
      cost,
      route: this.#route,
      priceOf: this.#pricesOf(usage),
      firstByteAt: this.#firstByteAt,
      upstreamMs: this.#upstreamMs,
      attempts,
      lost: this.#lossy.lost,
    });
  }

  /** Takes the output text so far, which is only counted if no usage is reported. */
  collect(): void {
    if (this.#closing !== undefined || this.#metered === undefined) return;
    const text = this.#metered.takeOutputText();
    if (this.#metered.usage === undefined) this.#pending.add(text);
  }

  async #extend(more: NanoUsd): Promise<boolean> {
    const isGranted = await this.#deps.ledger.extend(this.#call.id, more);
    if (isGranted) this.#held = nanoUsd(this.#held + more);
    return isGranted;
  }

  #close(outcome: CallOutcome, error: GatewayError | undefined): Promise<void> {
    this.#closing ??= this.#settle(outcome, error);
    return this.#closing;
  }

  #leave(): void {
    const { open, limiter } = this.#deps;
    open.leave(this.#call);
    if (this.#callerReservation !== undefined)
      release(this.#callerReservation, this.#usedTokens, limiter);
    if (this.#channelReservation !== undefined)
      release(this.#channelReservation, this.#usedTokens, limiter);
  }

  /** Resolves once the charge is on disk, or after the limit of a response's wait for it. */
  #settle(outcome: CallOutcome, error: GatewayError | undefined): Promise<void> {
    const isOwed = this.#isOwed(outcome);
    const usage = isOwed ? this.#reportedUsage() : NO_USAGE;
    return usage === undefined
      ? this.#settleCounted(outcome, error)
      : this.#settleWith(usage, isOwed, outcome, error);
  }

  async #settleCounted(outcome: CallOutcome, error: GatewayError | undefined): Promise<void> {
    let usage: Usage;
    try {
      usage = await this.#countedUsage();
    } catch (cause) {
      this.#leave();
      throw cause;
    }
    await this.#settleWith(usage, true, outcome, error);
  }

  #settleWith(
    usage: Usage,
    isOwed: boolean,
    outcome: CallOutcome,
    error: GatewayError | undefined,
  ): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#onSettled = resolve;
    const { deadlines } = this.#deps.delivery;
    this.dueAt = deadlines.now() + DURABLE_WAIT_MS;
    deadlines.watch(this);
    try {
      this.#book(usage, isOwed, outcome, error);
    } catch (cause) {
      this.#end();
      return Promise.reject(cause);
    }
    return promise;
  }

  #book(
    usage: Usage,
    isOwed: boolean,
    outcome: CallOutcome,
    error: GatewayError | undefined,
  ): void {
    this.#usedTokens = usage.inputTokens + usage.outputTokens;
    const cost = this.#costOf(usage);
    const attempts = withFailure(this.#attempts, error);
    const fault = error?.code ?? (outcome === "canceled" ? outcome : null);
    const record = this.#recordOf(outcome, fault, usage, cost, attempts);
    this.#closeHold(isOwed ? "settle" : "void", cost, record);
    this.#deps.onClosed(record);
    if (outcome === "completed") this.#trailer = this.#call.onCharged?.(record);
  }

  #closeHold(kind: "settle" | "void", cost: NanoUsd, record: CallRecord): void {
    const { ledger } = this.#deps;
    const { id } = this.#call;
    if (ledger.closeNow !== undefined) {
      ledger.closeNow(id, kind, cost, record, this);
      return;
    }
    const closing = kind === "settle" ? ledger.settle(id, cost, record) : ledger.void(id, record);
    closing.then(
      () => this.onClosed(),
      (cause: unknown) => this.onClosed(cause ?? new Error("The settlement failed.")),
    );
  }

  /** The charge is on disk, or the reason why it is not. */
  onClosed(cause?: unknown): void {
    const onSettled = this.#onSettled;
    if (onSettled === undefined) return;
    if (cause !== undefined) this.#deps.onError(cause);
    this.#end();
    onSettled();
  }

  /** Ends the wait for the disk. */
  #end(): void {
    this.#onSettled = undefined;
    this.#deps.delivery.deadlines.release(this);
    this.#leave();
  }

  /** The disk is late; a later write still completes. */
  onDue(): void {
    this.onClosed(new Error("The settlement is not on disk yet."));
  }

  /** For an incomplete response, only the delivered part of a stream is charged. */
  #isOwed(outcome: CallOutcome): boolean {
    if (this.#metered === undefined) return false;
    return (
      outcome === "completed" || (this.#call.facts.stream && this.#metered.hasContent !== false)
    );
  }

  #reportedUsage(): Usage | undefined {
    const usage = this.#metered?.usage;
    return usage && this.#completed(usage);
  }

  async #countedUsage(): Promise<Usage> {
    const inputUsage = this.#metered?.inputUsage;
    const rest = this.#metered?.takeOutputText() ?? "";
    const { text, tokens } = await this.#pending.whole(rest);
    try {
      const counted = await this.#call.count(text, this.#route?.traits ?? {}, tokens);
      return this.#completed(withInput(withPrompt(counted, this.#route), inputUsage));
    } catch (cause) {
      // The hold must be closed even if counting fails.
      this.#deps.onError(cause);
      const rough = this.#usageOf(tokens + estimateTokens(text));
      return this.#completed(withInput(rough, inputUsage));
    }
  }

  #roughUsage(metered: Metered): Usage {
    if (metered.usage !== undefined) return this.#completed(metered.usage);
    this.#pending.add(metered.takeOutputText());
    const rough = this.#usageOf(this.#pending.roughTokens);
    return this.#completed(withInput(rough, metered.inputUsage));
  }

  /**
   * Few upstreams report the kind of a result or the service tier: the requested one is assumed.
   */
  #completed(usage: Usage, route = this.#route): Usage {
    const { grade } = this.#call.units ?? {};
    const graded = grade === undefined || usage.grade !== undefined ? usage : { ...usage, grade };
    if (route === undefined) return graded;
    const searched = withChargedSearches(graded, route.price);
    const isNamed = searched.servedBy === undefined || route.hasOwnPrice !== true;
    const named = isNamed ? searched : withoutServedBy(searched);
    if (route.price?.variants === undefined) return named;
    return { ...named, served: { ...servedUnlessTold(this.#call, route), ...usage.served } };
  }

  #usageOf(outputTokens: number): Usage {
    const { inputTokens, units } = this.#call;
    const usage = { ...NO_USAGE, ...units, inputTokens, outputTokens, isEstimated: true };
    return withPrompt(usage, this.#route);
  }
}

/**
 * The requested service tier of the upstream's own style, and the region of the channel's address.
 */
function servedUnlessTold(call: Endable, route: Candidate & MaybeStyled): ServedAs {
  const { region } = route;
  const isSent = route.endpoint?.style.id === call.style.id;
  const { serviceTier, speed, region: asked } = (isSent ? call.facts.asked : undefined) ?? {};
  return defined({
    serviceTier: serviceTier === ANY_TIER ? undefined : serviceTier,
    speed,
    region: asked ?? region,
  });
}

interface MaybeStyled {
  readonly endpoint?: { readonly style: { readonly id: string } };
}

/** Some models cost once for a call that searched. */
function withChargedSearches(usage: Usage, price: Price | undefined): Usage {
  const { searches = 0 } = usage;
  return price?.searchOncePerCall === true && searches > 1 ? { ...usage, searches: 1 } : usage;
}

/** An operator's price for a name applies to any model that responds under it. */
function withoutServedBy({ servedBy: _servedBy, ...usage }: Usage): Usage {
  return usage;
}

/** Tells the client and the operator that the call is free because its price is unknown. */
export function noteUnpriced(
  call: Pick<Served, "facts" | "onUnpriced">,
  route: Candidate,
  deps: Pick<SettlementDeps, "onUnpriced">,
): void {
  call.onUnpriced?.("model");
  deps.onUnpriced(unpricedNotice(call, route, false));
}

function contextOf(call: Endable): HoldContext {
  const { key, facts, style } = call;
  const context: Mutable<HoldContext> = {
    userId: key.userId,
    keyId: key.id,
    model: facts.model,
    style: style.id,
    isStream: facts.stream,
  };
  addOwner(context, call);
  return context;
}

/**
 * The upstream's input usage takes precedence over a local count, because it includes cache hits.
 */
function withInput(counted: Usage, told: Usage | undefined): Usage {
  if (told === undefined || told.inputTokens === 0) return counted;
  const outputTokens = Math.max(told.outputTokens, counted.outputTokens);
  return { ...counted, ...told, outputTokens, isEstimated: true };
}

/** A response that was interrupted counts as a failed attempt, although it started. */
function withFailure(
  attempts: readonly AttemptRecord[],
  error: GatewayError | undefined,
): readonly AttemptRecord[] {
  const last = attempts.at(-1);
  if (error?.fault.blame !== "upstream" || last === undefined || last.fault !== null)
    return attempts;
  const kept = error.vendor && keptFailure(error.vendor, "", undefined);
  return [...attempts.slice(0, -1), { ...last, fault: error.code, ...kept }];
}

/** The context is only made if the hold is written, which those of complete responses are not. */
class CallHold implements HoldRequest {
  readonly #call: Endable;
  readonly callId: string;
  readonly accounts: HoldRequest["accounts"];
  readonly budgets?: readonly Budget[];
  readonly amount: NanoUsd;
  readonly openedAt: number;
  readonly isProvisional?: true;
  readonly isLasting?: true;

  constructor(call: Endable, amount: NanoUsd) {
    const { id, key, at, isLasting } = call;
    this.#call = call;
    this.callId = id;
    this.accounts = key.accounts;
    this.amount = amount;
    this.openedAt = at;
    if (key.budgets !== undefined) this.budgets = key.budgets;
    if (isLasting) this.isLasting = true;
    if (isProvisional(call)) this.isProvisional = true;
  }

  get context(): HoldContext {
    return contextOf(this.#call);
  }
}

/** No byte of a complete response leaves before its settlement. */
function isProvisional({ facts, isLasting }: Endable): boolean {
  return isLasting !== true && !facts.stream;
}

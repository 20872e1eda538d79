import { estimateInputTokens } from "#core/count.ts";
import type { CallRecord, CallTags } from "#core/call.ts";
import type { Family } from "#core/family.ts";
import type { ApiKey, Budget } from "#core/key.ts";
import type { RateLimitStatus } from "#core/limits.ts";
import type { ModelTraits } from "#core/model.ts";
import type { InboundStyle, RequestBody, RequestFacts } from "#core/style.ts";
import type { Usage } from "#core/usage.ts";
import { Cancellation } from "#lib/cancellation.ts";
import type { Clock } from "#lib/clock.ts";
import type { ReadHeader } from "#providers/provider.ts";
import type { Call, Served } from "#relay/call.ts";
import type { Endable } from "#relay/metering/open-calls.ts";
import { openCounter } from "#relay/metering/count-usage.ts";
import type { UnpricedPart } from "#relay/routing/unpriced.ts";
import { callTags } from "#http/call-tags.ts";
import { rateHeaders } from "#http/rate-headers.ts";
import { requireKey } from "#http/require-key.ts";
import type { Exchange } from "#http/routes.ts";
import { budgetHeader } from "#http/budget-header.ts";
import { unpricedHeader } from "#http/unpriced-header.ts";

/** A text call that came as a request. What few calls need is made when it is asked for. */
export class TextCall implements Endable<Call>, EventListenerObject {
  readonly id: string;
  readonly key: ApiKey;
  readonly style: InboundStyle;
  readonly endpoint: Family | undefined;
  readonly body: RequestBody;
  readonly facts: RequestFacts;
  readonly inputTokens: number;
  readonly tags?: CallTags;
  readonly isStrict: boolean;
  readonly callerSignal: AbortSignal;
  readonly cancellation = new Cancellation();
  readonly at: number;
  readonly startedAt: number;
  readonly #exchange: Exchange;
  readonly #clock: Clock;
  #header: ReadHeader | undefined;
  #counter: Served["count"] | undefined;

  constructor(
    exchange: Exchange,
    style: InboundStyle,
    body: RequestBody,
    facts: RequestFacts,
    clock: Clock,
  ) {
    const { headers } = exchange.request;
    this.id = exchange.id;
    this.key = requireKey(exchange);
    this.style = style;
    this.endpoint = exchange.family;
    this.body = body;
    this.facts = facts;
    this.inputTokens = estimateInputTokens(body.json);
    const tags = callTags(headers);
    if (tags !== undefined) this.tags = tags;
    this.isStrict = headers.get("sluice-strict") === "true";
    this.callerSignal = exchange.signal;
    this.at = clock.now();
    this.startedAt = clock.monotonic();
    this.#exchange = exchange;
    this.#clock = clock;
    if (this.callerSignal.aborted) this.handleEvent();
    else this.callerSignal.addEventListener("abort", this, ONCE);
  }

  get traceparent(): string | undefined {
    return this.#exchange.request.headers.get("traceparent") ?? undefined;
  }

  get signal(): AbortSignal {
    return this.cancellation.signal;
  }

  get header(): ReadHeader {
    this.#header ??= headerReader(this.#exchange.request.headers);
    return this.#header;
  }

  /** The client has disconnected. */
  handleEvent(): void {
    this.cancellation.cancel(this.callerSignal.reason);
  }

  end(reason: unknown): void {
    this.cancellation.cancel(reason);
  }

  now(): number {
    return this.#clock.now();
  }

  count(outputText: string, traits: ModelTraits, countedTokens: number): Promise<Usage> {
    this.#counter ??= openCounter(() =>
      this.style.inbound.parseRequest(this.body.json, this.facts),
    );
    return this.#counter(outputText, traits, countedTokens);
  }

  onUnpriced(what: UnpricedPart): void {
    this.#exchange.announce(unpricedHeader(what));
  }

  onBudgetWarning(budgets: readonly Budget[]): void {
    this.#exchange.announce(budgetHeader(budgets));
  }

  /** Clients of a style without keep-alives refuse comments. */
  onCharged(record: CallRecord): string | undefined {
    const trailer = this.#exchange.announceCharge(record);
    return this.style.keepAlive === undefined ? undefined : trailer;
  }

  onStanding(status: RateLimitStatus): void {
    this.#exchange.announce(rateHeaders(status, this.style.rateHeaderPrefix, this.#clock.now()));
  }
}

const ONCE = { once: true };

function headerReader(headers: Headers): ReadHeader {
  return Object.assign((name: string) => headers.get(name) ?? undefined, {
    names: () => headers.keys(),
  });
}

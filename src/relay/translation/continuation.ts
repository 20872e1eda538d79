import type { ChatEvent } from "#core/chat.ts";
import { addUsage, NO_USAGE, type Usage } from "#core/usage.ts";
import type { UpstreamReply } from "#egress/egress.ts";
import { isObject, parseJson } from "#lib/json.ts";
import type { Outgoing, UpstreamTransport } from "../failover/attempt.ts";
import type { Call } from "../call.ts";
import { HopJoiner } from "./join-hops.ts";
import type { WireRoute } from "../routing/route.ts";
import type { Settlement } from "../metering/settlement.ts";

export interface ContinuationDeps {
  /** Maximum number of further requests for one response; 0 disables continuation. */
  readonly maxContinuations: number;
}

/** Checks whether the caller's quota covers a response. */
export type Books = Pick<Settlement, "covers">;

/**
 * Further requests for a response that its vendor splits, one after another, up to the client's
 * output limit. Each reads the whole input again, so each is reserved before it is sent.
 */
export class Continuation {
  readonly joiner = new HopJoiner();
  readonly #call: Call;
  readonly #route: WireRoute;
  readonly #way: UpstreamTransport;
  readonly #books: Books;
  #request: Outgoing;
  #left: number;
  #expected: Usage | undefined;

  private constructor(
    call: Call,
    route: WireRoute,
    transport: UpstreamTransport,
    request: Outgoing,
    books: Books,
    most: number,
  ) {
    this.#call = call;
    this.#route = route;
    this.#way = transport;
    this.#request = request;
    this.#books = books;
    this.#left = most;
  }

  /** `undefined` if the style has no continuation, or the limit is 0. */
  static of(
    call: Call,
    route: WireRoute,
    transport: UpstreamTransport,
    { body, headers }: Outgoing,
    books: Books,
    { maxContinuations }: ContinuationDeps,
  ): Continuation | undefined {
    const isAble = route.endpoint.style.outbound.continuation !== undefined;
    if (!isAble || maxContinuations === 0 || call.facts.choices > 1) return undefined;
    return new Continuation(call, route, transport, { body, headers }, books, maxContinuations);
  }

  /**
   * The upstream's next reply, if the response continues and the limits allow it. `end`: the final
   * events of the last one.
   */
  async next(end: readonly ChatEvent[]): Promise<UpstreamReply | undefined> {
    const body = this.#nextBody(end);
    if (body === undefined || this.#left === 0) return undefined;
    const last = usageIn(end) ?? { ...NO_USAGE, inputTokens: this.#call.inputTokens };
    const soFar = this.joiner.usage === undefined ? last : addUsage(this.joiner.usage, last);
    const { maxOutputTokens = Infinity } = this.#call.facts;
    const room = maxOutputTokens - soFar.outputTokens;
    if (room <= 0) return undefined;
    // The next part is assumed to be as long as the last one.
    const outputTokens = Math.min(last.outputTokens, room);
    const reasoningTokens = Math.min(last.reasoningTokens, outputTokens);
    const expected = addUsage(soFar, { ...last, outputTokens, reasoningTokens });
    if (!(await this.#books.covers(this.#route, expected))) return undefined;
    this.#expected = { ...expected, outputTokens: soFar.outputTokens };
    this.#left--;
    this.#request = { ...this.#request, body };
    return await this.#way.post(this.#route, this.#request);
  }

  /** Usage of the finished parts, and the input of the current one; `undefined` in the first. */
  get usage(): Usage | undefined {
    return this.#expected;
  }

  #nextBody(end: readonly ChatEvent[]): string | undefined {
    const { outbound } = this.#route.endpoint.style;
    for (const event of end) {
      const edits = event.type === "finish" ? outbound.continuation?.(event) : undefined;
      if (edits === undefined) continue;
      const body = parseJson(this.#request.body);
      return JSON.stringify({ ...(isObject(body) ? body : {}), ...edits });
    }
    return undefined;
  }
}

function usageIn(events: readonly ChatEvent[]): Usage | undefined {
  return events.findLast((event) => event.type === "usage")?.usage;
}

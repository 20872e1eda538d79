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
  /** Requests beside the first for one answer; with 0 an answer ends where its first request does. */
  readonly maxContinuations: number;
}

/** Whether the caller can bear what an answer comes to. */
export type Books = Pick<Settlement, "covers">;

/**
 * The further requests of an answer that its vendor gives in several, one
 * after the other, up to the caller's limit on the output. Each reads the whole
 * question anew, so each is reserved for before it is sent.
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

  /** `undefined` if answers of the style come at once, or nobody is to ask for their rest. */
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
   * The upstream's next reply, if the answer goes on and may. `end`: what ended
   * the last one.
   */
  async next(end: readonly ChatEvent[]): Promise<UpstreamReply | undefined> {
    const body = this.#nextBody(end);
    if (body === undefined || this.#left === 0) return undefined;
    const last = usageIn(end) ?? { ...NO_USAGE, inputTokens: this.#call.inputTokens };
    const soFar = this.joiner.usage === undefined ? last : addUsage(this.joiner.usage, last);
    const { maxOutputTokens = Infinity } = this.#call.facts;
    const room = maxOutputTokens - soFar.outputTokens;
    if (room <= 0) return undefined;
    // What comes is taken to be as much again as what came.
    const outputTokens = Math.min(last.outputTokens, room);
    const reasoningTokens = Math.min(last.reasoningTokens, outputTokens);
    const expected = addUsage(soFar, { ...last, outputTokens, reasoningTokens });
    if (!(await this.#books.covers(this.#route, expected))) return undefined;
    this.#expected = { ...expected, outputTokens: soFar.outputTokens };
    this.#left--;
    this.#request = { ...this.#request, body };
    return await this.#way.post(this.#route, this.#request);
  }

  /** What the hops so far have used, and what the one under way reads; `undefined` in the first. */
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

import type { CallRecord } from "#core/call.ts";
import type { Egress } from "#egress/egress.ts";
import { Deadlines } from "#lib/deadlines.ts";
import type { CallDeps } from "#relay/call-deps.ts";
import { BufferedBytes } from "#relay/delivery/buffered-bytes.ts";
import { Health } from "#relay/failover/health.ts";
import { OpenCalls } from "#relay/metering/open-calls.ts";
import { Router, type Candidate } from "#relay/routing/route.ts";

/**
 * What a call needs of a gateway with one channel, without a database or a network. What happens
 * there is listed in order.
 */
export function callDeps(candidate: Candidate, send: Egress["send"]) {
  const events: string[] = [];
  const settled: CallRecord[] = [];
  const closed: CallRecord[] = [];
  const clock = { now: () => 7, monotonic: () => 1_000 };
  const health = new Health(clock);
  const table = {
    find: () => [candidate],
    nearestTo: () => undefined,
    retiredFor: () => undefined,
    hasLimits: false,
  };
  const stages = {
    egress: {
      send(request: Parameters<Egress["send"]>[0]) {
        events.push("sent");
        return send(request);
      },
    },
    health,
    clock,
    delivery: {
      deadlines: new Deadlines(clock),
      buffered: new BufferedBytes({ bufferedBytes: 1_000_000 }),
      maxEventBytes: 1_000,
      maxPictureEventBytes: 10_000,
      firstSignMs: 60_000,
      silenceMs: 60_000,
      checkpointMs: 60_000,
    },
    maxCallMs: 60_000,
    maxAttempts: 1,
    limiter: {
      take: async () => ({ statuses: [] }),
      correct: () => {},
      release: () => {},
    },
    router: new Router(table, health, { unpriced: "allow", assumedOutputTokens: 1 }),
    ledger: {
      hold: async () => ({ durable: Promise.resolve() }),
      async settle(_: unknown, __: unknown, record: CallRecord) {
        settled.push(record);
        events.push("settled");
        return true;
      },
      async void() {
        events.push("money given back");
        return true;
      },
    },
    open: new OpenCalls(),
    maxOpen: 10,
    onClosed: (record: CallRecord) => void closed.push(record),
    onUnpriced: () => {},
    onError: () => {},
    journal: { write: () => {} },
  };
  const deps = { ...stages, admission: stages, attempts: stages };
  return {
    deps: deps as unknown as CallDeps,
    events,
    settled,
    closed,
    health,
  };
}

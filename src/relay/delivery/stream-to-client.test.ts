import { expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import type { Begun } from "../failover/attempt.ts";
import type { Served } from "../call.ts";
import type { Delivery } from "./deliver.ts";
import { streamToClient } from "./stream-to-client.ts";
import { endable } from "../metering/open-calls.ts";
import type { Candidate } from "../routing/route.ts";
import type { Settlement } from "../metering/settlement.ts";

/** A stream that began, and what is done to it, in order. */
function stage(durable: Promise<void> = Promise.resolve()) {
  const seen: string[] = [];
  const note = (what: string) => () => void seen.push(what);
  const delivery = {
    hasBegun: true,
    stream: { close: note("upstream closed"), lost: [], isTranslated: false },
    send: async () => {
      seen.push("sent");
      return true;
    },
  } as unknown as Delivery;
  const settlement = {
    durable,
    beginMetering: note("metering begun"),
    cancel: async () => void seen.push("hold canceled"),
  } as unknown as Settlement;
  const place = { release: note("place released") };
  const begun = { ...place, attempt: place } as unknown as Begun<unknown, Candidate>;
  const caller = new AbortController();
  const call = endable({ signal: caller.signal } as unknown as Served);
  const failover = {
    begun: begun as Begun<Delivery, Candidate>,
    onBegun: note("channel reported"),
  };
  return {
    seen,
    caller,
    handedOver: () => streamToClient(call, delivery, begun, settlement),
    withFailover: () => streamToClient(call, delivery, begun, settlement, failover),
  };
}

const LET_GO = ["upstream closed", "place released", "hold canceled"];

test("a client that disconnected while the hold was written releases the upstream, the slot and the hold", async () => {
  const { seen, caller, handedOver } = stage();
  caller.abort();
  await handedOver();

  expect(seen).toEqual(["metering begun", ...LET_GO]);
});

test("a client that disconnects before the first byte is sent releases them as well", async () => {
  const { seen, caller, handedOver } = stage();
  await handedOver();
  expect(seen).toEqual(["metering begun"]);
  caller.abort();

  expect(seen).toEqual(["metering begun", ...LET_GO]);
});

test("during delivery, the delivery handles a disconnect", async () => {
  const { seen, caller, handedOver } = stage();
  const answer = await handedOver();
  await answer.send({ write: () => {} });
  caller.abort();

  expect(seen).toEqual(["metering begun", "sent"]);
});

test("a hold that is not written to disk releases the upstream and the slot, and no response is sent", async () => {
  const { seen, handedOver } = stage(Promise.reject(new Error("The disk is full.")));
  const outcome = await handedOver().then(
    () => "handed over",
    (cause: unknown) => String(cause),
  );

  expect(outcome).toContain("The disk is full.");
  expect(seen).toEqual(["upstream closed", "place released"]);
});

/** A stream without content yet. Each of `outcomes` is one channel's: it begins, or it fails. */
function stageFailover(outcomes: readonly ("begins" | "fails")[]) {
  const seen: string[] = [];
  const begunOf = (at: number): Begun<Delivery, Candidate> => {
    const name = `channel ${at}`;
    const attempt = { release: () => void seen.push(`${name} released after content`) };
    const answer = {
      hasBegun: false,
      stream: { close: () => void seen.push(`${name} closed`), lost: [name], isTranslated: true },
      keepAwake: () => ({ [Symbol.dispose]: () => void seen.push("awake until here") }),
      whenBegun: async () => {
        if (outcomes[at] === "fails")
          throw new GatewayError("upstream_unreachable", `${name} failed`);
      },
      send: async (_sink: unknown, _settlement: unknown, place: unknown) => {
        seen.push(`${name} sent${place === attempt ? " as an attempt" : ""}`);
        return true;
      },
      abandon: async (failure: GatewayError, _sink: unknown, _by: unknown, place: unknown) => {
        seen.push(
          `${name} abandoned: ${failure.message}, ${place === begun ? "its" : "other"} place`,
        );
      },
    } as unknown as Delivery;
    const begun = {
      route: name,
      answer,
      attempt,
      release: () => void seen.push(`${name} released`),
      instead: async (cause: unknown) => {
        if (at + 1 < outcomes.length) return begunOf(at + 1);
        throw cause;
      },
    } as unknown as Begun<Delivery, Candidate>;
    return begun;
  };
  const settlement = {
    durable: Promise.resolve(),
    beginMetering: (route: unknown) => void seen.push(`${String(route)} metered`),
    cancel: async () => void seen.push("hold canceled"),
  } as unknown as Settlement;
  const caller = new AbortController();
  const call = endable({ signal: caller.signal } as unknown as Served);
  const begun = begunOf(0);
  const onBegun = (each: Begun<unknown, Candidate>): void => {
    seen.push(`${each.route as unknown as string} chosen`);
  };
  const handedOver = (): ReturnType<typeof streamToClient> =>
    streamToClient(call, begun.answer, begun, settlement, { begun, onBegun });
  return { seen, caller, handedOver };
}

test("a stream without content is replaced by the next channel's, which is metered and sent", async () => {
  const { seen, handedOver } = stageFailover(["fails", "begins"]);
  const answer = await handedOver();
  expect([answer.lost, answer.isTranslated]).toEqual([["channel 0"], true]);

  expect(await answer.send({ write: () => {} })).toBe(true);

  expect(answer.lost).toEqual(["channel 1"]);
  expect(seen).toEqual([
    "channel 0 metered",
    "channel 0 closed",
    "channel 1 metered",
    "channel 1 chosen",
    "awake until here",
    "channel 1 sent as an attempt",
  ]);
});

test("if no channel is left, the last one's failure ends the stream at its own place", async () => {
  const { seen, handedOver } = stageFailover(["fails", "fails"]);
  const answer = await handedOver();

  expect(await answer.send({ write: () => {} })).toBe(false);

  expect(seen.slice(2)).toEqual([
    "channel 1 metered",
    "awake until here",
    "channel 1 abandoned: channel 1 failed, its place",
  ]);
});

test("the first channel's answer is sent by that channel if its content comes", async () => {
  const { seen, handedOver } = stageFailover(["begins", "begins"]);
  const answer = await handedOver();

  await answer.send({ write: () => {} });

  expect(seen).toEqual([
    "channel 0 metered",
    "channel 0 chosen",
    "awake until here",
    "channel 0 sent as an attempt",
  ]);
});

test("a client that disconnects before the content releases the channel with its failover", async () => {
  const { seen, caller, handedOver } = stageFailover(["begins"]);
  await handedOver();
  caller.abort();

  expect(seen).toEqual([
    "channel 0 metered",
    "channel 0 closed",
    "channel 0 released",
    "hold canceled",
  ]);
});

test("a stream whose content has begun reports its channel, and is sent without failover", async () => {
  const { seen, withFailover } = stage();
  const answer = await withFailover();

  expect(await answer.send({ write: () => {} })).toBe(true);
  expect(seen).toEqual(["metering begun", "channel reported", "sent"]);
});

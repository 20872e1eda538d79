import { expect, test } from "bun:test";
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
  return { seen, caller, handedOver: () => streamToClient(call, delivery, begun, settlement) };
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

import type { AccountId, Budget } from "#core/key.ts";
import { nanoUsd } from "#core/money.ts";
import { holdWith, newId, openAt, recordOf, type Address } from "./contract-place.ts";
import type { Storage } from "#storage/open.ts";

/** A gateway process of a test, told by its argument what to do; it answers in lines. */
export interface ChildTask {
  readonly address: Address;
  readonly accounts: readonly AccountId[];
  readonly budgets?: readonly Budget[];
  readonly act: Act;
}

type Act =
  /** Holds once, checkpoints, and then lives on until it is killed. */
  | { readonly type: "hold"; readonly amount: number; readonly checkpoint: number }
  /** Holds, checkpoints and settles without end, and says what it was promised. */
  | { readonly type: "churn" }
  /** Writes to the audit log without end, and says what it was promised. */
  | { readonly type: "audit" }
  /** Records so many calls, adds them up a few at a time, and says so. */
  | { readonly type: "sum"; readonly calls: number }
  /** Holds so often at once, and says how often it was let in. */
  | { readonly type: "race"; readonly count: number; readonly amount: number };

type Drawn = Pick<ChildTask, "accounts" | "budgets">;

const CHURNERS = 8;
const MAX_COST = 1_000;
/** More would not be taken at once. */
const MOST_QUEUED = 5_000;

if (import.meta.main) {
  const task: ChildTask = JSON.parse(process.argv[2] ?? "");
  const storage = await openAt(task.address);
  say("ready");
  await perform(storage, task);
  await storage.close();
}

async function perform(storage: Storage, { act, ...drawn }: ChildTask): Promise<void> {
  switch (act.type) {
    case "hold": {
      const request = holdWith(drawn, act.amount);
      const { durable } = await storage.ledger.hold(request);
      await durable;
      storage.ledger.checkpoint(request.callId, nanoUsd(act.checkpoint));
      // Checkpoints are written now and then; this one has been when a later write has.
      await Bun.sleep(600);
      await storage.ping();
      say(`held ${request.callId}`);
      return new Promise(() => {});
    }
    case "churn":
      await Promise.all(Array.from({ length: CHURNERS }, () => churn(storage, drawn)));
      return;
    case "audit":
      await Promise.all(Array.from({ length: CHURNERS }, () => keepAuditing(storage)));
      return;
    case "sum":
      for (let i = 0; i < act.calls; i++) {
        storage.journal.write(recordOf(newId(), i));
        if (i % MOST_QUEUED === 0) await storage.ping();
      }
      await storage.ping();
      while ((await storage.usage.sum(7)) > 0) say("summed");
      return;
    case "race": {
      const holds = await Promise.allSettled(
        Array.from({ length: act.count }, () => storage.ledger.hold(holdWith(drawn, act.amount))),
      );
      say(`admitted ${holds.filter((hold) => hold.status === "fulfilled").length}`);
    }
  }
}

async function churn(storage: Storage, drawn: Drawn): Promise<never> {
  for (;;) {
    const cost = Math.floor(Math.random() * MAX_COST);
    const request = holdWith(drawn, MAX_COST);
    const { callId } = request;
    const { durable } = await storage.ledger.hold(request);
    await durable;
    say(`held ${callId}`);
    storage.ledger.checkpoint(callId, nanoUsd(Math.floor(cost / 2)));
    if (cost % 3 === 0) await Bun.sleep(1);
    await storage.ledger.settle(callId, nanoUsd(cost), recordOf(callId, cost));
    say(`settled ${callId} ${cost}`);
  }
}

async function keepAuditing({ audit }: Storage): Promise<never> {
  for (;;) {
    const requestId = newId();
    await audit.write({
      at: Date.now(),
      actorId: 1,
      actor: "root",
      role: "root",
      proof: "token",
      address: null,
      userAgent: null,
      requestId,
      action: "POST /api/user",
      object: {},
      details: {},
      outcome: "asked",
      status: null,
    });
    say(`audited ${requestId}`);
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

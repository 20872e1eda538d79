import { expect, test } from "bun:test";
import { DummyDriver, Kysely, PostgresAdapter, PostgresQueryCompiler } from "kysely";
import { GatewayError } from "#core/error.ts";
import { nanoUsd } from "#core/money.ts";
import type { Clock } from "#lib/clock.ts";
import { holdFor, reasonOf, recordOf } from "#test/storage/contract-place.ts";
import { STORAGE_LIMITS } from "../limits.ts";
import type { Tables } from "../tables.ts";
import { openPostgresLedger, type OwnHold } from "./ledger.ts";
import type { PostgresWrite } from "./operation.ts";

const AT = Date.UTC(2026, 10, 5);
const away = new GatewayError("unavailable", "The database is away.");
const mistaken = new GatewayError("internal", "The call could not be booked.");

const STILL: Clock = { now: () => AT, monotonic: () => 0 };

/** A ledger whose transactions the test ends. */
function setup({ isOpen = true, clock = STILL } = {}) {
  let committedAt = -Infinity;
  const writes: PostgresWrite[] = [];
  const own = new Map<string, OwnHold>();
  const group = {
    add: (write: PostgresWrite) => void writes.push(write),
    assertOpen: () => {
      if (!isOpen) throw away;
    },
    close: () => Promise.resolve(),
  };
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new DummyDriver(),
      createIntrospector: () => {
        throw new Error("The tests look at no schema.");
      },
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  });
  const ledger = openPostgresLedger(
    {
      db,
      group,
      heartbeat: {
        isAbandoned: () => {
          throw new Error("The tests abandon no hold.");
        },
      },
      instance: "one",
      clock,
      committedAt: () => committedAt,
      limits: { ...STORAGE_LIMITS, holdTimeoutMs: 20, checkpointMs: 5 },
    },
    own,
  );
  const request = holdFor(["user:1", "key:1"], 10);
  const { callId } = request;
  const end = (write: PostgresWrite | undefined, outcome: boolean): void => {
    if (write === undefined) throw new Error("There is no such write.");
    write.outcome = outcome;
    write.done();
  };
  const admit = async (): Promise<void> => {
    const hold = ledger.hold(request);
    end(writes.at(-1), true);
    await hold;
    writes.length = 0;
  };
  /** Later than a hold waits. */
  const late = (): Promise<void> => Bun.sleep(40);
  const commitOther = (): void => {
    committedAt = clock.monotonic();
  };
  return { ledger, writes, own, request, callId, end, admit, late, commitOther };
}

test("holds, extensions and costs are never negative", async () => {
  const { ledger, request, callId, writes } = setup();

  for (const negative of [
    ledger.hold({ ...request, amount: nanoUsd(-1) }),
    ledger.extend(callId, nanoUsd(-1)),
    ledger.settle(callId, nanoUsd(-1), recordOf(callId)),
  ]) {
    expect(String(await reasonOf(negative))).toContain("AssertionError");
  }
  expect(writes).toEqual([]);
});

test("a hold, an extension and a cost of zero are written", async () => {
  const { ledger, request, callId, writes, end } = setup();
  const held = ledger.hold({ ...request, amount: nanoUsd(0) });
  end(writes[0], true);
  await held;

  const extended = ledger.extend(callId, nanoUsd(0));
  end(writes[1], true);
  const settled = ledger.settle(callId, nanoUsd(0), recordOf(callId));
  end(writes[2], true);

  expect(await extended).toBe(true);
  expect(await settled).toBe(true);
});

test("while the database cannot be written, a new hold and an extension are refused, and a settlement waits", async () => {
  const { ledger, request, callId, writes, end } = setup({ isOpen: false });

  expect(await reasonOf(ledger.hold(request))).toBe(away);
  expect(await reasonOf(ledger.extend(callId, nanoUsd(1)))).toBe(away);
  expect(writes).toEqual([]);
  const settled = ledger.settle(callId, nanoUsd(1), recordOf(callId));
  end(writes[0], true);

  expect(await settled).toBe(true);
});

test("an unavailable database may refuse a hold and an extension, but never the end of a hold", async () => {
  const { ledger, request, callId, writes } = setup();
  const settling = setup();
  await settling.admit();
  const voiding = setup();
  await voiding.admit();

  void reasonOf(ledger.hold(request));
  void ledger.extend(callId, nanoUsd(1));
  void settling.ledger.settle(settling.callId, nanoUsd(1), recordOf(settling.callId));
  void voiding.ledger.void(voiding.callId, recordOf(voiding.callId));

  const all = [...writes, ...settling.writes, ...voiding.writes];
  expect(all.map(({ operation, isRefusable }) => [operation.type, isRefusable])).toEqual([
    ["hold", true],
    ["extend", true],
    ["close", false],
    ["close", false],
  ]);
  expect(all.map(({ wasTried, outcome }) => [wasTried, outcome])).toEqual(
    all.map(() => [false, false]),
  );
});

test("a hold that its accounts cannot cover is refused, and a repeated one is new", async () => {
  const { ledger, request, writes, own, end, late } = setup();
  const refused = reasonOf(ledger.hold(request));
  end(writes[0], false);

  expect(await refused).toMatchObject({ code: "out_of_quota" });
  expect(own.size).toBe(0);
  const again = ledger.hold(request);
  end(writes[1], true);
  await again;
  await late();
  expect(own.size).toBe(1);
  expect(writes).toHaveLength(2);
});

test("a repeated hold is one hold, also on the accounts of its periods", async () => {
  const { ledger, request, writes, end } = setup();
  const budgets = [{ owner: "key:1", period: "day", amount: nanoUsd(5) }] as const;

  const holds = [ledger.hold({ ...request, budgets }), ledger.hold({ ...request, budgets })];
  end(writes[0], true);
  await Promise.all(holds);

  expect(writes).toHaveLength(1);
  expect(writes[0]?.operation).toMatchObject({
    columns: { user: "user:1", key: "key:1", more: "key:1@2026-11-05" },
    periods: [{ id: "key:1@2026-11-05" }],
  });
});

test("a hold that exceeds the database's time limit is refused, and released if it was made", async () => {
  const { ledger, request, callId, writes, own, end } = setup();

  const refused = await reasonOf(ledger.hold(request));
  expect(refused).toMatchObject({ code: "unavailable" });
  expect(own.size).toBe(0);
  expect(writes.map(({ operation }) => operation)).toMatchObject([{ isAbandoned: true }]);
  end(writes[0], true);

  expect(writes.slice(1)).toMatchObject([
    {
      operation: { type: "close", kind: "void", callId, cost: 0, at: AT, record: null },
      isRefusable: false,
    },
  ]);
});

test("a hold waits longer if the database commits other calls meanwhile, up to a limit", async () => {
  const clock = { now: () => AT, monotonic: () => performance.now() };
  const { ledger, request, commitOther } = setup({ clock });
  const startedAt = performance.now();
  const busy = setInterval(commitOther, 1);

  const refused = await reasonOf(ledger.hold(request));
  clearInterval(busy);

  expect(refused).toMatchObject({ code: "unavailable" });
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(39);
});

test("a hold and its close report the reserved amount, with extensions that took effect", async () => {
  const { ledger, callId, writes, end, admit } = setup();
  await admit();
  const extended = ledger.extend(callId, nanoUsd(5));
  end(writes[0], true);
  const refused = ledger.extend(callId, nanoUsd(3));
  end(writes[1], false);
  await Promise.all([extended, refused]);

  void ledger.settle(callId, nanoUsd(1), recordOf(callId, 1));

  expect(writes[2]?.operation).toMatchObject({ hold: { amount: 15 } });
});

test("an abandoned hold that was never made leaves nothing to release", async () => {
  const { ledger, request, writes, end } = setup();
  await reasonOf(ledger.hold(request));

  end(writes[0], false);

  expect(writes).toHaveLength(1);
});

test("a hold with an unknown result is released", async () => {
  const { ledger, request, writes, own, late } = setup();
  const refused = reasonOf(ledger.hold(request));
  const [write] = writes;
  if (write !== undefined) write.wasTried = true;

  write?.refuse(away);

  expect(await refused).toBe(away);
  expect(own.size).toBe(0);
  await late();
  expect(writes.slice(1).map(({ operation }) => operation.type)).toEqual(["close"]);
});

test.each([
  ["was never sent to the database", false, away],
  ["can never be booked", true, mistaken],
])("a hold that %s leaves nothing to release", async (_, wasTried, cause) => {
  const { ledger, request, writes } = setup();
  const refused = reasonOf(ledger.hold(request));
  const [write] = writes;
  if (write !== undefined) write.wasTried = wasTried;

  write?.refuse(cause);

  expect(await refused).toBe(cause);
  expect(writes).toHaveLength(1);
});

test("a late refusal of an abandoned hold does not end a later hold of the call", async () => {
  const { ledger, request, writes, own, end } = setup();
  await reasonOf(ledger.hold(request));
  const again = ledger.hold(request);

  writes[0]?.refuse(away);

  expect(own.size).toBe(1);
  end(writes[1], true);
  await again;
});

test("a release that the database refuses is not an error of the gateway", async () => {
  const { ledger, request, writes, end, late } = setup();
  await reasonOf(ledger.hold(request));
  end(writes[0], true);

  writes[1]?.refuse(mistaken);
  await late();

  expect(writes).toHaveLength(2);
});

test("a call is closed by the first attempt, and then belongs to no process", async () => {
  const { ledger, callId, writes, own, end, admit } = setup();
  await admit();

  const settled = ledger.settle(callId, nanoUsd(7), recordOf(callId, 7));
  const voided = ledger.void(callId, recordOf(callId));
  end(writes[0], true);

  expect(await settled).toBe(true);
  expect(await voided).toBe(false);
  expect(writes.map(({ operation }) => operation)).toMatchObject([
    { type: "close", kind: "settle", callId, cost: 7, at: AT, record: { cost: 7 } },
  ]);
  expect(own.size).toBe(0);
});

test("a close that failed can be tried again", async () => {
  const { ledger, callId, writes, end, admit } = setup();
  await admit();
  const failed = reasonOf(ledger.void(callId, recordOf(callId)));
  writes[0]?.refuse(mistaken);
  expect(await failed).toBe(mistaken);

  const closed = ledger.void(callId, recordOf(callId));
  end(writes[1], true);

  expect(await closed).toBe(true);
});

test("the delivered part of a running call is recorded in time, and not after its end", async () => {
  const { ledger, callId, writes, end, admit, late } = setup();
  ledger.checkpoint(callId, nanoUsd(1));
  await late();
  expect(writes).toEqual([]);
  await admit();
  ledger.checkpoint(callId, nanoUsd(2));
  await late();
  expect(writes).toMatchObject([
    { operation: { type: "checkpoints", noted: new Map([[callId, { delivered: 2 }]]) } },
  ]);
  expect(writes[0]?.isRefusable).toBe(true);
  writes[0]?.refuse(away);

  ledger.checkpoint(callId, nanoUsd(3));
  const closed = ledger.settle(callId, nanoUsd(3), recordOf(callId, 3));
  end(writes[1], true);
  await closed;
  await late();

  expect(writes.map(({ operation }) => operation.type)).toEqual(["checkpoints", "close"]);
});

test("a closed ledger records no more delivered parts", async () => {
  const { ledger, callId, writes, admit, late } = setup();
  await admit();
  ledger.checkpoint(callId, nanoUsd(2));

  ledger.close();
  await late();

  expect(writes).toEqual([]);
});

test("a call whose hold another instance has closed is corrected before its close resolves", async () => {
  const { ledger, callId, writes, own, end, admit } = setup();
  await admit();

  const settled = ledger.settle(callId, nanoUsd(7), recordOf(callId, 7));
  end(writes[0], false);
  await Bun.sleep(0);
  expect(writes.slice(1)).toMatchObject([
    {
      operation: { type: "correct", kind: "settle", callId, cost: 7, at: AT, record: { cost: 7 } },
      isRefusable: false,
    },
  ]);
  expect(await Promise.race([settled, Promise.resolve("waits")])).toBe("waits");
  end(writes[1], true);

  expect(await settled).toBe(false);
  expect(own.size).toBe(0);
});

test.each([
  ["a task, which any instance may close", true],
  ["a call of another instance", false],
])("%s is not corrected", async (_, isOwn) => {
  const { ledger, request, callId, writes, end } = setup();
  if (isOwn) {
    const held = ledger.hold({ ...request, isLasting: true });
    end(writes[0], true);
    await held;
  }

  const settled = ledger.settle(callId, nanoUsd(7), recordOf(callId, 7));
  end(writes.at(-1), false);

  expect(await settled).toBe(false);
  expect(writes.filter(({ operation }) => operation.type === "correct")).toEqual([]);
});

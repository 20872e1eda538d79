import { expect, test } from "bun:test";
import { sql, type Kysely, type Transaction } from "kysely";
import type { AuditAnchor, AuditBreak, AuditEntry } from "#core/audit.ts";
import { random, SEED, times } from "#test/seed.ts";
import { waitFor } from "#test/wait.ts";
import { auditKey } from "#storage/audit/audit-chain.ts";
import type { ChildTask } from "./contract-child.ts";
import { openAt, PEPPER, reasonOf, type Place } from "./contract-place.ts";
import type { Tables } from "#storage/tables.ts";
import { findDigest, verifyAudit } from "#storage/audit/verify-audit.ts";

const KEY = auditKey(PEPPER);
const PAGE = 700;
const ROWS = times(1_500, 10_000);

type StartChild = (
  task: ChildTask,
) => AsyncDisposable & { readonly lines: readonly string[]; kill(): Promise<void> };

/** What both databases promise of the audit log. */
export function describeAudit(openPlace: () => Promise<Place>, startChild: StartChild): void {
  test("audit rows are read as written, latest first, page by page, with filters", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { audit } = storage;
    for (let i = 1; i <= 6; i++) {
      await audit.write(entryOf({ at: i * 1_000, actorId: i % 2, action: `POST /${i % 3}` }));
    }
    const seqs = async (query: object): Promise<number[]> =>
      (await audit.list({ limit: 10, ...query })).map(({ seq }) => seq);

    expect((await audit.list({ limit: 1 }))[0]).toMatchObject({
      ...entryOf({ at: 6_000, actorId: 0, action: "POST /0" }),
      seq: 6,
    });
    expect(await seqs({ limit: 4 })).toEqual([6, 5, 4, 3]);
    expect(await seqs({ before: 3 })).toEqual([2, 1]);
    expect(await seqs({ actorId: 1 })).toEqual([5, 3, 1]);
    expect(await seqs({ action: "POST /2" })).toEqual([5, 2]);
    expect(await seqs({ since: 2_000, until: 4_000 })).toEqual([4, 3, 2]);
    expect(await seqs({ since: 6_001 })).toEqual([]);
    expect(await seqs({ until: 999 })).toEqual([]);
  });

  test("text that the database cannot store unchanged does not break the audit chain", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const odd = { name: "\0 \ud83d", "\udc00": ["'\\\n\u2028"] };

    await storage.audit.write(entryOf({ userAgent: `cut \ud83d`, actor: "a\0b", details: odd }));

    expect(await storage.audit.verify(0)).toMatchObject({ broken: undefined, isEnd: true });
    expect((await storage.audit.list({ limit: 1 }))[0]?.details).toEqual(odd);
  });

  test("an audit row cannot be changed or deleted", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    await storage.audit.write(entryOf({}));
    const db = await place.tamper();

    const changed = reasonOf(db.updateTable("audit").set({ status: 1 }).execute());
    const deleted = reasonOf(db.deleteFrom("audit").execute());

    expect(String(await changed)).toContain("append-only");
    expect(String(await deleted)).toContain("append-only");
  });

  test("parallel writes form one audit chain with increasing times", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { audit } = storage;
    const draw = random(SEED);

    const ats = Array.from({ length: 300 }, () => Math.floor(draw() * 1_000_000));
    await Promise.all(ats.map((at) => audit.write(entryOf({ at }))));

    const rows = await audit.list({ limit: 1_000 });
    expect(rows.map(({ seq }) => seq)).toEqual(ats.map((_, i) => 300 - i));
    const times = rows.map(({ at }) => at);
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    expect(await findBreakIn(storage.db)).toBeUndefined();
    expect(await audit.head()).toEqual({ seq: 300, digest: rows[0]?.digest ?? "" });
  });

  test("a gateway killed while it writes leaves a valid audit chain with every confirmed row", async () => {
    await using place = await openPlace();
    await using child = startChild({
      address: place.address,
      accounts: [],
      act: { type: "audit" },
    });
    await waitFor(() => child.lines.length > 50, 20_000);
    await child.kill();
    const promised = child.lines.flatMap((line) => /^audited (.+)$/.exec(line)?.[1] ?? []);

    await using storage = await openAt(place.address);
    await storage.audit.write(entryOf({ requestId: "afterwards" }));

    const kept = await storage.db.selectFrom("audit").select("request_id").execute();
    const ids = new Set(kept.map((row) => row.request_id));
    expect(promised.filter((id) => !ids.has(id))).toEqual([]);
    expect(ids.has("afterwards")).toBe(true);
    expect(await findBreakIn(storage.db)).toBeUndefined();
  }, 60_000);

  test("if the audit log cannot be written, the client gets an error and nothing is stored", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address, { limits: { busyTimeoutMs: 150 } });
    await storage.audit.write(entryOf({}));
    const lock = await place.lock();

    const refused = await reasonOf(storage.audit.write(entryOf({})));
    await lock[Symbol.asyncDispose]();
    await storage.audit.write(entryOf({}));

    expect(refused).toMatchObject({ code: "unavailable" });
    expect(await storage.audit.head()).toMatchObject({ seq: 2 });
    expect(await findBreakIn(storage.db)).toBeUndefined();
  }, 20_000);

  test("[C94] any manipulation of the audit chain is detected at the first invalid row", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    for (let i = 0; i < ROWS; i += 500) {
      await Promise.all(
        Array.from({ length: 500 }, (_, j) => storage.audit.write(entryOf({ at: i + j }))),
      );
    }
    const db = await place.tamper();
    await dropTriggers(db, place);
    const draw = random(SEED);
    const missed: string[] = [];
    expect(await findBreakIn(db)).toBeUndefined();

    for (const [name, tamper] of Object.entries(TAMPERINGS)) {
      for (let round = 0; round < times(5, 50); round++) {
        const seq = 2 + Math.floor(draw() * (ROWS - 20));
        const found = await whileTampered(db, (tampered) => tamper(tampered, seq));
        if (found?.seq !== seq) missed.push(`${name} at ${seq}: ${JSON.stringify(found)}`);
      }
    }

    expect(missed).toEqual([]);
    expect(await findBreakIn(db)).toBeUndefined();
  }, 600_000);

  test("[C94] a truncated audit log is detected by an anchor, even if the log continued since", async () => {
    await using place = await openPlace();
    const before = await openAt(place.address);
    await Promise.all(Array.from({ length: 50 }, (_, i) => before.audit.write(entryOf({ at: i }))));
    const anchor = await before.audit.head();
    await before.close();
    const db = await place.tamper();
    await dropTriggers(db, place);
    await db.deleteFrom("audit").where("seq", ">", 40).execute();
    expect(await findBreakIn(db)).toBeUndefined();
    expect(await isAnchored(db, anchor)).toBe(false);

    await using after = await openAt(place.address);
    await Promise.all(Array.from({ length: 50 }, () => after.audit.write(entryOf({ at: 99 }))));

    expect(await findBreakIn(after.db)).toBeUndefined();
    expect(await isAnchored(after.db, anchor)).toBe(false);
    expect(await isAnchored(after.db, await after.audit.head())).toBe(true);
  });
}

type Tamper = (db: Transaction<Tables>, seq: number) => Promise<unknown>;

function edit(set: Partial<Tables["audit"]>): Tamper {
  return (db, seq) => db.updateTable("audit").set(set).where("seq", "=", seq).execute();
}

/** Each leaves `seq` as the first row that is not as it should be. */
const TAMPERINGS: Readonly<Record<string, Tamper>> = {
  "another actor": edit({ actor_id: 99 }),
  "another name": edit({ actor: "nobody" }),
  "another time": edit({ at: 4_711 }),
  "another role": edit({ role: "user" }),
  "another proof": edit({ proof: "none" }),
  "another address": edit({ address: null }),
  "another client": edit({ user_agent: "" }),
  "another request": edit({ request_id: "x" }),
  "another action": edit({ action: "GET /" }),
  "another object": edit({ object: "{}" }),
  "other details": edit({ details: '{"name":"mallory"}' }),
  "another outcome": edit({ outcome: "refused" }),
  "another status": edit({ status: null }),
  "another digest": edit({ digest: "A".repeat(43) }),
  "another predecessor": edit({ prev: "A".repeat(43) }),
  "a row deleted": (db, seq) => db.deleteFrom("audit").where("seq", "=", seq).execute(),
  "a row deleted, and the gap closed": async (db, seq) => {
    await db.deleteFrom("audit").where("seq", "=", seq).execute();
    await moveRows(db, seq, -1);
  },
  "some rows deleted, and the ends tied": async (db, seq) => {
    const row = await rowAt(db, seq);
    await db
      .deleteFrom("audit")
      .where("seq", ">=", seq)
      .where("seq", "<", seq + 5)
      .execute();
    await moveRows(db, seq + 4, -5);
    await edit({ prev: row.prev })(db, seq);
  },
  "two rows exchanged": async (db, seq) => {
    const [one, other] = [await rowAt(db, seq), await rowAt(db, seq + 7)];
    await db.deleteFrom("audit").where("seq", "in", [one.seq, other.seq]).execute();
    await db
      .insertInto("audit")
      .values([
        { ...one, seq: other.seq },
        { ...other, seq: one.seq },
      ])
      .execute();
  },
  "a row repeated": async (db, seq) => {
    const row = await rowAt(db, seq - 1);
    await moveRows(db, seq - 1, 1);
    await db
      .insertInto("audit")
      .values({ ...row, seq })
      .execute();
  },
  "a fork: another row behind the same one": async (db, seq) => {
    const [row, later] = [await rowAt(db, seq), await rowAt(db, seq + 9)];
    await db.deleteFrom("audit").where("seq", "=", seq).execute();
    await db
      .insertInto("audit")
      .values({ ...later, seq, prev: row.prev })
      .execute();
  },
};

async function rowAt(db: Kysely<Tables>, seq: number): Promise<Tables["audit"]> {
  return await db.selectFrom("audit").selectAll().where("seq", "=", seq).executeTakeFirstOrThrow();
}

/** Gives the rows behind `seq` other numbers; in two steps, since no two may have the same on the way. */
async function moveRows(db: Kysely<Tables>, seq: number, by: number): Promise<void> {
  const aside = 1_000_000_000;
  await db
    .updateTable("audit")
    .set((row) => ({ seq: row("seq", "+", aside) }))
    .where("seq", ">", seq)
    .execute();
  await db
    .updateTable("audit")
    .set((row) => ({ seq: row("seq", "-", aside - by) }))
    .where("seq", ">", aside)
    .execute();
}

/** Tampers, looks, and takes everything back. */
async function whileTampered(
  db: Kysely<Tables>,
  tamper: (db: Transaction<Tables>) => Promise<unknown>,
): Promise<AuditBreak | undefined> {
  const undo = new Error("undo");
  let found: AuditBreak | undefined;
  const reason = await reasonOf(
    db.transaction().execute(async (transaction) => {
      await tamper(transaction);
      found = await findBreakIn(transaction);
      throw undo;
    }),
  );
  expect(reason).toBe(undo);
  return found;
}

async function findBreakIn(db: Kysely<Tables>): Promise<AuditBreak | undefined> {
  let afterSeq = 0;
  for (;;) {
    const { last, broken, isEnd } = await verifyAudit(db, KEY, afterSeq, PAGE);
    if (broken !== undefined || isEnd) return broken;
    afterSeq = last?.seq ?? 0;
  }
}

async function isAnchored(db: Kysely<Tables>, anchor: AuditAnchor | undefined): Promise<boolean> {
  return anchor !== undefined && (await findDigest(db, anchor.seq)) === anchor.digest;
}

/** As somebody would who may change the schema, too. */
async function dropTriggers(db: Kysely<Tables>, { address }: Place): Promise<void> {
  if (address.databaseUrl !== undefined) {
    await sql`drop trigger audit_no_change on audit`.execute(db);
    return;
  }
  for (const change of ["update", "delete"]) {
    await sql`drop trigger ${sql.ref(`audit_no_${change}`)}`.execute(db);
  }
}

export function entryOf(more: Partial<AuditEntry>): AuditEntry {
  return {
    at: 1,
    actorId: 7,
    actor: "ada",
    role: "admin",
    proof: "session",
    address: "192.0.2.1",
    userAgent: "a browser",
    requestId: "01ARZ3NDEKTSV4RRFFQ69G5FAV",
    action: "PUT /api/user/:id",
    object: { id: "9" },
    details: { role: "auditor" },
    outcome: "done",
    status: 200,
    ...more,
  };
}

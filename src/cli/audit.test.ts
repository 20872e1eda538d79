import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "#lib/clock.ts";
import { openStorage } from "#storage/open.ts";
import { loadPepper } from "#storage/secrets/secrets.ts";
import { isPostgresReachable, openScratchDatabase } from "#test/scratch-database.ts";
import { audit } from "./audit.ts";

interface Folder extends Disposable {
  readonly path: string;
  /** Writes so many rows, as a gateway would. */
  write(count: number): Promise<void>;
  run(...words: string[]): Promise<{ code: number; text: string }>;
  tamper(statement: string): void;
}

function openFolder(databaseUrl?: string): Folder {
  const path = mkdtempSync(join(tmpdir(), "sluice-audit-"));
  const shared = databaseUrl === undefined ? {} : { databaseUrl };
  return {
    path,
    async write(count) {
      await using storage = await openStorage({
        dataDir: path,
        ...shared,
        instance: "test",
        pepper: loadPepper(path),
        clock: systemClock,
        onError: () => {},
      });
      for (let i = 0; i < count; i++) {
        await storage.audit.write({
          at: i,
          actorId: 1,
          actor: "root",
          role: "root",
          proof: "session",
          address: null,
          userAgent: null,
          requestId: `r${i}`,
          action: "POST /api/user",
          object: {},
          details: {},
          outcome: "done",
          status: 200,
        });
      }
    },
    async run(...words) {
      let text = "";
      const code = await audit({
        words,
        output: { write: (more) => (text += more) },
        env: {
          SLUICE_DATA_DIR: path,
          ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
        },
        readFile: () => undefined,
        knownProviders: [],
      });
      return { code, text };
    },
    tamper(statement) {
      using db = new Database(join(path, "sluice.db"), { readwrite: true });
      db.run("drop trigger if exists audit_no_update");
      db.run("drop trigger if exists audit_no_delete");
      db.run(statement);
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

const HEAD = /Its head is (\d+:[\w-]{43})\n$/;

test("an intact log is reported as intact, with its head as an anchor", async () => {
  using folder = openFolder();
  await folder.write(20);

  const { code, text } = await folder.run("verify");
  const [, head = ""] = HEAD.exec(text) ?? [];

  expect(code).toBe(0);
  expect(head).toStartWith("20:");
  await folder.write(3);
  expect(await folder.run("verify", "--anchor", head)).toMatchObject({ code: 0 });
});

test("the first invalid row is named", async () => {
  using folder = openFolder();
  await folder.write(20);
  folder.tamper("update audit set actor = 'mallory' where seq in (7, 9)");

  expect(await folder.run("verify")).toEqual({ code: 1, text: "Row 7 was changed.\n" });
});

test("a truncated and continued log is only detected by an anchor", async () => {
  using folder = openFolder();
  await folder.write(20);
  const [, head = ""] = HEAD.exec((await folder.run("verify")).text) ?? [];
  folder.tamper("delete from audit where seq > 15");
  await folder.write(9);

  expect(await folder.run("verify")).toMatchObject({ code: 0 });
  expect(await folder.run("verify", "--anchor", head)).toEqual({
    code: 1,
    text: "Row 20 differs from the anchor: the log was truncated or replaced.\n",
  });
});

test("without a database it reports an error and creates no file", async () => {
  using folder = openFolder();

  expect(await folder.run("verify")).toMatchObject({
    code: 1,
    text: expect.stringContaining("No secret found:"),
  });
  expect(readdirSync(folder.path)).toEqual([]);
});

test.each([[[]], [["verify", "--anchor"]], [["verify", "--anchor", "7"]], [["check"]]])(
  "the arguments %p print the usage",
  async (words) => {
    using folder = openFolder();

    expect(await folder.run(...words)).toMatchObject({
      code: 2,
      text: expect.stringContaining("Usage: sluice audit verify"),
    });
  },
);

test.if(isPostgresReachable)("the log of a PostgreSQL database is read", async () => {
  await using database = await openScratchDatabase();
  using folder = openFolder(database.url);
  await folder.write(20);

  expect(await folder.run("verify")).toMatchObject({ code: 0 });
});

import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openWriter } from "./writer.ts";

test("after a statement that outlasts its session, every caller gets its own reply", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-writer-"));
  const path = join(folder, "sluice.db");
  using other = new Database(path, { create: true });
  other.run("create table t (n integer)");
  const writer = await openWriter(path, ["pragma busy_timeout = 60000"], 20);
  await writer.prepare({ add: ["insert into t (n) values (?)"] });

  other.run("begin immediate");
  const session = await writer.enter();
  const begun = session.query("begin immediate", []);
  const added = writer.run({ add: [[1]] });
  const asked = writer.enter();
  await Bun.sleep(100);
  other.run("commit");

  expect(await begun).toMatchObject({ rows: [] });
  expect(await Promise.allSettled([session.query("select 1 as n", [])])).toMatchObject([
    { status: "rejected" },
  ]);
  await added;
  expect((await (await asked).query("select n from t", [])).rows).toEqual([{ n: 1 }]);
  (await asked).leave();
  await writer.close();
  rmSync(folder, { recursive: true });
}, 5_000);

test("a message that cannot be cloned is refused and consumes no other reply", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-writer-"));
  const path = join(folder, "sluice.db");
  new Database(path, { create: true }).run("create table t (n integer)");
  const writer = await openWriter(path, []);
  const session = await writer.enter();

  const refused = await session.query("select ?", [Symbol("n") as never]).catch(String);
  const asked = [session.query("select 1 as n", []), session.query("select 2 as n", [])];
  // Ends also those that would be waited for in vain.
  session.leave();
  await writer.close();

  expect(refused).toContain("DataCloneError");
  expect(await Promise.allSettled(asked)).toMatchObject([
    { status: "fulfilled", value: { rows: [{ n: 1 }] } },
    { status: "fulfilled", value: { rows: [{ n: 2 }] } },
  ]);
  rmSync(folder, { recursive: true });
});

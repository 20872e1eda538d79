import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openWriter } from "./writer.ts";

test("after a statement that outlasts its session everybody hears of their own, and of no other", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-writer-"));
  const path = join(folder, "sluice.db");
  using other = new Database(path, { create: true });
  other.run("create table t (n integer)");
  const writer = await openWriter(path, ["pragma busy_timeout = 60000"], 20);
  await writer.prepare({ add: "insert into t (n) values (?)" });

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

import { afterAll, beforeAll, expect, test } from "bun:test";
import { connectToServer } from "#cli/client.ts";
import type { Noun } from "#cli/command.ts";
import { auditRows } from "#cli/audit-rows.ts";
import { channels } from "#cli/channels.ts";
import { groups } from "#cli/groups.ts";
import { models } from "#cli/models.ts";
import { runNoun } from "#cli/run.ts";
import { teams } from "#cli/teams.ts";
import { users } from "#cli/users.ts";
import { webhooks } from "#cli/webhooks.ts";
import { asRoot, openWithRoot, textIn } from "#test/accounts.ts";
import type { TestGateway } from "#test/harness.ts";

let opened: TestGateway;
let token: string;
beforeAll(async () => {
  opened = await openWithRoot({ yaml: "sandbox: auto" });
  token = textIn((await (await asRoot(opened.url))("POST", "/api/user/token")).data, "token");
});
afterAll(() => opened[Symbol.asyncDispose]());

/** The command as an owner types it, against a running gateway. */
async function run(noun: Noun, ...typed: string[]): Promise<string> {
  let output = "";
  let errors = "";
  const code = await runNoun(noun, typed, {
    input: process.stdin,
    output: { write: (text) => (output += text) },
    errors: { write: (text) => (errors += text) },
    reach: async () => {
      const client = await connectToServer(opened.url, token);
      if (client === undefined) throw new Error("No gateway answers.");
      return client;
    },
    readLink: async () => "",
  });
  expect({ noun: noun.name, typed, code, errors }).toEqual({
    noun: noun.name,
    typed,
    code: 0,
    errors: "",
  });
  return output;
}

function idIn(shown: string): string {
  return /^id +(\d+)/m.exec(shown)?.[1] ?? "";
}

test("a team gets $500 a month, more quota, and its history", async () => {
  const id = idIn(await run(teams, "create", "research", "--quota", "500", "--month", "100"));

  await run(teams, "top-up", id, "25", "--reason", "a new project");
  await run(teams, "change", id, "--quota", "600", "--name", "Research");

  expect(await run(teams)).toContain("Research");
  const shown = await run(teams, "show", id);
  expect(shown).toMatch(/^quota_usd +600$/m);
  expect(shown).toMatch(/^budget_month_usd +100$/m);
  expect(await run(teams, "quota", id)).toContain("600");
  expect(await run(teams, "history", id)).toContain("a new project");
  await run(teams, "delete", id);
  expect(await run(teams)).not.toContain("Research");
});

test("a group is created with models, a factor and limits, changed and deleted", async () => {
  const id = idIn(
    await run(groups, "create", "gold", "--models", "gpt-*", "--factor", "0.9", "--rpm", "60"),
  );

  await run(groups, "change", id, "--set", '{"shared_concurrency":20}');

  expect(await run(groups)).toMatch(/gold +gpt-\* +- +0\.9 +60/);
  expect(await run(groups, "show", id)).toMatch(/^shared_concurrency +20$/m);
  await run(groups, "delete", id);
});

test("a model gets a price with its source, and the catalogue's again", async () => {
  const price = ["--input", "0.5", "--output", "2", "--source", "the vendor's list"];
  await run(models, "set", "gpt-4o-mini", ...price);
  expect(await run(models)).toContain("the vendor's list");

  await run(models, "unset", "gpt-4o-mini");

  expect(await run(models)).not.toContain("the vendor's list");
});

test("a channel is created, shown, changed and deleted", async () => {
  const fields = { name: "extra", provider: "openai", api_keys: ["sk-of-the-channel-0001"] };
  const id = idIn(await run(channels, "create", "--set", JSON.stringify(fields)));
  await run(channels, "edit", id, "--set", '{"priority":7}');

  expect(await run(channels, "show", id)).toMatch(/^priority +7$/m);
  expect(await run(channels, "history", id)).toBe("none\n");
  await run(channels, "delete", id);
});

test("a user's quota, keys and account are managed, and the audit log and webhooks are read", async () => {
  const id = idIn(await run(users, "create", "ann"));

  await run(users, "quota", id, "--set", "5");
  await run(users, "top-up", id, "1");
  expect(await run(users, "history", id)).toContain("command line");
  expect(await run(users, "keys", id)).toBe("none\n");
  await run(users, "delete", id);

  expect(await run(auditRows, "list", "--action", "DELETE /api/user/:id")).toContain("done");
  expect(await run(auditRows, "head")).toMatch(/^digest +[\w-]{43}$/m);
  expect(await run(webhooks)).toBe("none\n");
  expect(await run(webhooks, "secret")).toMatch(/^secret +\S+$/m);
});

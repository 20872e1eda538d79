import { expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { codes } from "./codes.ts";
import { readVerb, UsageError, type Noun, type Prompt } from "./command.ts";
import { invitations } from "./invitations.ts";
import { mail } from "./mail.ts";

const INPUTS = {
  readLine: () => Promise.resolve("7K2QM-X9D4T-0ZB8C-W5HRV"),
  readFile: () => Promise.reject(new Error("no file")),
  readLink: () => Promise.reject(new Error("no link")),
};

async function asked(noun: Noun, typed: string): Promise<Prompt> {
  const { verb, words } = readVerb(noun, typed.split(" "), INPUTS);
  return await verb.ask(words);
}

function shown(noun: Noun, name: string, data: JsonObject): readonly string[] {
  return readVerb(noun, [name], INPUTS).verb.show(data);
}

test("an invitation is created with role, team and end, and its link is printed", async () => {
  const typed =
    "create --email ada@example.com --team 3 --owner --quota 2.5 --budget-day 1 --days 14";

  expect(await asked(invitations, typed)).toEqual({
    method: "POST",
    path: "/api/invitation",
    body: {
      email: "ada@example.com",
      team_id: 3,
      team_role: "owner",
      quota_usd: "2.5",
      budget_day_usd: "1",
      expires_in_seconds: 1_209_600,
    },
  });
  expect(asked(invitations, "create --days 91")).rejects.toThrow(UsageError);
  const invitation = { id: 7 };
  const link = "https://gateway.example/account/invitation#x";
  expect(shown(invitations, "create", { invitation, is_mailed: false, link })).toEqual([
    "invitation 7; not shown again:",
    link,
  ]);
  expect(shown(invitations, "create", { invitation, is_mailed: true, link: null })).toEqual([
    "invitation 7 was mailed",
  ]);
});

test("new redemption codes are printed as CSV", async () => {
  expect(await asked(codes, "create 2 --value 10 --days 1 --note fair")).toEqual({
    method: "POST",
    path: "/api/code-batch",
    body: { count: 2, value_usd: "10", expires_in_seconds: 86_400, note: "fair" },
  });
  expect(asked(codes, "create 2")).rejects.toThrow("Give the value of a code with --value.");
  const batch = { id: 3, value_usd: 10, expires_at: null };
  expect(shown(codes, "create", { batch, codes: ["AAAAA-1", "BBBBB-2"] })).toEqual([
    "code,value_usd,expires_at,batch",
    "AAAAA-1,10,,3",
    "BBBBB-2,10,,3",
  ]);
});

test("a code is redeemed from standard input, since the shell's history stores arguments", async () => {
  expect(await asked(codes, "redeem")).toEqual({
    method: "POST",
    path: "/api/user/self/quota/redeem",
    body: { code: "7K2QM-X9D4T-0ZB8C-W5HRV" },
  });
  expect(shown(codes, "redeem", { added_usd: 10, left_usd: 12.5 })).toEqual([
    "added $10; left $12.5",
  ]);
});

test("the codes of a batch are listed by state", async () => {
  expect((await asked(codes, "show 3 --state redeemed")).path).toBe(
    "/api/code-batch/3?page_size=100&after=0&state=redeemed",
  );
});

test("a test mail goes to one address", async () => {
  expect(await asked(mail, "test ada@example.com")).toEqual({
    method: "POST",
    path: "/api/mail/test",
    body: { to: "ada@example.com" },
  });
});

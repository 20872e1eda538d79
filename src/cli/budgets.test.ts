import { describe, expect, test } from "bun:test";
import { budgets } from "./budgets.ts";
import { readVerb, UsageError, type Noun, type Prompt } from "./command.ts";
import { keys } from "./keys.ts";
import { teams } from "./teams.ts";

const INPUTS = { readLine: async () => "", readFile: async () => "", readLink: async () => "" };

async function question(noun: Noun, typed: string): Promise<Prompt> {
  const { verb, words } = readVerb(noun, typed.split(" "), INPUTS);
  return await verb.ask(words);
}

describe("sluice budgets", () => {
  test.each([
    ["show key:31", "GET", "/api/token/31"],
    ["user:7", "GET", "/api/user/7/quota"],
    ["show team:3", "GET", "/api/team/3"],
    ["show member:3-7", "GET", "/api/team/3/member/7"],
    ["show gateway", "GET", "/api/gateway/budget"],
    ["end-raise gateway 01ABC", "DELETE", "/api/gateway/budget/raise/01ABC"],
    ["end-raise team:3 01ABC", "DELETE", "/api/team/3/raise/01ABC"],
  ])("'%s' asks %s %s", async (typed, method, path) => {
    expect(await question(budgets, typed)).toEqual({ method: method as "GET", path });
  });

  test("sets amounts, or the terms of one budget, of which 'none' removes a bound", async () => {
    expect(await question(budgets, "set team:3 --month 500 --day none")).toEqual({
      method: "PUT",
      path: "/api/team/3",
      body: { budget_month_usd: "500", budget_day_usd: null },
    });
    const terms = "--period month --amount none --warn 400 --start-day 15 --time-zone Asia/Tokyo";
    expect((await question(budgets, `set user:7 ${terms}`)).body).toEqual({
      budgets: [
        {
          period: "month",
          amount_usd: null,
          warn_usd: "400",
          start_day: 15,
          time_zone: "Asia/Tokyo",
        },
      ],
      reason: "command line",
    });
  });

  test("raises a budget until a date", async () => {
    const typed = "raise member:3-7 --period day --add 5 --until 2030-01-01 --reason launch";
    expect(await question(budgets, typed)).toEqual({
      method: "POST",
      path: "/api/team/3/member/7/raise",
      body: { period: "day", add_usd: "5", until: 1_893_456_000, reason: "launch" },
    });
  });

  test.each([
    ["show group:3", "not an owner"],
    ["set team:3", "Give --hour"],
    ["raise team:3 --period day --add 5", "Give --until"],
    ["raise team:3 --period day --add 5 --until soon", "--until takes a date"],
    ["end-raise team:3", "the id of a raise"],
  ])("'%s' is refused with a helpful message", async (typed, words) => {
    const reason: unknown = await question(budgets, typed).catch((cause: unknown) => cause);
    expect(reason).toBeInstanceOf(UsageError);
    expect(String(reason)).toContain(words);
  });

  test("shows each budget in a line, with its raises", () => {
    const { verb } = readVerb(budgets, ["show", "team:3"], INPUTS);
    const lines = verb.show({
      quota_usd: null,
      used_usd: 3,
      budgets: [
        {
          period: "month",
          amount_usd: 500,
          warn_usd: null,
          used_usd: 3,
          left_usd: 597,
          resets_at: 1_893_456_000,
          raises: [{ id: "r1", add_usd: 100, until: 1_893_456_000 }],
        },
      ],
    });
    expect(lines.at(-1)).toMatch(/^month +500 +- +3 +597 +2030-01-01T00:00Z +r1: \+100 until 2030/);
  });
});

describe("sluice teams", () => {
  test("creates a team with a budget and members in one request", async () => {
    const typed = "create research --month 500 --owners ada --members bob,7";
    expect(await question(teams, typed)).toEqual({
      method: "POST",
      path: "/api/team",
      body: {
        name: "research",
        budget_month_usd: "500",
        members: [
          { username: "ada", role: "owner" },
          { username: "bob", role: "member" },
          { user_id: 7, role: "member" },
        ],
      },
    });
  });

  test("lists, finds, adds and removes", async () => {
    expect((await question(teams, "list --search 研究")).path).toBe(
      `/api/team?after=0&q=${encodeURIComponent("研究")}`,
    );
    expect((await question(teams, "members 3")).path).toBe("/api/team/3/member?after=0");
    expect(await question(teams, "add 3 --members ada --move")).toMatchObject({
      path: "/api/team/3/member",
      body: { members: [{ username: "ada", role: "member" }], move: true },
    });
    expect(await question(teams, "remove 3 --users 7,8")).toEqual({
      method: "POST",
      path: "/api/team/3/member/batch",
      body: { user_ids: [7, 8] },
    });
    expect(await question(teams, "change 3 --name red")).toMatchObject({ body: { name: "red" } });
  });
});

test("a key is created with budgets, networks and endpoints", async () => {
  const typed = "create ci --budget-day 5 --endpoints text,images --networks 10.0.0.0/8";
  expect((await question(keys, typed)).body).toEqual({
    name: "ci",
    budget_day_usd: "5",
    ip_ranges: ["10.0.0.0/8"],
    endpoints: ["text", "images"],
  });
});

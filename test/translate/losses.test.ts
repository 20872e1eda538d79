import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { CALLERS, openLosses, type Losses } from "./losses.ts";

let losses: Losses;
beforeAll(async () => {
  losses = await openLosses();
});
afterAll(async () => {
  await losses[Symbol.asyncDispose]();
});

type Caller = keyof typeof CALLERS;

function asked(caller: Caller, model: string, body: JsonObject): readonly [string, JsonObject] {
  return CALLERS[caller](model, body);
}

function ask(caller: Caller, model: string, body: JsonObject) {
  return losses.ask(...asked(caller, model, body));
}

/** The caller is told these names, and a strict caller is refused before the vendor is asked. */
async function expectLost(caller: Caller, model: string, body: JsonObject, lost: string[]) {
  const told = await ask(caller, model, body);
  expect([told.status, told.lost]).toEqual([200, lost]);
  const strict = await losses.askStrictly(...asked(caller, model, body));
  expect(strict).toEqual({ status: 400, isAsked: false });
  return told.sent;
}

/** Nothing is reported, and a strict caller is served. */
async function expectKept(caller: Caller, model: string, body: JsonObject) {
  const told = await ask(caller, model, body);
  expect([told.status, told.lost]).toEqual([200, []]);
  const strict = await losses.askStrictly(...asked(caller, model, body));
  expect(strict).toEqual({ status: 200, isAsked: true });
  return told.sent;
}

const user = (content: string | readonly JsonObject[]): JsonObject => ({ role: "user", content });

const PARAMETERS = { type: "object", properties: { n: { type: "integer" } } };
const FLAT_TOOL = { type: "function", name: "f", parameters: PARAMETERS, strict: false };

describe("items of the responses style", () => {
  test.each(["gpt-4o-mini", "claude-sonnet-4-5", "gemini-2.5-flash", "command-a"])(
    "tools that an item adds reach %s, whatever the item's role",
    async (model) => {
      for (const role of ["developer", "critic"]) {
        const added = { type: "additional_tools", role, tools: [FLAT_TOOL] };
        const sent = await expectKept("responses", model, { input: [user("a"), added, user("b")] });

        expect(JSON.stringify(sent.body["tools"])).toContain('"name":"f"');
      }
    },
  );

  test.each(["gpt-4o-mini", "claude-sonnet-4-5", "gemini-2.5-flash", "command-a"])(
    "an item of a type that nobody knows is named on %s, whatever its role",
    async (model) => {
      const items = ["user", "critic"].map((role) => ({ type: "gossip", role, content: "x" }));

      await expectLost("responses", model, { input: [user("a"), ...items, user("b")] }, [
        "input[1]",
        "input[2]",
      ]);
    },
  );

  test.each(["gpt-4o-mini", "claude-sonnet-4-5", "gemini-2.5-flash", "command-a"])(
    "a message whose role nobody knows is refused on %s, by its place",
    async (model) => {
      const input = [user("a"), { role: "critic", content: "x" }, user("b")];
      const answer = await losses.gateway.post("/v1/responses", { model, input });

      expect([answer.status, await answer.text()]).toEqual([
        400,
        expect.stringContaining("'input[1].role'"),
      ]);
    },
  );
});

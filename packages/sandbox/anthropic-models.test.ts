import { afterAll, beforeAll, expect, test } from "bun:test";
import { parseJson, type JsonObject } from "./json.ts";
import { startSandbox, type Sandbox } from "./server.ts";
import { asObject, at, textAt } from "./testing/chat.ts";
import { blocksOf } from "./testing/messages.ts";

let sandbox: Sandbox;
let all: readonly string[] = [];

beforeAll(async () => {
  sandbox = await startSandbox();
  all = idsOf(await list("?limit=1000"));
});

afterAll(() => sandbox.stop());

async function list(query: string): Promise<JsonObject> {
  const response = await fetch(`${sandbox.url}/anthropic/v1/models${query}`, {
    headers: { "x-api-key": "k", "anthropic-version": "2023-06-01" },
  });
  return asObject(parseJson(await response.text()));
}

function idsOf(page: JsonObject): readonly string[] {
  return blocksOf({ content: page["data"] ?? null }).map((model) => textAt(model, "id"));
}

test("the list has pages, forwards", async () => {
  const first = await list("?limit=5");
  const second = await list(`?limit=5&after_id=${textAt(first, "last_id")}`);
  const last = await list(`?limit=5&after_id=${all.at(-6)}`);

  expect([...idsOf(first), ...idsOf(second)]).toEqual(all.slice(0, 10));
  expect(first).toMatchObject({ first_id: all[0], last_id: all[4], has_more: true });
  expect([idsOf(last), last["has_more"]]).toEqual([all.slice(-5), false]);
});

test("the list has pages, backwards", async () => {
  const before = await list(`?limit=5&before_id=${all[8]}`);
  const first = await list(`?limit=5&before_id=${all[5]}`);
  const none = await list(`?before_id=${all[0]}`);

  expect([idsOf(before), before["has_more"]]).toEqual([all.slice(3, 8), true]);
  expect([idsOf(first), first["has_more"]]).toEqual([all.slice(0, 5), false]);
  expect(none).toEqual({ data: [], has_more: false, first_id: null, last_id: null });
});

test("the default page has twenty models, and a larger one has all of them", async () => {
  expect(idsOf(await list(""))).toEqual(all.slice(0, 20));
  expect((await list(`?limit=${all.length}`))["has_more"]).toBe(false);
  expect((await list(`?limit=${all.length - 1}`))["has_more"]).toBe(true);
});

test.each([
  ["limit=0", "limit: Input should be greater than or equal to 1"],
  ["limit=1001", "limit: Input should be less than or equal to 1000"],
  ["limit=many", "limit: Input should be a valid integer"],
  ["after_id=claude-none", 'after_id: "claude-none" is not a model.'],
  [
    "after_id=claude-opus-5&before_id=claude-opus-5",
    "Only one of `before_id` and `after_id` may be given.",
  ],
])("%s is refused", async (query, expected) => {
  expect(at(await list(`?${query}`), "error")).toEqual({
    type: "invalid_request_error",
    message: expected,
  });
});

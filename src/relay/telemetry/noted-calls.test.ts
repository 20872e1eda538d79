import { expect, test } from "bun:test";
import { chat } from "#styles/text/chat/index.ts";
import { NotedCalls } from "./noted-calls.ts";

function callOf(id: string, json: object = { model: "m", messages: [], seed: 7 }) {
  return {
    id,
    style: chat,
    facts: { stream: false, choices: 1 },
    body: { text: "", json },
  } as never;
}

test("a call is noted with the settings of its request until it is taken", () => {
  const calls = new NotedCalls();
  calls.add(callOf("a"));

  expect(calls.find("a")?.request).toEqual({ "gen_ai.request.seed": 7 });
  expect(calls.take("a")?.request).toEqual({ "gen_ai.request.seed": 7 });
  expect([calls.find("a"), calls.take("a")]).toEqual([undefined, undefined]);
});

test("a request that the gateway cannot read is noted without settings", () => {
  const calls = new NotedCalls();
  calls.add(callOf("a", { model: "m", messages: [], tools: [7] }));

  expect(calls.find("a")?.request).toEqual({});
});

test("the number of noted calls is limited", () => {
  const calls = new NotedCalls(2);
  for (const id of ["a", "b", "c"]) calls.add(callOf(id));

  expect(calls.find("b")).toBeDefined();
  expect(calls.find("c")).toBeUndefined();
});

test("the last answer that began has the end, and a call without one has none", () => {
  const calls = new NotedCalls();
  calls.add(callOf("a"));
  const noted = calls.find("a");

  expect(noted?.describeEnd()).toEqual({});
  noted?.beginAnswer().setWhole(`{"id":"first","choices":[{"finish_reason":"stop"}]}`);
  noted?.beginAnswer().setWhole(`{"id":"second","choices":[]}`);
  expect(noted?.describeEnd()).toEqual({ "gen_ai.response.id": "second" });
});

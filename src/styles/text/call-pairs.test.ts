import { expect, test } from "bun:test";
import { LossReport } from "#core/lossy.ts";
import { CallPairs } from "./call-pairs.ts";
import { DistinctIds } from "./distinct-ids.ts";

type Entry = readonly ["call" | "result", string];

/** Every entry of a conversation, with the id that it ends up under. */
function paired(conversation: readonly Entry[]): readonly (string | undefined)[] {
  const ids = new DistinctIds();
  const pairs = new CallPairs<Entry, Entry>((id) => ids.next(id), new LossReport());
  for (const entry of conversation) {
    if (entry[0] === "call") pairs.addCall(entry[1], entry);
    else pairs.addResult(entry[1], entry);
  }
  return conversation.map(
    (entry) => (entry[0] === "call" ? pairs.ofCall(entry) : pairs.ofResult(entry))?.id,
  );
}

test("a result belongs to the earlier call with its id", () => {
  expect(
    paired([
      ["call", "a"],
      ["call", "b"],
      ["result", "b"],
      ["result", "a"],
    ]),
  ).toEqual(["a", "b", "b", "a"]);
});

test("calls that share an id get separate ids, and results in their order", () => {
  expect(
    paired([
      ["call", "a"],
      ["call", "a"],
      ["result", "a"],
      ["result", "a"],
      ["call", "a"],
      ["result", "a"],
    ]),
  ).toEqual(["a", "a_2", "a", "a_2", "a_3", "a_3"]);
});

test("a result before its call, or a second one, belongs to no call", () => {
  expect(
    paired([
      ["result", "a"],
      ["call", "a"],
      ["result", "a"],
      ["result", "a"],
      ["result", "b"],
    ]),
  ).toEqual([undefined, "a", "a", undefined, undefined]);
});

test("a call without a result keeps its id", () => {
  const pairs = new CallPairs<object, object>((id) => id, new LossReport());
  const call = {};
  pairs.addCall("a", call);

  expect(pairs.ofCall(call)).toMatchObject({ id: "a" });
  expect([pairs.hasCall("a"), pairs.hasCall("b")]).toEqual([true, false]);
});

test("a call without a result is reported, and so is a result without a call", () => {
  const report = new LossReport();
  const pairs = new CallPairs<object, object>((id) => id, report);
  const call = {};
  pairs.addCall("a", call);
  pairs.addResult("b", {});

  expect([pairs.resultOf(call), report.fields]).toEqual([undefined, ["messages.tool_calls"]]);
  expect([pairs.ofResult({}), report.fields]).toEqual([
    undefined,
    ["messages.tool_calls", "messages.tool_call_id"],
  ]);
});

import assert from "node:assert";
import { describe, expect, test } from "bun:test";
import { describeError, openLog } from "./log.ts";

const SAID = "what a caller said";

function thrown(act: () => unknown): unknown {
  try {
    return act();
  } catch (cause) {
    return cause;
  }
}

describe("a logged error contains no quoted data", () => {
  test.each([
    ["a parser's", () => JSON.parse(`{"a": ${SAID}}`) as unknown],
    ["an address's", () => new URL(SAID)],
    ["a plain one's", () => assert.fail(new Error(SAID))],
    ["an assertion's on values", () => assert.equal(SAID, "other")],
    ["a call of a value", () => (SAID as unknown as () => void)()],
    ["a header's", () => new Headers({ [SAID]: "é" })],
    [
      "an error with a message of many lines",
      () => assert.fail(new Error(`x\n    at ${SAID} (file.ts:1:2)\n    at b (c.ts:3:4)`)),
    ],
    ["a cause's", () => assert.fail(new Error("outer", { cause: new Error(SAID) }))],
    ["a name's", () => assert.fail(Object.assign(new Error("x"), { name: SAID, code: SAID }))],
    ["members'", () => assert.fail(Object.assign(new Error("x"), { detail: SAID, body: SAID }))],
  ])("%s", (_, act) => {
    const lines: string[] = [];
    const log = openLog("trace", { write: (line) => void lines.push(line) });
    const cause = thrown(act);
    expect(cause).toBeInstanceOf(Error);

    for (const level of ["trace", "debug", "info", "warn", "error", "fatal"] as const) {
      log[level]({ err: cause }, "failed");
    }

    expect(lines).toHaveLength(6);
    expect(lines.join("")).not.toContain(SAID);
    expect(lines.join("")).toContain("log.test.ts");
  });
});

test("it has its type, its code, its stack and its causes", () => {
  const cause = Object.assign(new Error("connect 10.0.0.7"), { code: "ECONNREFUSED" });
  const described = describeError(new RangeError("x", { cause }));

  expect(described).toMatchObject({ type: "RangeError", cause: { code: "ECONNREFUSED" } });
  expect(described.stack?.[0]).toMatch(/^at .*log\.test\.ts:\d+:\d+\)?$/);
});

test("messages of the runtime that quote only source code are kept, and so are those of assertions", () => {
  const nothing = JSON.parse("{}") as { a: { b: string } };

  const engine = describeError(thrown(() => nothing.a.b));
  const own = describeError(thrown(() => assert(nothing.a, "There is always an a.")));
  expect([engine.message, own.message]).toEqual([
    expect.stringContaining("nothing.a.b"),
    "There is always an a.",
  ]);
});

test("circular causes end", () => {
  const error = new Error("x");
  error.cause = error;

  expect(JSON.stringify(describeError(error)).length).toBeLessThan(20_000);
});

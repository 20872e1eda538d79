import { describe, expect, test } from "bun:test";
import { parseTraceparent, spanIdOf, traceIdOf, writeTraceparent } from "./trace-context.ts";

const TRACE = "0af7651916cd43dd8448eb211c80319c";
const SPAN = "b7ad6b7169203331";

describe("a traceparent header", () => {
  test("has a trace, a span and a decision", () => {
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-01`)).toEqual({
      traceId: TRACE,
      spanId: SPAN,
      isSampled: true,
    });
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-00`)).toMatchObject({ isSampled: false });
    expect(parseTraceparent(`00-${TRACE}-${SPAN}-03`)).toMatchObject({ isSampled: true });
  });

  test("of a later version may have more fields", () => {
    expect(parseTraceparent(`cc-${TRACE}-${SPAN}-01-more`)).toMatchObject({ traceId: TRACE });
  });

  test.each([
    undefined,
    "",
    "text",
    `ff-${TRACE}-${SPAN}-01`,
    `00-${"0".repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-1`,
    `00-${TRACE}-${SPAN}`,
  ])("that is malformed is ignored: %p", (header) => {
    expect(parseTraceparent(header)).toBeUndefined();
  });

  test("is written as it is read", () => {
    for (const header of [`00-${TRACE}-${SPAN}-01`, `00-${TRACE}-${SPAN}-00`]) {
      const parent = parseTraceparent(header);
      if (parent === undefined) throw new Error("It was expected to be read.");
      expect(writeTraceparent(parent)).toBe(header);
    }
  });
});

test("ids follow from names, and differ for each part", () => {
  expect(traceIdOf("call-1")).toMatch(/^[0-9a-f]{32}$/);
  expect(traceIdOf("call-1")).toBe(traceIdOf("call-1"));
  expect(traceIdOf("call-1")).not.toBe(traceIdOf("call-2"));
  expect(spanIdOf("call-1", "attempt 0")).toMatch(/^[0-9a-f]{16}$/);
  expect(spanIdOf("call-1", "attempt 0")).not.toBe(spanIdOf("call-1", "attempt 1"));
});

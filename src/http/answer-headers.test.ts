import { describe, expect, test } from "bun:test";
import { nanoUsd } from "#core/money.ts";
import { answerHeaders, type AnswerHeader } from "./answer-headers.ts";

const RECORD = { cost: nanoUsd(1_234), overheadMs: 0.4567, channel: "main" };

describe("headers of a complete answer", () => {
  test.each<[readonly AnswerHeader[], Record<string, string>]>([
    [[], {}],
    [["cost"], { "sluice-cost": "0.000001234" }],
    [["overhead"], { "sluice-overhead-ms": "0.46" }],
    [["channel"], { "sluice-channel": "main" }],
  ])("for the choice %j are %j", (shown, expected) => {
    expect(answerHeaders(RECORD, shown)).toEqual(expected);
  });

  test("have a channel's name in ASCII", () => {
    const { "sluice-channel": name = "" } = answerHeaders(
      { ...RECORD, channel: "Büro 100%\u{1F600}\r\nx: y" },
      ["channel"],
    );

    expect(name).toMatch(/^[\x20-\x7e]+$/);
    expect(decodeURIComponent(name)).toBe("Büro 100%\u{1F600}\r\nx: y");
  });

  test("lack a channel and an overhead that are unknown", () => {
    const unknown = { cost: nanoUsd(0), overheadMs: null, channel: null };

    expect(answerHeaders(unknown, ["cost", "overhead", "channel"])).toEqual({ "sluice-cost": "0" });
  });
});

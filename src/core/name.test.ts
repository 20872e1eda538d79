import { describe, expect, test } from "bun:test";
import { foldName, readDisplayName, readObjectName } from "./name.ts";

describe("a name", () => {
  test.each([
    ["research"],
    ["研究チーム 三"],
    ["Исследования"],
    ["فريق البحث"],
    ["नवीकरणीय ऊर्जा"],
    ["می‌خواهم"],
    ["Zoë & Søren, Inc."],
    ["👩‍🔬 lab 🇩🇪"],
    ["x".repeat(100)],
    ["👩‍🔬".repeat(100)],
  ])("may be %j", (name) => {
    expect(readDisplayName(name)).toBe(name.normalize("NFC"));
  });

  test.each([
    ["", "empty"],
    [" a", "a space before it"],
    ["a\u00a0", "a space after it"],
    ["a\u00a0b", "a space that looks like another"],
    ["a\u2028b", "a line separator"],
    ["a\nb", "a line break"],
    ["a\u202eb", "a change of direction"],
    ["a\u2066b", "an isolate"],
    ["a\u200fb", "a mark of direction"],
    ["a\u00adb", "a soft hyphen"],
    ["a\u200bb", "a space of no width"],
    ["\u200da", "a joiner first"],
    ["a\u200d", "a joiner last"],
    ["a\u200d\u200db", "two joiners"],
    ["\u0301a", "a mark first"],
    [`a${"\u0301".repeat(10)}`, "a pile of marks"],
    ["a\ud800", "half a character"],
    ["a\ue000", "a private character"],
    ["\u3164", "a blank letter"],
    ["👩‍🔬".repeat(101), "101 characters"],
    ["x".repeat(101), "101 letters"],
  ])("may not be %j: %s", (name) => {
    expect(readDisplayName(name)).toBeUndefined();
  });

  test("has one normal form for all ways to type it", () => {
    expect(readDisplayName("Zoe\u0308")).toBe("Zoë");
  });

  test("of a channel or a key of the file has letters and digits of any script, and no spaces", () => {
    const good = ["eu-1", "北京.主", "канал_2", "cafe\u0301", "नमस्ते"];
    expect(good.map(readObjectName)).toEqual(good.map((name) => name.normalize("NFC")));
    const bad = ["a b", "a/b", "a,b", "*", "👩", "x".repeat(65), "", "a\u202eb"];
    expect(bad.map(readObjectName)).toEqual(bad.map(() => undefined));
  });

  test("is found without regard to case and width", () => {
    expect(foldName("ＡＢＣ Straße ЁЖ")).toBe("abc straße ёж");
  });
});

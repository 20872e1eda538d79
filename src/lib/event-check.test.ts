import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { SEED, times } from "#test/seed.ts";
import { firstBrokenEvent } from "./event-check.ts";

const CHUNK = '{"id":"c","choices":[{"index":0,"delta":{"content":"hi"},"finish_reason":null}]}';
const event = (data: string): string => `data: ${data}\n\n`;
const checked = (text: string): number => firstBrokenEvent(Buffer.from(text));

describe("an invalid event is found", () => {
  test.each<[string, string]>([
    ["without its last bracket", event(CHUNK.slice(0, -1))],
    ["cut within a string", event(CHUNK.slice(0, 60))],
    ["cut behind an inner bracket", event(CHUNK.slice(0, CHUNK.indexOf("}") + 1))],
    ["with a NUL in it", event(CHUNK.replace("hi", "h\0i"))],
    ["without its first half", event(`{${CHUNK.slice(40)}`)],
    ["that is no JSON", event("{broken json}")],
    ["run into the one before it", `data: ${CHUNK}\n${event(CHUNK)}`],
    ["with a name", `event: message\n${event(CHUNK.slice(0, -1))}`],
    ["broken in its middle, with sound brackets", event(CHUNK.replace('"hi"', '"hi" x'))],
    ["with an escape that JSON does not have", event(CHUNK.replace("hi", "\\x"))],
    ["with a line break in its text", event(CHUNK.replace("hi", "h\ti"))],
    ["with other line ends", event(CHUNK.slice(0, -1)).replaceAll("\n", "\r\n")],
    ["with the oldest line ends", event(CHUNK.slice(0, -1)).replaceAll("\n", "\r")],
  ])("%s", (_what, broken) => {
    const lineEnd = broken.includes("\r\n") ? "\r\n" : broken.includes("\r") ? "\r" : "\n";
    const sound = event(CHUNK).repeat(3).replaceAll("\n", lineEnd);

    expect(checked(sound)).toBe(-1);
    expect(checked(broken)).toBe(0);
    expect(checked(sound + broken + sound)).toBe(sound.length);
  });
});

describe("an unusual but valid event passes", () => {
  test.each<[string, string]>([
    ["comments", `: PROCESSING\n\n: x\n${event(CHUNK)}`],
    ["an end mark", event("[DONE]")],
    ["chatter", event("ping")],
    ["other fields", `id: 4\nretry: 3\n${event(CHUNK)}data\n\n`],
    ["data over several lines", 'data: {"a":\ndata: 1}\n\n'],
    ["a nonsense line", `data: ${CHUNK}\ndata\nnonsense\n\n`],
    ["spaces", event(`  { "a" : [ 1 ] }  `)],
    ["an empty object", event("{}")],
    ["a list", event(`[${CHUNK}]`)],
    ["a byte order mark", `\uFEFF${event(CHUNK)}`],
  ])("%s", (_what, text) => {
    expect(checked(text)).toBe(-1);
    expect(checked(event(CHUNK) + text + event(CHUNK))).toBe(-1);
  });
});

test("no valid event is reported as invalid, after any other events", () => {
  fc.assert(
    fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 1 }), (all) => {
      const text = all.map((each) => event(JSON.stringify(each))).join("");
      expect(checked(text)).toBe(-1);
      expect(checked(text)).toBe(-1);
    }),
    { seed: SEED, numRuns: times(100, 5_000) },
  );
});

import { describe, expect, test } from "bun:test";
import type { JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { parseAnswer, parseExactAnswer, parseLargeAnswer, parsePlacedAnswer } from "./whole.ts";
import { WholeStream } from "./whole-stream.ts";

type Parse = (bytes: Uint8Array, listAs?: string) => JsonObject | Promise<JsonObject>;

const PARSERS: readonly [string, Parse][] = [
  ["in one step", parseAnswer],
  ["with exact numbers", parseExactAnswer],
  ["in several steps", parseLargeAnswer],
  ["without a copy of long base64", parsePlacedAnswer],
];

async function failureOf(parse: Parse, text: string): Promise<unknown> {
  try {
    return await parse(Buffer.from(text));
  } catch (cause) {
    return cause;
  }
}

describe.each(PARSERS)("a complete answer that is read %s", (_, parse) => {
  test("is a JSON object", async () => {
    expect(await parse(Buffer.from('{"a":[1,"é"]}'))).toEqual({ a: [1, "é"] });
  });

  test.each(["", "[1]", "null", "no JSON", '{"a":'])("is a failure otherwise: %j", async (text) => {
    expect(await failureOf(parse, text)).toMatchObject({
      code: "upstream_failed",
      message: "The upstream's answer is not a JSON object.",
    });
  });

  test("is a failure that names the cause if it is a web page", async () => {
    expect(await failureOf(parse, "\n<html>{}</html>")).toMatchObject({
      message: "The upstream sent a web page instead of an answer.",
    });
  });
});

test("a number that a double would round keeps its digits", () => {
  const text = '{"id":12345678901234567890}';

  expect(JSON.stringify(parseExactAnswer(Buffer.from(text)))).toBe(text);
});

test("a list gets the name that its style has for it, and an object keeps its own", async () => {
  for (const parse of [parseLargeAnswer, parsePlacedAnswer]) {
    expect(await parse(Buffer.from("[1]"), "items")).toEqual({ items: [1] });
    expect(await parse(Buffer.from('{"a":1}'), "items")).toEqual({ a: 1 });
  }
});

test("long base64 stays in the received bytes, and is the same text", async () => {
  const base64 = Buffer.alloc(600_000, "picture").toString("base64");

  const { image } = await parsePlacedAnswer(Buffer.from(JSON.stringify({ image: base64 })));

  expect(typeof image).not.toBe("string");
  expect(textOf(image) === base64).toBe(true);
});

test("a complete answer to a client that wants a stream is one piece, which ends it", async () => {
  const usage = undefined;
  const lost = ["seed"];
  const stream = new WholeStream({ body: "answer", usage, lost, takeOutputText: () => "text" });
  const pieces: unknown[] = [];
  expect(stream.isEnding).toBe(false);

  await stream.run((piece) => void pieces.push([piece, stream.isEnding]));

  expect(pieces).toEqual([["answer", true]]);
  expect([stream.usage, stream.lost, stream.isTranslated]).toEqual([usage, lost, false]);
  expect([stream.takeOutputText(), stream.fail()]).toEqual(["text", ""]);
});

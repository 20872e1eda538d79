import { expect, test } from "bun:test";

import { openExchange } from "./exchange.ts";
import { answerBody } from "./payload.ts";
import { openTally } from "./tally.ts";

test("answers are right if they equal a checked one or have the same content in other bytes", () => {
  const own = answerBody(1).replace("chatcmpl-bench", "another-id");

  expect(failures([answerBody(1), answerBody(1), own, answerBody(1)])).toEqual({});
});

test("a truncated answer, one that is too long and one for another client count as failures", () => {
  const right = answerBody(1);

  expect(failures([right, right.slice(0, -1)])).not.toEqual({});
  expect(failures([right, `${right}x`])).not.toEqual({});
  expect(failures([right, answerBody(2)])).toEqual({ "the text is wrong": 1 });
  expect(failures([""])).not.toEqual({});
});

test("an answer with another status than 200 is a failure that shows its body", () => {
  expect(failures(["nothing here"], 404)).toEqual({ "status 404: nothing here": 1 });
});

/** Sends the bodies one after the other, each in two pieces, as answers to variant 1. */
function failures(bodies: readonly string[], status = 200): Readonly<Record<string, number>> {
  const references: (Buffer | undefined)[] = [];
  const tally = openTally();
  for (const body of bodies) {
    const bytes = Buffer.from(body);
    const exchange = openExchange({ kind: "unary", speech: "chat" }, 1, references, tally);
    exchange.start(0);
    exchange.head(`HTTP/1.1 ${status} Whatever\r\ncontent-length: ${bytes.length}`);
    exchange.body(bytes, 0, Math.min(100, bytes.length));
    exchange.body(bytes, Math.min(100, bytes.length), bytes.length);
    exchange.end();
  }
  return tally.close("unfinished").failures;
}

import { expect, test } from "bun:test";
import fc from "fast-check";
import type { OnPiece, UpstreamReply } from "#egress/egress.ts";
import { SEED } from "#test/seed.ts";
import { SoundStream } from "./sound-stream.ts";

function replyOf(pieces: readonly Uint8Array[], failure?: Error): UpstreamReply {
  return {
    status: 200,
    headers: new Map(),
    async pump(onPiece: OnPiece) {
      for (const piece of pieces) await onPiece(piece);
      if (failure !== undefined) throw failure;
    },
    readAll: () => Promise.reject(new Error("Nobody collects sound.")),
    readFailure: () => Promise.reject(new Error("It is no failure.")),
    close() {},
    [Symbol.dispose]() {},
  };
}

async function heard(reply: UpstreamReply) {
  const stream = new SoundStream(reply);
  const before: Uint8Array[] = [];
  const last: Uint8Array[] = [];
  const failure = await stream
    .run((piece) => void (stream.isEnding ? last : before).push(Buffer.from(piece)))
    .catch((cause: unknown) => cause);
  return { before: Buffer.concat(before), last: Buffer.concat(last), failure };
}

test("every byte is passed on, with any split, and the last one only at the end", async () => {
  const property = fc.asyncProperty(
    fc.array(fc.uint8Array({ maxLength: 5 })).filter((all) => all.some(({ length }) => length > 0)),
    async (pieces) => {
      const { before, last, failure } = await heard(replyOf(pieces));

      expect(failure).toBeUndefined();
      expect(last.length).toBe(1);
      expect(Buffer.concat([before, last])).toEqual(Buffer.concat(pieces));
    },
  );
  await fc.assert(property, { seed: SEED });
});

test("audio that breaks off has no end", async () => {
  const broken = new Error("It broke off.");

  expect(await heard(replyOf([Buffer.from("half")], broken))).toEqual({
    before: Buffer.from("hal"),
    last: Buffer.alloc(0),
    failure: broken,
  });
});

test("an empty response is refused", async () => {
  const { failure } = await heard(replyOf([new Uint8Array(0)]));

  expect(failure).toMatchObject({ code: "upstream_failed" });
});

test("audio is the vendor's own, and its connection is closed with it", () => {
  let closed = 0;
  const stream = new SoundStream({
    ...replyOf([]),
    waitingBytes: 7,
    close: () => void closed++,
  });

  stream.close();

  expect([stream.isTranslated, stream.waitingBytes, closed]).toEqual([false, 7, 1]);
  expect(new SoundStream(replyOf([])).waitingBytes).toBe(0);
});

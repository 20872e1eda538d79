import { afterAll, beforeAll, expect, test } from "bun:test";
import { brotliCompressSync, gzipSync, zstdCompressSync } from "node:zlib";
import { openSimulated, KEY } from "#test/harness.ts";

let opened: Awaited<ReturnType<typeof openSimulated>>;
beforeAll(async () => {
  opened = await openSimulated({
    channel: "models: [gpt-4o-mini]",
    env: { SLUICE_LIMIT_BODY_BYTES: "1MiB" },
  });
});
afterAll(() => opened[Symbol.asyncDispose]());

const post = (body: Uint8Array<ArrayBuffer>, coding: string): Promise<Response> =>
  fetch(`${opened.url}/v1/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${KEY}`,
      "content-type": "application/json",
      "content-encoding": coding,
    },
    body,
  });

const ASK = JSON.stringify({
  model: "gpt-4o-mini",
  messages: [{ role: "user", content: "Reply with exactly: Grüße" }],
});

test.each<[string, (bytes: Buffer) => Buffer]>([
  ["gzip", gzipSync],
  ["zstd", zstdCompressSync],
  ["br", brotliCompressSync],
])("a body compressed with %s is read like any other", async (coding, compress) => {
  const answer = await post(Uint8Array.from(compress(Buffer.from(ASK))), coding);

  expect(await answer.json()).toMatchObject({ choices: [{ message: { content: "Grüße" } }] });
  // The upstream is spoken to plainly.
  expect(opened.sandbox.requests.at(-1)?.headers["content-encoding"]).toBeUndefined();
});

test("a small body that expands to a large one is refused by its expanded size", async () => {
  const answer = await post(Uint8Array.from(gzipSync(Buffer.alloc(50_000_000, " "))), "gzip");

  expect(answer.status).toBe(413);
});

test("an unknown encoding, or bytes that do not match it, are reported as the client's error", async () => {
  expect((await post(Uint8Array.from(Buffer.from(ASK)), "rot13")).status).toBe(415);
  expect((await post(Uint8Array.from(Buffer.from(ASK)), "gzip")).status).toBe(400);
});

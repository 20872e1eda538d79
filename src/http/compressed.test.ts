import { expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { compressed } from "./compressed.ts";

const LONG = JSON.stringify({ text: "word ".repeat(2_000) });

async function sent(body: string, accepts: string | undefined, type = "application/json") {
  const asked = accepts === undefined ? {} : { "accept-encoding": accepts };
  const request = new Request("http://gateway.example/api/log", { headers: asked });
  const headers = { "content-type": type, "cache-control": "no-store" };
  const answer = await compressed(request, new Response(body, { status: 200, headers }));
  const coding = answer.headers.get("content-encoding");
  const bytes = Buffer.from(await answer.arrayBuffer());
  expect(answer.headers.get("cache-control")).toBe("no-store");
  return { coding, vary: answer.headers.get("vary"), bytes };
}

test("a long JSON answer is compressed for a client that takes gzip", async () => {
  const { coding, vary, bytes } = await sent(LONG, "gzip, deflate, br");

  expect([coding, vary]).toEqual(["gzip", "accept-encoding"]);
  expect(bytes.length).toBeLessThan(LONG.length / 10);
  expect(gunzipSync(bytes).toString()).toBe(LONG);
});

test("other answers are sent as they are", async () => {
  for (const [body, accepts, type] of [
    [LONG, undefined],
    [LONG, "br"],
    [LONG, "br, gzip;q=0"],
    [LONG, "gzip; q=0.0, br"],
    [`{"short":1}`, "gzip"],
    [LONG, "gzip", "text/csv"],
  ] as const) {
    const { coding, vary, bytes } = await sent(body, accepts, type);
    expect([coding, vary]).toEqual([null, null]);
    expect(bytes.toString()).toBe(body);
  }
});

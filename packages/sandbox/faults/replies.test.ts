import { afterAll, beforeAll, expect, test } from "bun:test";
import { gunzipSync } from "node:zlib";
import { startSandbox, type Sandbox } from "../server.ts";
import { COUNTED, ask, post, rawExchange, textIn } from "../testing/chat.ts";

let sandbox: Sandbox;

beforeAll(async () => {
  sandbox = await startSandbox();
});

afterAll(() => sandbox.stop());

test("status: any error has the vendor's format, with the time to retry", async () => {
  const limited = await post(sandbox, ask("[[fault:status code=429 retry_after=7]]"));
  const broke = await post(
    sandbox,
    ask('[[fault:status code=429 error=insufficient_quota message="no money left"]]'),
  );

  expect([limited.status, limited.headers.get("retry-after")]).toEqual([429, "7"]);
  expect(await limited.json()).toMatchObject({
    error: { type: "requests", code: "rate_limit_exceeded" },
  });
  expect(await broke.json()).toMatchObject({
    error: { type: "insufficient_quota", code: "insufficient_quota", message: "no money left" },
  });
});

test("status: a proxy's page is HTML", async () => {
  const response = await post(sandbox, ask("[[fault:status code=502 html=1]]"));

  expect([response.status, response.headers.get("content-type")]).toEqual([502, "text/html"]);
  expect(await response.text()).toStartWith("<!DOCTYPE html>");
});

test("error200: an error has the status of success", async () => {
  const response = await post(sandbox, ask("Say hi [[fault:error200]]", COUNTED));

  expect([response.status, response.headers.get("content-type")]).toEqual([
    200,
    "application/json",
  ]);
  expect(await response.json()).toMatchObject({ error: { type: "server_error" } });
});

test("redirect: the client is redirected", async () => {
  const response = await post(
    sandbox,
    ask("[[fault:redirect to=http://127.0.0.1:1/elsewhere code=307]]"),
  );

  expect([response.status, response.headers.get("location")]).toEqual([
    307,
    "http://127.0.0.1:1/elsewhere",
  ]);
});

test("gzip: the body is compressed although the client did not accept it", async () => {
  const unary = await rawExchange(sandbox, ask("Say hi [[fault:gzip]]"));
  const stream = await post(sandbox, ask("Count to 20 [[fault:gzip]]", COUNTED));

  const [head = "", ...rest] = unary.received.toString("latin1").split("\r\n\r\n");
  const chunked = Buffer.from(rest.join("\r\n\r\n"), "latin1");
  const compressed = chunked.subarray(chunked.indexOf("\r\n") + 2);
  expect(head.toLowerCase()).toContain("content-encoding: gzip");
  expect(
    gunzipSync(compressed.subarray(0, compressed.lastIndexOf("\r\n0\r\n"))).toString(),
  ).toContain('"content":"hi"');
  expect(textIn(await stream.text())).toStartWith("1, 2, 3");
});

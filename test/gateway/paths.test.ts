import { connect } from "node:net";
import { expect, test } from "bun:test";
import { openSimulated } from "#test/harness.ts";

/** What has a version has it first; what has none is the operator's, or about the gateway itself. */
const FIRST_STEPS = [
  "v1",
  "v1beta",
  "v1beta1",
  "openai",
  "api",
  "livez",
  "status",
  "readyz",
  "metrics",
  "openapi.json",
  "callbacks",
];

/** Whole protocols of their own, each with a version further down its paths. */
const PROTOCOL = /^video[a-e]$/;

test("[A9] every model endpoint has its version in its path", async () => {
  await using gateway = await openSimulated();
  const document = (await (await gateway.get("/openapi.json")).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const paths = Object.keys(document.paths);

  // The endpoints whose clients have come to a second version.
  const others = paths.filter((path) => {
    const [, first = ""] = path.split("/");
    return !FIRST_STEPS.includes(first) && !PROTOCOL.test(first);
  });
  expect(others).toEqual(["/v2/embed", "/v2/rerank"]);
  expect(
    paths.filter((path) => path.startsWith("/openai/") && !path.startsWith("/openai/v1/")),
  ).toEqual([]);
  for (const path of [
    "/v1/chat/completions",
    "/v1/completions",
    "/v1/responses",
    "/v1/responses/{id}",
    "/v1/messages",
    "/v1/messages/count_tokens",
    "/v1/rerank",
    "/v1/models",
    "/v1beta/models",
    "/v1/embeddings",
    "/v1/models/{model}:generateContent",
    "/v1beta/models/{model}:streamGenerateContent",
    "/v1beta/models/{model}:countTokens",
    "/v1/models/{model}:embedContent",
    "/v1/models/{model}:batchEmbedContents",
    "/v1beta/models/{model}:embedContent",
    "/v1beta/models/{model}:batchEmbedContents",
  ]) {
    expect(paths).toContain(path);
  }
});

test("[A9] an unknown version is not found", async () => {
  await using gateway = await openSimulated();

  for (const path of ["/v2/chat/completions", "/v1beta/chat/completions", "/v3/chat/completions"]) {
    expect((await gateway.post(path, {})).status).toBe(404);
  }
});

test.each(["a b", "", "a/b", "[::", "a:99999"])(
  "a request whose host is '%s' is refused on every path",
  async (host) => {
    await using gateway = await openSimulated();
    const { hostname, port } = new URL(gateway.url);
    const socket = connect(Number(port), hostname);
    // Its first step would be taken for the host.
    socket.end(`GET /xx/livez?key=a HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    const [head] = (await Array.fromAsync(socket)).join("").split("\r\n", 1);

    expect(head).toBe("HTTP/1.1 400 Bad Request");
  },
);

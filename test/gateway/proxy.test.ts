import { expect, test } from "bun:test";
import { createServer, type AddressInfo } from "node:net";
import { openTestGateway } from "#test/harness.ts";

const YAML = `
channels:
  - name: far
    provider: openai-compatible
    base_url: https://vendor.example/v1
    api_key: key-of-the-vendor
    models: [far]
  - name: excepted
    provider: openai-compatible
    base_url: https://127.0.0.2:9/v1
    api_key: key-of-the-vendor
    models: [near]
`;

test("vendors are called through the configured proxy, and local addresses are not", async () => {
  const asked: string[] = [];
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.on("data", (bytes: Buffer) => {
      asked.push(bytes.toString("latin1"));
      socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await using gateway = await openTestGateway({
    yaml: YAML,
    env: { HTTPS_PROXY: `http://ann:secret@127.0.0.1:${port}`, NO_PROXY: "other.example" },
  });

  const ask = (model: string): Promise<Response> =>
    gateway.post("/v1/chat/completions", { model, messages: [{ role: "user", content: "Hi." }] });
  const [far, near] = [await ask("far"), await ask("near")];

  expect([far.status, near.status]).toEqual([502, 502]);
  const words = await far.text();
  expect(words).not.toContain("secret");
  expect(asked).toEqual([
    "CONNECT vendor.example:443 HTTP/1.1\r\nHost: vendor.example:443\r\n" +
      `Proxy-Authorization: Basic ${Buffer.from("ann:secret").toString("base64")}\r\n\r\n`,
  ]);
  server.close();
});

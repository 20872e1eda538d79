import { expect, test } from "bun:test";
import { createServer } from "node:http";
import { once } from "node:events";
import { readDocument } from "./read-document.ts";

test("a document is read only from URLs that links may lead to", async () => {
  const server = createServer((request, response) => {
    if (request.url === "/prices.json") response.end('{"a":1}');
    else if (request.url === "/moved") response.writeHead(302, { location: "/prices.json" }).end();
    else response.writeHead(404).end("private words");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  const rules = { allow: ["127.0.0.1/32"], ports: [port] };
  const url = `http://127.0.0.1:${port}`;

  expect(await readDocument(`${url}/prices.json`, rules)).toBe('{"a":1}');
  expect(await readDocument(`${url}/moved`, rules)).toBe('{"a":1}');
  const missing = await readDocument(`${url}/missing`, rules).catch(String);
  expect(missing).toContain("404");
  expect(missing).not.toContain("private words");
  for (const [refused, by] of [
    [`${url}/prices.json`, { ports: [port] }],
    [`${url}/prices.json`, { allow: rules.allow }],
    ["file:///etc/hostname", rules],
  ] as const) {
    expect(await readDocument(refused, by).catch(String)).toContain("may not be fetched");
  }
  server.close();
});

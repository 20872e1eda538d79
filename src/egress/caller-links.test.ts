import { expect, test } from "bun:test";
import { openCallerLinks } from "./caller-links.ts";
import { openSite, reply } from "#test/egress/site.ts";

const answers: [string, string][] = [
  ["a large page", reply("200 OK", { "Content-Length": "5000000" }, "<!doctype html>")],
  ["a compressed one", reply("200 OK", { "Content-Encoding": "gzip" }, "\x1f\x8b")],
  ["nothing", reply("204 No Content")],
];
test.each(answers)("a webhook receiver may respond with %s", async (_what, answer) => {
  await using site = await openSite((socket) => socket.write(answer));
  const links = openCallerLinks(() => ({ allow: ["127.0.0.1"], ports: [site.port] }));

  const status = await links.post(`http://127.0.0.1:${site.port}/told`, "{}", {});

  expect([200, 204]).toContain(status);
  expect(site.requests).toHaveLength(1);
  await site.allClosed();
});

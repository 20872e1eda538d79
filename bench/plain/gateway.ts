import { ulid } from "#lib/ids.ts";
import { MODEL } from "../payload.ts";
import { KEY } from "../targets/sluice.ts";
import { PlainCall, type PlainGateway, type PlainKey } from "./call.ts";
import { Breaker, Pace, Quota } from "./limits.ts";
import { UpstreamPool } from "./upstream-pool.ts";
import { Writer } from "./writer.ts";

/**
 * The smallest program that does what a gateway must do for a call, up to the
 * duty that its last argument names; see `ladder/rungs.ts`. It has one style, one key
 * and one channel, no back-pressure, and trusts its upstream.
 */
const [upstreamPort = "", port = "", folder = "", rung = "6"] = process.argv.slice(2);

const PEPPER = "a pepper of the bench";
const LIVE_CHECK_MS = 100;
const UNLIMITED = 1e15;

const digest = (secret: string): string =>
  new Bun.CryptoHasher("sha256", PEPPER).update(secret).digest("base64url");

const key: PlainKey = {
  id: 1,
  userId: 1,
  pace: new Pace({ msPerRequest: 0.001, msPerToken: 0.000_001, burstMs: 60_000, running: 20_000 }),
  quota: new Quota(UNLIMITED),
};
const keys = new Map([[digest(KEY), key]]);

const head =
  "POST /v1/chat/completions HTTP/1.1\r\nHost: 127.0.0.1\r\n" +
  "Authorization: Bearer sk-upstream-bench\r\nContent-Type: application/json\r\n" +
  "Accept: application/json\r\nContent-Length: ";

const gateway: PlainGateway = {
  rung: Number(rung),
  pool: new UpstreamPool(Number(upstreamPort)),
  findKey: (secret) => keys.get(digest(secret)),
  routes: new Map([
    [
      MODEL,
      [
        {
          channel: "bench",
          provider: "openai-compatible",
          head,
          inputPrice: 150,
          outputPrice: 600,
          breaker: new Breaker(),
        },
      ],
    ],
  ]),
  head,
  live: new Set(),
  writer: Number(rung) >= 5 ? new Writer(`${folder}/plain.sqlite`) : undefined,
  newId: ulid,
};

setInterval(() => {
  const now = performance.now();
  for (const call of gateway.live) call.checkDeadline(now);
}, LIVE_CHECK_MS);

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  idleTimeout: 0,
  fetch(request) {
    if (request.method !== "POST") return new Response("ok");
    const { promise, resolve } = Promise.withResolvers<Response>();
    new PlainCall(request, gateway, resolve).start();
    return promise;
  },
});

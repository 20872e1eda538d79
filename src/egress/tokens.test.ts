import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { TokenExchange } from "#core/authorize.ts";
import { credential } from "#core/channel.ts";
import { GatewayError, type FaultCode } from "#core/error.ts";
import { numberOf, textOf } from "#lib/values.ts";
import type { Egress, UpstreamLimits, UpstreamRequest } from "./egress.ts";
import { openEgress } from "./upstream.ts";

const LIMITS: UpstreamLimits = {
  connectMs: 1_000,
  firstByteMs: 2_000,
  unaryMs: 2_000,
  idleMs: 2_000,
  totalMs: 5_000,
  answerBytes: 10_000,
};
const HOUR_S = 3_600;
const SECRET = "tradeable secret";

let server: Bun.Server<undefined>;
/** What the endpoint for tokens does, and what was presented to the other one. */
let trade: () => Response | Promise<Response>;
let trades = 0;
let presented: string[] = [];
let now = 0;
let egress: Egress;

beforeAll(() => {
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      if (new URL(request.url).pathname === "/token") {
        trades++;
        return trade();
      }
      presented.push(request.headers.get("authorization") ?? "");
      return Response.json({});
    },
  });
});
afterAll(async () => server.stop(true));
beforeEach(() => {
  trades = 0;
  presented = [];
  now = Date.UTC(2026, 0, 1);
  egress = openEgress(LIMITS, undefined, { now: () => now });
  trade = () => Response.json({ token: `token-${trades}`, seconds: HOUR_S });
});

const exchange: TokenExchange = {
  request: (secret) =>
    secret === SECRET
      ? Promise.resolve({ url: new URL("/token", server.url), headers: {}, body: "assertion" })
      : undefined,
  read(answer) {
    const value = textOf(answer["token"]);
    const seconds = numberOf(answer["seconds"]);
    return value === undefined || seconds === undefined
      ? undefined
      : { value, lifetimeMs: seconds * 1_000 };
  },
};

/** A caller's request with one and the same credential, unless another is given. */
const shared = new Map<Egress, UpstreamRequest["credential"]>();
function request(more: Partial<UpstreamRequest> = {}): UpstreamRequest {
  if (!shared.has(egress)) shared.set(egress, credential(SECRET));
  return {
    url: new URL("/x", server.url),
    method: "POST",
    body: "{}",
    credential: shared.get(egress),
    authorize: (secret) => ({ authorization: `Bearer ${secret}` }),
    exchange,
    pool: "channel",
    isStream: false,
    ...more,
  };
}

async function ask(more: Partial<UpstreamRequest> = {}): Promise<void> {
  using reply = await egress.send(request(more));
  await reply.readAll();
}

async function faultOf(asking: Promise<void>): Promise<FaultCode> {
  try {
    await asking;
  } catch (cause) {
    expect(String(cause)).not.toContain(SECRET);
    return GatewayError.from(cause).code;
  }
  throw new Error("It did not fail.");
}

describe("a credential with a token exchange", () => {
  test("is exchanged once for all waiting calls, and is never sent itself", async () => {
    await Promise.all(Array.from({ length: 20 }, () => ask()));

    expect(trades).toBe(1);
    expect(new Set(presented)).toEqual(new Set(["Bearer token-1"]));
  });

  test("is exchanged separately for each channel", async () => {
    await ask();
    await ask({ credential: credential(SECRET) });

    expect(presented).toEqual(["Bearer token-1", "Bearer token-2"]);
  });

  test("is not sent to an address that its channel may not reach", async () => {
    expect(await faultOf(ask({ reach: "public" }))).toBe("upstream_unreachable");

    expect({ trades, presented }).toEqual({ trades: 0, presented: [] });
  });

  test("is renewed before the token's end without delaying a call", async () => {
    await ask();
    const renewing = Promise.withResolvers<Response>();
    trade = () => renewing.promise;
    now += (HOUR_S - 299) * 1_000;
    await ask();
    await ask();
    renewing.resolve(Response.json({ token: "renewed", seconds: HOUR_S }));
    while (presented.at(-1) !== "Bearer renewed") await ask();

    expect(trades).toBe(2);
    expect(presented.slice(0, 3)).toEqual(["Bearer token-1", "Bearer token-1", "Bearer token-1"]);
  });

  test("with a failed renewal keeps its token until the end and retries at intervals", async () => {
    await ask();
    trade = () => new Response("no", { status: 500 });
    now += (HOUR_S - 200) * 1_000;
    for (let i = 0; i < 5; i++) await ask();
    // The first failure has to be in before the next is waited for.
    while (trades < 2) await Bun.sleep(1);
    await Bun.sleep(20);
    for (let i = 0; i < 5; i++) await ask();
    expect(trades).toBe(2);

    now += 31_000;
    await ask();
    expect(trades).toBe(3);
    expect(new Set(presented)).toEqual(new Set(["Bearer token-1"]));

    now += 300_000;
    await Bun.sleep(20);
    expect(await faultOf(ask())).toBe("upstream_failed");
  });

  test("is exchanged again at the token's end", async () => {
    await ask();
    now += HOUR_S * 1_000;
    await ask();

    expect(presented).toEqual(["Bearer token-1", "Bearer token-2"]);
  });

  test("survives the disconnect of the first caller", async () => {
    const answer = Promise.withResolvers<Response>();
    trade = () => answer.promise;
    const first = new AbortController();
    const leaving = ask({ signal: first.signal });
    const staying = ask();
    first.abort();

    expect(await faultOf(leaving)).toBe("canceled");
    answer.resolve(Response.json({ token: "for the others", seconds: HOUR_S }));
    await staying;
    expect(presented).toEqual(["Bearer for the others"]);
  });

  const refusals: [string, () => Response, FaultCode][] = [
    ["is refused", () => Response.json({ error: "no" }, { status: 401 }), "upstream_auth"],
    ["is no good", () => Response.json({ error: "no" }, { status: 400 }), "upstream_auth"],
    ["comes too often", () => Response.json({}, { status: 429 }), "upstream_rate_limited"],
    ["meets a failure", () => Response.json({}, { status: 500 }), "upstream_failed"],
    ["gets no token", () => Response.json({}), "upstream_failed"],
    ["gets no JSON", () => new Response("<html>"), "upstream_failed"],
    ["is sent elsewhere", () => Response.redirect("http://127.0.0.2/", 302), "upstream_failed"],
  ];
  test.each(refusals)(
    "that %s fails the call, and the next call tries again",
    async (_what, answer, code) => {
      trade = answer;
      expect(await faultOf(ask())).toBe(code);
      expect(await faultOf(ask())).toBe(code);

      expect(trades).toBe(2);
      expect(presented).toEqual([]);
    },
  );

  test("is sent unchanged if it needs no exchange", async () => {
    await ask({ credential: credential("a plain key") });

    expect([trades, presented]).toEqual([0, ["Bearer a plain key"]]);
  });
});

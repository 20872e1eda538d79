import { describe, expect, setSystemTime, test } from "bun:test";
import type { ModelTraits } from "#core/model.ts";
import type { AttemptRecord } from "#core/call.ts";
import { credential, type Channel } from "#core/channel.ts";
import { GatewayError, type FaultCode } from "#core/error.ts";
import type { RateReservation } from "#core/limits.ts";
import { accountOf, type ReasoningHome } from "#core/reasoning-home.ts";
import { nanoUsd } from "#core/money.ts";
import { systemClock } from "#lib/clock.ts";
import type { UpstreamReply, UpstreamRequest } from "#egress/egress.ts";
import { findProvider } from "#providers/index.ts";
import type { Provider } from "#providers/provider.ts";
import { aChannel } from "#test/a-channel.ts";
import {
  asError,
  baseOf,
  callWithFailover,
  type Addressed,
  type AttemptDeps,
  type UpstreamTransport,
} from "./attempt.ts";
import type { Served } from "../call.ts";
import { Health } from "./health.ts";
import type { Candidate } from "../routing/route.ts";
import type { Settlement } from "../metering/settlement.ts";

const CALL = {
  id: "call-1",
  key: { id: 1, userId: 1, name: "k", status: 1, models: ["*"], accounts: [] },
  style: { id: "chat" },
  facts: { model: "m", stream: false, maxOutputTokens: 1, choices: 1 },
  inputTokens: 1,
  signal: new AbortController().signal,
  at: 0,
  startedAt: 0,
} as unknown as Served;

function routeOf(channel: Channel): Candidate {
  const provider = findProvider("openai");
  if (provider === undefined) throw new Error("A provider was expected.");
  return { channel, provider, upstreamModel: "m", price: undefined, traits: {}, suffixes: [] };
}

/** One call along the routes; who was asked, and what was given back. `meanwhile`: while the limits are asked. */
async function attempt(
  routes: readonly Candidate[],
  health: Health,
  meanwhile: () => void = () => {},
): Promise<{ asked: string[]; givenBack: string[]; answer: string }> {
  const asked: string[] = [];
  const givenBack: string[] = [];
  const deps = {
    health,
    clock: systemClock,
    limiter: {
      async take() {
        await Promise.resolve();
        meanwhile();
        return { statuses: [] };
      },
      correct: () => {},
      release: ({ id }: RateReservation) => void givenBack.push(id),
    },
    router: { sizeOf: () => ({ known: 1, assumed: 0 }) },
    delivery: { maxEventBytes: 1 },
    maxCallMs: 1_000,
    maxAttempts: 5,
  } as unknown as AttemptDeps;
  const settlement = {
    recordAttempt: () => {},
    attachChannelReservation: () => {},
  } as unknown as Settlement;
  const plan = { routes, estimate: nanoUsd(0) };
  try {
    const begun = await callWithFailover(CALL, plan as never, settlement, deps, async (route) => {
      asked.push(route.channel.name);
      return route.channel.name;
    });
    begun.release();
    return { asked, givenBack, answer: begun.answer };
  } catch (cause) {
    return { asked, givenBack, answer: GatewayError.from(cause).code };
  }
}

const LIMITED = { requestsPerMinute: 60 };

test("a channel at capacity since the plan was made is skipped", async () => {
  const health = new Health(systemClock);
  const routes = [aChannel({ name: "full" }), aChannel({ name: "spare" })].map(routeOf);
  const [full] = routes;
  if (full !== undefined) health.enter(full);

  expect(await attempt(routes, health)).toMatchObject({ asked: ["spare"], answer: "spare" });
});

test("a channel that reaches capacity while its limits are checked gets no call, and its limits are released", async () => {
  const health = new Health(systemClock);
  const only = routeOf(aChannel({ name: "only", limits: LIMITED }));

  const told = await attempt([only], health, () => health.enter(only));

  expect(told).toMatchObject({ asked: [], answer: "unavailable" });
  expect(told.givenBack).not.toBeEmpty();
  expect(new Set(told.givenBack)).toEqual(new Set(["call-1"]));
});

test("a channel with capacity is called, and keeps the call's part of its limits", async () => {
  const only = routeOf(aChannel({ name: "only", limits: LIMITED }));

  expect(await attempt([only], new Health(systemClock))).toEqual({
    asked: ["only"],
    givenBack: [],
    answer: "only",
  });
});

/** What an upstream says, or why it says nothing. */
type Said = { status?: number; body?: string; headers?: Record<string, string> } | GatewayError;

interface Scene {
  readonly provider?: Partial<Provider>;
  readonly call?: Partial<Served>;
  readonly traits?: ModelTraits;
  readonly maxAttempts?: number;
  readonly refusal?: { retryAfterMs?: number };
  /** The account that answered the conversation before. */
  readonly home?: ReasoningHome;
  /** What is done with the upstream; by default one request is sent. */
  readonly begin?: (transport: UpstreamTransport, route: Addressed) => Promise<unknown>;
}

/**
 * One call along channels, each of which says in turn what is written for it;
 * in the end an upstream answers. With all that was asked and noted meanwhile.
 */
function scene(
  channels: readonly Partial<Channel>[],
  says: Readonly<Record<string, readonly Said[]>> = {},
  {
    provider = {},
    call = {},
    traits = {},
    maxAttempts = 5,
    refusal,
    home,
    begin = (transport, route) =>
      transport.post(route, { body: "{}", headers: { "x-asked": "yes" } }),
  }: Scene = {},
) {
  const time = { ms: 1_000 };
  const clock = { now: () => time.ms, monotonic: () => time.ms };
  const health = new Health(clock);
  const requests: UpstreamRequest[] = [];
  const closed: string[] = [];
  const tried: AttemptRecord[] = [];
  const taken: string[] = [];
  const left = new Map(Object.entries(says).map(([name, all]) => [name, [...all]]));
  const found = findProvider("openai");
  if (found === undefined) throw new Error("A provider was expected.");
  const style = { outbound: { parseError: undefined } } as never;
  const routes = channels.map((each) => ({
    ...routeOf(aChannel({ maxConcurrent: 10, ...each })),
    provider: { ...found, ...provider },
    traits,
    endpoint: { path: "/chat", style },
  }));

  async function send(request: UpstreamRequest): Promise<UpstreamReply> {
    requests.push(request);
    time.ms += 10;
    const name = request.pool.split(" ")[0] ?? "";
    const said = left.get(name)?.shift() ?? {};
    if (said instanceof GatewayError) throw said;
    const { status = 200, body = "{}", headers = {} } = said;
    return replyOf(status, body, headers, () => void closed.push(name));
  }
  const deps = {
    egress: { send },
    health,
    clock,
    limiter: {
      take: async () => ({ statuses: [], ...(refusal === undefined ? {} : { refusal }) }),
      correct: () => {},
      release: () => void taken.push("given back"),
    },
    router: { sizeOf: () => ({ known: 1, assumed: 0 }) },
    delivery: { maxEventBytes: 1 },
    maxCallMs: 60_000,
    maxAttempts,
  } as unknown as AttemptDeps;
  const settlement = {
    recordAttempt: (each: AttemptRecord) => void tried.push(each),
    attachChannelReservation: () => void taken.push("taken"),
  } as unknown as Settlement;
  const served = { ...CALL, startedAt: 1_000, ...call } as Served;
  const ask = () =>
    callWithFailover(
      served,
      { routes, estimate: nanoUsd(0), ...(home && { home }) } as never,
      settlement,
      deps,
      (route, transport) => begin(transport, route as unknown as Addressed),
    );
  /** Who answers, or with what the call fails. */
  const outcome = () =>
    ask().then(
      (begun) => begun.route.channel.name,
      (cause: unknown) => GatewayError.from(cause),
    );
  /** Channel and credential of each request. */
  const asked = () =>
    tried.map(({ channel, credential: label }) => (label === "" ? channel : `${channel} ${label}`));
  return { ask, outcome, asked, health, routes, requests, closed, tried, taken, time };
}

function replyOf(
  status: number,
  body: string,
  headers: Record<string, string>,
  close: () => void = () => {},
): UpstreamReply {
  return {
    status,
    headers: new Map(Object.entries(headers)),
    readFailure: async (maxChars: number) => body.slice(0, maxChars),
    readAll: async () => Buffer.from(body),
    pump: async () => {},
    close,
    [Symbol.dispose]: close,
  };
}

const failure = (code: FaultCode, more: { retryAfterMs?: number } = {}): GatewayError =>
  new GatewayError(code, code, more);
const ONE = credential("secret-number-1001");
const TWO = credential("secret-number-1002");
const BUSY = { status: 503, body: "" };

describe("a channel that fails", () => {
  test("is called once, with any number of credentials, and the next channel answers", async () => {
    const { outcome, asked } = scene([{ name: "a", credentials: [ONE, TWO] }, { name: "b" }], {
      a: [failure("upstream_failed")],
    });

    expect(await outcome()).toBe("b");
    expect(asked()).toEqual(["a ...1001", "b"]);
  });

  test("because of a credential is called with each of the others, once", async () => {
    const { outcome, asked } = scene([{ name: "a", credentials: [ONE, TWO] }, { name: "b" }], {
      a: [failure("upstream_rate_limited"), failure("upstream_auth"), failure("upstream_auth")],
    });

    expect(await outcome()).toBe("b");
    expect(asked()).toEqual(["a ...1001", "a ...1002", "b"]);
  });

  test("without a credential is called once", async () => {
    const { outcome, asked } = scene([{ name: "a" }, { name: "b" }], {
      a: [failure("upstream_rate_limited"), failure("upstream_rate_limited")],
    });

    expect(await outcome()).toBe("b");
    expect(asked()).toEqual(["a", "b"]);
  });

  test("because of the request ends the call without failover", async () => {
    const { outcome, asked } = scene([{ name: "a" }, { name: "b" }], {
      a: [failure("upstream_rejected")],
    });

    expect(await outcome()).toMatchObject({ code: "upstream_rejected" });
    expect(asked()).toEqual(["a"]);
  });

  test("perhaps because of the request is retried once: a second refusal ends the call with the first", async () => {
    const refused = failure("upstream_refused");
    const { outcome, asked } = scene([{ name: "a" }, { name: "b" }, { name: "c" }], {
      a: [refused],
      b: [failure("upstream_refused")],
    });

    expect(await outcome()).toBe(refused as never);
    expect(asked()).toEqual(["a", "b"]);
  });

  test("for other reasons after a refusal is skipped, and the third answers", async () => {
    const { outcome } = scene([{ name: "a" }, { name: "b" }, { name: "c" }], {
      a: [failure("upstream_refused")],
      b: [failure("upstream_failed")],
    });

    expect(await outcome()).toBe("c");
  });

  test("for other reasons first does not use up a refusal's retry", async () => {
    const { outcome } = scene([{ name: "a" }, { name: "b" }, { name: "c" }], {
      a: [failure("upstream_failed")],
      b: [failure("upstream_refused")],
    });

    expect(await outcome()).toBe("c");
  });

  test("gives the final error only if no other channel answers: the client gets the last failure", async () => {
    const last = failure("upstream_timeout");
    const { outcome } = scene([{ name: "a" }, { name: "b" }], {
      a: [failure("upstream_failed")],
      b: [last],
    });

    expect(await outcome()).toBe(last as never);
  });

  test("counts as an attempt, whose number is limited", async () => {
    const six = ["a", "b", "c", "d"].map((name) => ({ name }));
    const { outcome, asked } = scene(
      six,
      { a: [failure("upstream_failed")], b: [failure("upstream_failed")] },
      { maxAttempts: 2 },
    );

    expect(await outcome()).toMatchObject({ code: "upstream_failed" });
    expect(asked()).toEqual(["a", "b"]);
  });

  test.each([
    ["in time, and another is asked", -59_989, "b"],
    [
      "when the call's deadline is over, and no other channel is called",
      -59_990,
      "upstream_failed",
    ],
  ])("is reported %s", async (_, offset, expected) => {
    const { outcome } = scene(
      [{ name: "a" }, { name: "b" }],
      { a: [failure("upstream_failed")] },
      { call: { startedAt: 1_000 + offset } },
    );

    const told = await outcome();
    expect(told instanceof GatewayError ? told.code : told).toBe(expected);
  });
});

describe("a rate limit that ends a call", () => {
  const toldAfter = async (error: GatewayError): Promise<number | undefined> => {
    const told = await scene([{ name: "a", credentials: [ONE] }], { a: [error] }).outcome();
    return told instanceof GatewayError ? told.retryAfterMs : undefined;
  };

  test("has a time to retry: the vendor's, or until the credential is available", async () => {
    expect(await toldAfter(failure("upstream_rate_limited", { retryAfterMs: 7_000 }))).toBe(7_000);
    expect(await toldAfter(failure("upstream_rate_limited"))).toBe(5_000);
    expect(await toldAfter(failure("upstream_failed"))).toBeUndefined();
  });
});

describe("a channel that is unavailable", () => {
  const open = ({ health, routes }: ReturnType<typeof scene>, index: number): void => {
    const route = routes[index];
    if (route === undefined) throw new Error("There is no such route.");
    for (let i = 0; i < 5; i++) health.enter(route).leave(failure("upstream_failed"));
  };

  test("is not called as long as another answers", async () => {
    const place = scene([{ name: "a" }, { name: "b" }]);
    open(place, 0);

    expect(await place.outcome()).toBe("b");
    expect(place.asked()).toEqual(["b"]);
  });

  test("is called as a last resort, in the order of the plan", async () => {
    const place = scene([{ name: "a" }, { name: "b" }, { name: "c" }], {
      a: [failure("upstream_failed")],
      c: [failure("upstream_failed")],
    });
    open(place, 0);
    open(place, 1);

    expect(await place.outcome()).toBe("b");
    expect(place.asked()).toEqual(["c", "a", "b"]);
  });

  test("is not called beyond its limit of concurrent calls", async () => {
    const place = scene([{ name: "a", maxConcurrent: 1 }, { name: "b" }]);
    open(place, 0);
    open(place, 1);
    const [full] = place.routes;
    if (full !== undefined) place.health.enter(full);

    expect(await place.outcome()).toBe("b");
    expect(place.asked()).toEqual(["b"]);
  });

  test("is called with a credential that is limited only for other users", async () => {
    const place = scene([{ name: "a", credentials: [ONE] }]);
    const [route] = place.routes;
    if (route !== undefined) {
      place.health.cool(route, ONE, failure("upstream_rate_limited"), { id: 9, userId: 9 });
    }

    expect(await place.outcome()).toBe("a");
    expect(place.asked()).toEqual(["a ...1001"]);
  });

  test("is not called for the user whose limit it is", async () => {
    const place = scene([{ name: "a", credentials: [ONE] }]);
    const [route] = place.routes;
    if (route !== undefined) {
      place.health.cool(route, ONE, failure("upstream_rate_limited"), CALL.key);
    }

    expect(await place.outcome()).toMatchObject({ code: "unavailable", retryAfterMs: 5_000 });
    expect(place.asked()).toEqual([]);
  });
});

describe("a channel with limits", () => {
  const LIMITED_A = [{ name: "a", limits: { requestsPerMinute: 1 } }];

  test("at its limit is skipped, and gives a time to retry", async () => {
    const { outcome, asked } = scene(LIMITED_A, {}, { refusal: { retryAfterMs: 9_000 } });

    expect(await outcome()).toMatchObject({ code: "unavailable", retryAfterMs: 9_000 });
    expect(asked()).toEqual([]);
  });

  test("that a wait cannot help gives no time to retry", async () => {
    const { outcome } = scene(LIMITED_A, {}, { refusal: {} });

    const told = await outcome();
    expect(told).toMatchObject({ code: "unavailable" });
    expect((told as GatewayError).retryAfterMs).toBeUndefined();
  });

  test("keeps a call's part of them until the call ends, or releases it at once if it fails", async () => {
    const answered = scene(LIMITED_A);
    await answered.outcome();
    const failed = scene(LIMITED_A, { a: [failure("upstream_failed")] });
    await failed.outcome();

    expect([answered.taken, failed.taken]).toEqual([["taken"], ["given back"]]);
  });

  test("and one without any takes and releases nothing", async () => {
    const answered = scene([{ name: "a" }]);
    await answered.outcome();
    const failed = scene([{ name: "a" }], { a: [failure("upstream_failed")] });
    await failed.outcome();

    expect([answered.taken, failed.taken]).toEqual([[], []]);
  });
});

test("a reservation refused by a channel's limits is not released, since nothing was taken", async () => {
  const place = scene([{ name: "a", limits: { requestsPerMinute: 1 } }], {}, { refusal: {} });
  await place.outcome();

  expect(place.taken).toEqual([]);
});

describe("a conversation", () => {
  const ACCOUNTS = { name: "a", credentials: [ONE, TWO] };
  const homeOn = (channel: string): ReasoningHome => ({
    channel,
    account: accountOf(ACCOUNTS, TWO),
  });
  const HOME = homeOn("a");

  test("stays on the account that answered it before, even if another account is next", async () => {
    const place = scene([ACCOUNTS], {}, { home: HOME });
    for (let i = 0; i < 3; i++) await place.outcome();

    expect(place.asked()).toEqual(["a ...1002", "a ...1002", "a ...1002"]);
  });

  test("on its account does not change the order for other calls", async () => {
    const place = scene([ACCOUNTS], {}, { home: HOME });
    const [route] = place.routes;
    await place.outcome();

    expect(route && place.health.pick(route, new Set())).toBe(ONE);
  });

  test("away from its account takes the next account like any call", async () => {
    const place = scene([ACCOUNTS], { a: [failure("upstream_rate_limited")] }, { home: HOME });
    const [route] = place.routes;
    await place.outcome();

    // The second account is in cooldown, and the first one was asked next.
    expect(place.asked()).toEqual(["a ...1002", "a ...1001"]);
    expect(route && place.health.pick(route, new Set())).toBe(ONE);
    await place.outcome();
    expect(place.asked().at(-1)).toBe("a ...1001");
  });

  test("that its account refuses is sent to the channel's other account, not to the same again", async () => {
    const refusals = [failure("upstream_denied"), {}];
    const place = scene([ACCOUNTS], { a: refusals }, { home: HOME });

    expect(await place.outcome()).toBe("a");
    expect(place.asked()).toEqual(["a ...1002", "a ...1001"]);
  });

  test("whose account is on another channel uses this channel's accounts in turn", async () => {
    const place = scene([ACCOUNTS], {}, { home: homeOn("b") });
    for (let i = 0; i < 3; i++) await place.outcome();

    expect(place.asked()).toEqual(["a ...1001", "a ...1002", "a ...1001"]);
  });

  test("whose account is in cooldown is answered by the channel's other account", async () => {
    const place = scene([ACCOUNTS], {}, { home: HOME });
    const [route] = place.routes;
    if (route === undefined) throw new Error("A route was expected.");
    place.health.cool(route, TWO, failure("upstream_auth"), CALL.key);

    expect(await place.outcome()).toBe("a");
    expect(place.asked()).toEqual(["a ...1001"]);
  });

  test("without an alternative goes to its account, although other users met that account's limit", async () => {
    const place = scene([ACCOUNTS], {}, { home: HOME });
    const [route] = place.routes;
    if (route === undefined) throw new Error("A route was expected.");
    for (const each of [ONE, TWO]) {
      place.health.cool(route, each, failure("upstream_rate_limited"), { id: 9, userId: 9 });
    }

    expect(await place.outcome()).toBe("a");
    expect(place.asked()).toEqual(["a ...1002"]);
  });

  test("on a removed account uses the accounts in turn", async () => {
    const place = scene([ACCOUNTS], {}, { home: { channel: "a", account: "2 ...1003" } });
    for (let i = 0; i < 2; i++) await place.outcome();

    expect(place.asked()).toEqual(["a ...1001", "a ...1002"]);
  });
});

test("a request that belongs to a removed account is sent to no account, and never without a credential", async () => {
  const place = scene([{ name: "a", credentials: [ONE] }]);
  const [first] = place.routes;
  Object.assign(first ?? {}, { account: TWO.label });

  expect(await place.outcome()).toMatchObject({ code: "unavailable" });
  expect(place.requests).toEqual([]);
});

test("a request that belongs to one account is sent to that account only, once", async () => {
  const place = scene([{ name: "a", credentials: [ONE, TWO] }, { name: "b" }], {
    a: [failure("upstream_auth"), failure("upstream_auth")],
  });
  const [first] = place.routes;
  Object.assign(first ?? {}, { account: TWO.label });

  expect(await place.outcome()).toBe("b");
  expect(place.asked()).toEqual(["a ...1002", "b"]);
});

describe("a request to an upstream", () => {
  const CHANNEL = { name: "a", baseUrl: "https://private.example/v1" };
  const sent = async (
    channel: Partial<Channel>,
    more: Scene = {},
  ): Promise<UpstreamRequest | undefined> => {
    const place = scene([{ ...CHANNEL, ...channel }], {}, more);
    await place.outcome();
    return place.requests[0];
  };

  test("goes to the channel's endpoint, with its credential, within the call's deadline", async () => {
    const request = await sent({ credentials: [ONE] });

    expect(request).toMatchObject({
      method: "POST",
      body: "{}",
      credential: ONE,
      isStream: false,
      isSlow: false,
      isOnce: false,
      endsAt: 61_000,
      headers: { "x-asked": "yes" },
    });
    expect(request?.url.href).toBe("https://private.example/v1/chat");
    for (const absent of ["reach", "options", "exchange"])
      expect(request).not.toHaveProperty(absent);
  });

  test("hides the address of a channel with its own base URL", async () => {
    const provider = {
      baseUrl: "https://vendor.example/v1",
      baseUrlOf: () => "https://own.example",
    };

    expect(await sent({}, { provider })).toMatchObject({ hidesAddress: true });
    for (const baseUrl of ["", "https://vendor.example/v1"]) {
      expect(await sent({ baseUrl }, { provider })).not.toHaveProperty("hidesAddress");
    }
  });

  test("goes to the vendor's address for the channel's options, if it has no other", async () => {
    const provider = {
      baseUrlOf: ({ region }: Record<string, string>) => `https://${region}.vendor.example`,
    } as Partial<Provider>;

    const request = await sent({ baseUrl: "", options: { region: "eu" } }, { provider });
    const own = await sent({ options: { region: "eu" } }, { provider });

    expect(request?.url.href).toBe("https://eu.vendor.example/chat");
    expect(request?.options).toEqual({ region: "eu" });
    expect(own?.url.href).toBe("https://private.example/v1/chat");
  });

  test("has the channel's reach and the vendor's authentication", async () => {
    const exchange = { id: "exchange" } as never;

    expect(await sent({ reach: "public" }, { provider: { exchange } })).toMatchObject({
      reach: "public",
      exchange,
    });
  });

  test("is ended by the call's own cancellation, or else by its signal", async () => {
    const cancellation = { aborted: false } as never;

    expect((await sent({}, { call: { cancellation } }))?.signal).toBe(cancellation);
    expect((await sent({}))?.signal).toBe(CALL.signal as never);
  });

  test("says whether its stream may have images, which need a large receive buffer", async () => {
    const stream = { facts: { ...CALL.facts, stream: true } };
    const draws = { output: ["text", "image"] } as const;

    expect(await sent({}, { call: stream, traits: draws })).toMatchObject({ hasLargeEvents: true });
    expect(await sent({}, { call: stream })).toMatchObject({ hasLargeEvents: false });
    expect(await sent({}, { traits: draws })).toMatchObject({ hasLargeEvents: false });
  });

  test("of a task may be slow, and is not repeated", async () => {
    const call = { isSlow: true, isLasting: true } as const;

    expect(await sent({}, { call })).toMatchObject({ isSlow: true, isOnce: true });
  });

  test("has its vendor's headers, which the request's own override", async () => {
    const provider = { headers: { "x-version": "1", "x-asked": "vendor's" } };

    expect((await sent({}, { provider }))?.headers).toEqual({ "x-version": "1", "x-asked": "yes" });
  });

  test("has the model and the kind of response in its path, if its vendor requires that", async () => {
    const paths: string[] = [];
    for (const options of [undefined, { region: "eu" }]) {
      const place = scene(
        [{ ...CHANNEL, ...(options === undefined ? {} : { options }) }],
        {},
        {
          begin(transport, route) {
            const path = (model: string, stream: boolean, given: Record<string, string>) =>
              `/${model}/${stream}/${given["region"]}`;
            const endpoint = { ...route.endpoint, path };
            return transport.post({ ...route, endpoint }, { body: "{}", headers: {} });
          },
        },
      );
      await place.outcome();
      paths.push(...place.requests.map(({ url }) => url.pathname));
    }

    expect(paths).toEqual(["/v1/m/false/undefined", "/v1/m/false/eu"]);
  });

  test("for an object at a path is a GET below the channel's address", async () => {
    const begin: Scene["begin"] = (transport, route) => transport.get(route, "/tasks/7");

    const plain = await sent({}, { begin });
    const versioned = await sent({}, { begin, provider: { headers: { "x-version": "1" } } });

    expect(plain).toMatchObject({ method: "GET", headers: {} });
    expect(plain?.url.href).toBe("https://private.example/v1/tasks/7");
    expect(versioned?.headers).toEqual({ "x-version": "1" });
  });

  test("goes to the path of each attempt", async () => {
    const place = scene(
      [CHANNEL],
      {},
      {
        async begin(transport, route) {
          for (const path of ["/a", "/b", "/a"]) {
            const endpoint = { ...route.endpoint, path };
            await transport.post({ ...route, endpoint }, { body: "{}", headers: {} });
          }
        },
      },
    );
    await place.outcome();

    expect(place.requests.map(({ url }) => url.pathname)).toEqual(["/v1/a", "/v1/b", "/v1/a"]);
  });
});

describe("an attempt", () => {
  test("that succeeds is recorded with its time, and its slot is held until it is released", async () => {
    const { ask, tried, health, routes, closed } = scene([{ name: "a", credentials: [ONE] }]);

    const begun = await ask();

    expect(tried).toEqual([
      { channel: "a", credential: "...1001", fault: null, status: 200, durationMs: 10 },
    ]);
    const [channel] = routes.map((each) => each.channel);
    if (channel === undefined) throw new Error("A channel was expected.");
    expect(health.inFlight(channel)).toBe(1);
    begun.release();
    expect(health.inFlight(channel)).toBe(0);
    expect(closed).toEqual([]);
  });

  test("that fails is recorded with the vendor's message, and releases the response and its slot", async () => {
    const body = JSON.stringify({
      error: { message: "Overloaded at private.example.", type: "server_error", code: "busy" },
    });
    const { outcome, tried, closed, health, routes } = scene(
      [{ name: "a", credentials: [ONE], baseUrl: "https://private.example/v1" }],
      { a: [{ status: 503, body }] },
    );

    const told = await outcome();

    expect(tried).toMatchObject([
      {
        fault: "upstream_overloaded",
        status: 503,
        type: "server_error",
        reason: expect.stringContaining("Overloaded"),
      },
    ]);
    expect(told).toMatchObject({
      upstream: { channel: "a", model: "m", credential: "...1001", status: 503 },
    });
    expect(String(told)).not.toContain("private.example");
    expect(closed).not.toBeEmpty();
    expect(routes.map(({ channel }) => health.inFlight(channel))).toEqual([0]);
  });

  test("that fails keeps no text of the request", async () => {
    const body = JSON.stringify({ error: { message: "Overloaded by Rumpelstiltskin." } });
    const { outcome, tried } = scene(
      [{ name: "a" }],
      { a: [{ status: 503, body }] },
      {
        begin: (transport, route) =>
          transport.post(route, { body: '"Rumpelstiltskin"', headers: {} }),
      },
    );
    await outcome();

    expect(tried[0]?.reason).toContain("Overloaded");
    expect(tried[0]?.reason).not.toContain("Rumpelstiltskin");
  });

  test("by a library that fails keeps no text of the request", async () => {
    const body = JSON.stringify({ error: { message: "Overloaded by Rumpelstiltskin." } });
    const { outcome, tried } = scene(
      [{ name: "a" }],
      { a: [{ status: 503, body }] },
      {
        begin: (transport) =>
          transport.openSession().fetch("https://private.example/v1/one", {
            method: "POST",
            body: '"Rumpelstiltskin"',
          }),
      },
    );
    await outcome();

    expect(tried[0]?.reason).toContain("Overloaded");
    expect(tried[0]?.reason).not.toContain("Rumpelstiltskin");
  });

  test("by a library compares the reason with the last request that had a body", async () => {
    const body = JSON.stringify({ error: { message: "Overloaded by Rumpelstiltskin." } });
    const { outcome, tried } = scene(
      [{ name: "a" }],
      { a: [{}, { status: 503, body }] },
      {
        async begin(transport) {
          const session = transport.openSession();
          const init = { method: "POST", body: '"Rumpelstiltskin"' };
          await session.fetch("https://private.example/v1/one", init);
          await session.fetch("https://private.example/v1/state");
        },
      },
    );
    await outcome();

    expect(tried[0]?.reason).toContain("Overloaded");
    expect(tried[0]?.reason).not.toContain("Rumpelstiltskin");
  });

  test("by a library releases every open stream if it fails", async () => {
    const { outcome, closed } = scene(
      [{ name: "a" }],
      {},
      {
        call: { facts: { ...CALL.facts, stream: true } },
        async begin(transport) {
          const session = transport.openSession();
          await session.fetch("https://private.example/v1/one");
          await session.fetch("https://private.example/v1/two");
          throw failure("upstream_failed");
        },
      },
    );
    await outcome();

    // The last one is also closed as the attempt's own.
    expect(closed.length).toBe(3);
  });

  test("without a response is recorded as such", async () => {
    const { outcome, tried } = scene([{ name: "a" }], { a: [failure("upstream_unreachable")] });

    expect(await outcome()).toMatchObject({
      upstream: { channel: "a", credential: "", status: null },
    });
    expect(tried).toMatchObject([{ fault: "upstream_unreachable", status: null }]);
  });

  test("whose response cannot be read releases it", async () => {
    const { outcome, closed } = scene(
      [{ name: "a" }],
      {},
      {
        async begin(transport, route) {
          await transport.post(route, { body: "{}", headers: {} });
          throw failure("upstream_failed");
        },
      },
    );
    await outcome();

    expect(closed).toEqual(["a"]);
  });

  test("that the gateway aborts is not counted as a failure of the channel", async () => {
    const { outcome } = scene(
      [{ name: "a" }],
      {},
      { begin: () => Promise.reject(new Error("a defect")) },
    );

    const told = await outcome();
    expect(told).toMatchObject({ code: "internal" });
    expect((told as GatewayError).upstream).toBeUndefined();
  });

  test.each([
    ["upstream_auth", false],
    ["upstream_rate_limited", false],
    ["upstream_failed", true],
  ] as const)(
    "that fails with %s puts the credential into cooldown if it is the cause",
    async (code, isFree) => {
      const { outcome, health, routes } = scene([{ name: "a", credentials: [ONE] }], {
        a: [failure(code)],
      });
      await outcome();

      expect(routes.map((route) => health.mayTry(route))).toEqual([isFree]);
    },
  );

  test.each([
    ["upstream_denied", false],
    ["upstream_refused", false],
    ["upstream_failed", true],
  ] as const)(
    "that fails with %s for a second user puts the credential into cooldown if it may be the cause",
    async (code, isFree) => {
      const place = scene([{ name: "a", credentials: [ONE] }], { a: [failure(code)] });
      const [route] = place.routes;
      if (route === undefined) throw new Error("A route was expected.");
      place.health.cool(route, ONE, failure(code), { id: 9, userId: 9 });
      await place.outcome();

      expect(place.health.mayTry(route)).toBe(isFree);
    },
  );

  test("uses the next credential in turn", async () => {
    const { outcome, asked } = scene([{ name: "a", credentials: [ONE, TWO] }]);
    await outcome();
    await outcome();
    await outcome();

    expect(asked()).toEqual(["a ...1001", "a ...1002", "a ...1001"]);
  });

  test("by a library releases all its responses if it fails, and is judged by each", async () => {
    const { outcome, closed, tried } = scene(
      [{ name: "a" }],
      { a: [{}, BUSY] },
      {
        async begin(transport) {
          const session = transport.openSession();
          await session.fetch("https://private.example/v1/one");
          await session.fetch("https://private.example/v1/two", { method: "POST", body: "{}" });
        },
      },
    );

    expect(await outcome()).toMatchObject({ code: "upstream_overloaded" });
    expect(closed.length).toBeGreaterThanOrEqual(2);
    expect(tried).toMatchObject([{ status: 503 }]);
  });
});

describe("a vendor's message that quotes the request", () => {
  const OWN = "https://login:word@files.example/1.png";
  const OTHER = "https://login:word@files.example/2.png";
  const FOREIGN = "https://login:word@files.example/3.png";
  const SAID = `Cannot read ${OWN} or ${FOREIGN}`;
  const vendorFailure = (said: string): GatewayError =>
    new GatewayError("upstream_failed", said, { vendor: { status: 200, said, reason: said } });
  const begun = (stream: boolean) =>
    scene(
      [{ name: "a" }],
      {},
      {
        call: { facts: { ...CALL.facts, stream } },
        begin: (transport, route) =>
          transport.post(route, { body: JSON.stringify([OWN, OTHER]), headers: {} }),
      },
    ).ask();

  test("shows the client its own links, and no others, if the vendor refuses it", async () => {
    const body = JSON.stringify({ error: { message: SAID } });
    const { outcome } = scene(
      [{ name: "a" }],
      { a: [{ status: 400, body }] },
      {
        begin: (transport, route) =>
          transport.post(route, { body: JSON.stringify([OTHER, OWN]), headers: {} }),
      },
    );

    expect(await outcome()).toMatchObject({ message: `Cannot read ${OWN} or [link]` });
  });

  test("shows them if it comes within a stream, too", async () => {
    const { attempt } = await begun(true);

    expect(attempt.disclose(vendorFailure(SAID)).message).toBe(`Cannot read ${OWN} or [link]`);
  });

  test("shows none of them after a response that is no stream, which keeps nothing of the request", async () => {
    const { attempt } = await begun(false);

    expect(attempt.disclose(vendorFailure(SAID)).message).toBe("Cannot read [link] or [link]");
  });

  test("shows none of them in a stream of a request that is not text, or had no body", async () => {
    const call = { facts: { ...CALL.facts, stream: true } };
    for (const begin of [
      () => Promise.resolve(),
      ((transport, route) =>
        transport.post(route, { body: Buffer.from(OWN), headers: {} })) as Scene["begin"],
    ]) {
      const { attempt } = await scene([{ name: "a" }], {}, { call, ...(begin && { begin }) }).ask();

      expect(attempt.disclose(vendorFailure(SAID)).message).toBe("Cannot read [link] or [link]");
    }
  });
});

test("addresses of a channel are cached for a limited number of paths", async () => {
  const place = scene(
    [{ name: "a" }],
    {},
    {
      async begin(transport, route) {
        for (let id = 0; id < 1_000; id++) {
          const endpoint = { ...route.endpoint, path: `/tasks/${id}` };
          await transport.post({ ...route, endpoint }, { body: "{}", headers: {} });
        }
      },
    },
  );
  const [route] = place.routes;
  if (route === undefined) throw new Error("A route was expected.");
  const base = baseOf(route);
  expect(baseOf(route)).toBe(base);
  await place.outcome();

  expect(baseOf(route)).not.toBe(base);
  expect(baseOf(route).href).toBe(base.href);
});

describe("the wait that a vendor requests", () => {
  const waitOf = async (headers: Record<string, string>, body = ""): Promise<number | undefined> =>
    (await asError(replyOf(429, body, headers), {})).retryAfterMs;

  test.each([
    ["in seconds", { "retry-after": "7" }, 7_000],
    ["not at all", { "retry-after": "0" }, 0],
    ["in milliseconds, which are more exact", { "retry-after-ms": "250", "retry-after": "7" }, 250],
    ["until a date", { "retry-after": "Mon, 23 Nov 2026 10:00:05 GMT" }, 5_000],
    ["for an hour at most", { "retry-after": "86400" }, 3_600_000],
    ["in a way that makes no sense", { "retry-after": "-5", "retry-after-ms": "soon" }, undefined],
    ["until a date that is past", { "retry-after": "Mon, 23 Nov 2026 09:59:55 GMT" }, undefined],
    ["in no way", {}, undefined],
  ] as const)("%s", async (_, headers, expected) => {
    setSystemTime(new Date("2026-11-23T10:00:00Z"));
    try {
      expect(await waitOf(headers)).toBe(expected as never);
    } finally {
      setSystemTime();
    }
  });

  test("in its response's body counts if no header has one", async () => {
    const body = JSON.stringify({
      error: { code: 429, details: [{ "@type": "x.RetryInfo", retryDelay: "3s" }] },
    });

    expect(await waitOf({}, body)).toBe(3_000);
    expect(await waitOf({ "retry-after": "7" }, body)).toBe(7_000);
  });

  test("is read beside its status, in the format of its style", async () => {
    const parseErrorOf = (status: number, body: string) => ({
      code: "upstream_failed" as const,
      message: `${status} ${body}`,
      vendor: { status: 1, code: "own" },
    });
    const endpoint = { style: { outbound: { parseError: parseErrorOf } } } as never;

    expect(await asError(replyOf(503, "in own words", {}), { endpoint })).toMatchObject({
      code: "upstream_failed",
      message: "503 in own words",
      vendor: { status: 503, code: "own" },
    });
  });

  test("is searched only within the size of an error response", async () => {
    const long = `${" ".repeat(64 * 1024)}the end`;

    const { message } = await asError(replyOf(400, long, {}), {});

    expect(message).not.toContain("the end");
  });
});

test("a response that failed before its content counts as a failure, and the next channel is called", async () => {
  const health = new Health(systemClock);
  const routes = [aChannel({ name: "first" }), aChannel({ name: "second" })].map(routeOf);
  const amended: string[] = [];
  const deps = {
    health,
    clock: systemClock,
    router: { sizeOf: () => ({ known: 1, assumed: 0 }) },
    delivery: { maxEventBytes: 1 },
    maxCallMs: Infinity,
    maxAttempts: 5,
  } as unknown as AttemptDeps;
  const settlement = {
    recordAttempt: () => {},
    amendAttempt: ({ code }: GatewayError) => void amended.push(code),
  } as unknown as Settlement;
  const plan = { routes, estimate: nanoUsd(0) };
  const inFlight = () => routes.map(({ channel }) => health.inFlight(channel));

  const begun = await callWithFailover(
    CALL,
    plan as never,
    settlement,
    deps,
    async ({ channel }) => channel.name,
  );
  expect([begun.answer, inFlight()]).toEqual(["first", [1, 0]]);
  const next = await begun.instead(new GatewayError("upstream_failed", "It broke off."));
  expect([next.answer, inFlight()]).toEqual(["second", [0, 1]]);
  const last = await next
    .instead(new GatewayError("upstream_overloaded", "Busy."))
    .catch(GatewayError.from);
  expect(last).toMatchObject({ code: "upstream_overloaded" });
  expect([amended, inFlight()]).toEqual([
    ["upstream_failed", "upstream_overloaded"],
    [0, 0],
  ]);
});

test("if a client disconnects before the response began, no other channel is called", async () => {
  const routes = [aChannel({ name: "first" }), aChannel({ name: "second" })].map(routeOf);
  const asked: string[] = [];
  const deps = {
    health: new Health(systemClock),
    clock: systemClock,
    router: { sizeOf: () => ({ known: 1, assumed: 0 }) },
    delivery: { maxEventBytes: 1 },
    maxCallMs: Infinity,
    maxAttempts: 5,
  } as unknown as AttemptDeps;
  const settlement = { recordAttempt: () => {}, amendAttempt: () => {} } as unknown as Settlement;
  const plan = { routes, estimate: nanoUsd(0) };
  const begun = await callWithFailover(
    CALL,
    plan as never,
    settlement,
    deps,
    async ({ channel }) => {
      asked.push(channel.name);
      return channel.name;
    },
  );
  const left = new GatewayError("canceled", "The caller left.");

  expect(await begun.instead(left).catch(GatewayError.from)).toBe(left);
  expect(asked).toEqual(["first"]);
});

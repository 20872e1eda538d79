import { loadConfig } from "#config.ts";
import { readFileHead } from "#config/read-file-head.ts";
import type { AttemptRecord } from "#core/call.ts";
import type { Credential } from "#core/channel.ts";
import { costOf, FREE } from "#core/money.ts";
import { NO_USAGE } from "#core/usage.ts";
import { composeGateway } from "#gateway/compose.ts";
import { ensureKeys } from "#gateway/first-access.ts";
import { openCall } from "#http/api/text/generate.ts";
import { authenticateKey } from "#http/authenticate.ts";
import { bodySlotsFor, HttpExchange, type Surroundings } from "#http/exchange.ts";
import { toResponse } from "#http/reply.ts";
import { ulid } from "#lib/ids.ts";
import { openLog } from "#lib/log.ts";
import { PROVIDERS } from "#providers/index.ts";
import { requirementsOf } from "#providers/provider.ts";
import type { Call } from "#relay/call.ts";
import type { WholeReading } from "#relay/delivery/whole.ts";
import { Attempt } from "#relay/failover/attempt.ts";
import { release, reserveForCaller } from "#relay/metering/rate-reservations.ts";
import { recordOf } from "#relay/metering/record.ts";
import { beginWhole, relay } from "#relay/relay.ts";
import type { Plan, Route } from "#relay/routing/route.ts";
import { chat } from "#styles/text/chat/index.ts";

/**
 * The gateway's own modules, up to the duty that the last argument names; see
 * `rungs.ts`. Whole answers only. The modules are opened as the gateway opens
 * them, so a rung uses the same settings and the same database.
 */
const [upstreamPort = "", port = "", rungText = "1"] = process.argv.slice(2);
const rung = Number(rungText);

const config = loadConfig({
  env: process.env,
  readFile: readFileHead,
  knownProviders: PROVIDERS.map(requirementsOf),
});
const opened = new AsyncDisposableStack();
const gateway = await composeGateway({ config, env: process.env, log: openLog("error") }, opened);
await ensureKeys(config, gateway.storage);
const { egress, clock, health } = gateway;
const { ledger, keys } = gateway.storage;
const { limits } = gateway.settings;

const { attempts } = gateway.relay;
/** So wide that no call of the bench is refused. */
const admission = {
  ...gateway.relay.admission,
  userLimits: {
    requestsPerMinute: 100_000_000,
    tokensPerMinute: 1_000_000_000_000,
    concurrency: 20_000,
  },
};
const UPSTREAM = new URL(`http://127.0.0.1:${upstreamPort}/v1/chat/completions`);
const JSON_HEADERS = { "content-type": "application/json" };
const around: Surroundings = {
  jsonDepth: limits.jsonDepth,
  ...bodySlotsFor(limits.bigBodies),
  deadlines: gateway.relay.delivery.deadlines,
  clientOf: () => ({ address: undefined, isSecure: true }),
  answerHeaders: [],
  setIdleSeconds() {},
};

Bun.serve({
  hostname: "127.0.0.1",
  port: Number(port),
  idleTimeout: 0,
  async fetch(request) {
    if (request.method !== "POST") return new Response("ok");
    if (rung === 1) return await forward(await request.text(), request.signal);
    const exchange = await readExchange(request);
    const call = await readCall(exchange);
    if (rung === 2) return await forward(call.body.text, request.signal);
    if (rung === 6.5) return await answerByRelay(call, exchange);
    const reservation = await reserveForCaller(call, admission);
    try {
      if (rung === 3) return await forward(call.body.text, request.signal);
      return await answer(call);
    } finally {
      if (reservation !== undefined) release(reservation, 0, admission.limiter);
    }
  },
});

/** Rung 1: the HTTP client of the gateway, and nothing else. */
async function forward(body: string, signal: AbortSignal): Promise<Response> {
  using reply = await egress.send({
    url: UPSTREAM,
    method: "POST",
    body,
    pool: "bench",
    credential: undefined,
    headers: JSON_HEADERS,
    authorize: () => ({}),
    isStream: false,
    signal,
  });
  return new Response(await reply.readAll(), { headers: JSON_HEADERS });
}

/** Rung 2: key, body and fields. */
async function readExchange(request: Request): Promise<HttpExchange> {
  const found = authenticateKey(request, "text", { keys, clock }, around);
  const key = found instanceof Promise ? await found : found;
  return new HttpExchange(request, ulid(clock.now()), { key }, () => undefined, around);
}

async function readCall(exchange: HttpExchange): Promise<Call> {
  const sent = await exchange.readJson(limits.bodyBytes);
  const facts = chat.inbound.readRequest(sent.json, {});
  return openCall(exchange, chat, sent, facts, { limits, clock });
}

/** Rungs 4 to 6: a plan and one attempt; then the ledger with the journal. */
async function answer(call: Call): Promise<Response> {
  const plan = gateway.relay.router.plan(call);
  const { channel, route, credential } = pick(plan);
  if (rung >= 5) await hold(call, plan);
  const records: AttemptRecord[] = [];
  const settlement = {
    recordAttempt: (attempt: AttemptRecord) => void records.push(attempt),
    amendAttempt() {},
  };
  const begin = beginWhole(call, gateway.relay);
  const attempt = new Attempt<WholeReading, Route>(call, route, credential, settlement, attempts);
  const reading = await attempt.run(begin);
  attempt.release();
  if (rung >= 5) await settle(call, route, reading, records);
  return new Response(reading.body, { headers: { ...JSON_HEADERS, "x-channel": channel } });
}

function pick({ routes }: Plan): {
  route: Route;
  credential: Credential | undefined;
  channel: string;
} {
  const [route] = routes;
  if (route === undefined) throw new Error("The bench's model has no route.");
  return { route, credential: health.pick(route, new Set()), channel: route.channel.name };
}

async function hold(call: Call, { estimate }: Plan): Promise<void> {
  await ledger.hold({
    callId: call.id,
    accounts: call.key.accounts,
    amount: estimate,
    openedAt: call.at,
    isProvisional: true,
    context: {
      userId: call.key.userId,
      keyId: call.key.id,
      model: call.facts.model,
      style: call.style.id,
      isStream: false,
    },
  });
}

async function settle(
  call: Call,
  route: Route,
  { usage = NO_USAGE }: WholeReading,
  attempts: readonly AttemptRecord[],
): Promise<void> {
  const cost = costOf(usage, route.price ?? FREE);
  const record = recordOf(call, clock, {
    outcome: "completed",
    fault: null,
    usage,
    cost,
    route,
    firstByteAt: clock.monotonic(),
    attempts,
    upstreamMs: 0,
    lost: [],
  });
  await ledger.settle(call.id, cost, record);
}

/** Between rungs 6 and 7: the relay as it is, without the server around it. */
async function answerByRelay(call: Call, exchange: HttpExchange): Promise<Response> {
  const answered = await relay(call, { ...gateway.relay, admission });
  if (answered.kind === "stream") throw new Error("This rung serves whole answers only.");
  return toResponse({ kind: "whole", headers: JSON_HEADERS, body: answered.body }, exchange.id);
}

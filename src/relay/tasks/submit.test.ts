import { describe, expect, test } from "bun:test";
import type { Asset } from "#core/asset.ts";
import type { CallRecord } from "#core/call.ts";
import { credential, type Channel } from "#core/channel.ts";
import { GatewayError, invalid } from "#core/error.ts";
import type { HoldRequest, Ledger } from "#core/ledger.ts";
import type { Price } from "#core/money.ts";
import { isOver, MAY_FOLLOW, type Task, type TaskChange } from "#core/task.ts";
import type { VideoRequest } from "#core/video.ts";
import type { UpstreamReply, UpstreamRequest } from "#egress/egress.ts";
import { Deadlines } from "#lib/deadlines.ts";
import { Form } from "#lib/form.ts";
import type { JsonObject } from "#lib/json.ts";
import { Pieces } from "#lib/pieces.ts";
import { textOf } from "#lib/values.ts";
import { findProvider } from "#providers/index.ts";
import type { VideoEndpoint } from "#providers/provider.ts";
import { parseError } from "#styles/upstream-error.ts";
import { aChannel } from "#test/a-channel.ts";
import { Health } from "../failover/health.ts";
import { OpenCalls } from "../metering/open-calls.ts";
import { Router, type Candidate } from "../routing/route.ts";
import { factsOf, submitTask, type AskedVideo, type SubmitDeps } from "./submit.ts";

const NOW = 1_800_000_000_000;
const DEADLINE_MS = 3_600_000;
const LEASE_MS = 30_000;
const FIRST = credential("secret-of-the-first-account");
const SECOND = credential("secret-of-the-second-account");
/** A tenth of a cent for each second. */
const PRICE: Price = {
  input: 0,
  output: 0,
  second: 1_000_000_000,
  source: "test",
  date: "2026-01-01",
};
const DEARER: Price = { ...PRICE, second: 3_000_000_000 };

/** What the vendor of a channel answers. */
type Said = { readonly status?: number; readonly body?: JsonObject } | GatewayError;

interface Scene {
  readonly channels?: readonly Partial<Channel>[];
  readonly says?: Readonly<Record<string, Said>>;
  readonly prices?: Readonly<Record<string, Price | undefined>>;
  readonly endpoints?: readonly Partial<VideoEndpoint>[];
  readonly question?: Partial<VideoRequest>;
  readonly asked?: Partial<AskedVideo>;
  readonly deps?: Partial<SubmitDeps>;
  readonly ledger?: Ledger;
  readonly asset?: Partial<Asset>;
  /** Runs in place of the next change of a task, with the change as it would have been. */
  readonly onChange?: (change: TaskChange, rows: Map<string, Task>) => Promise<"go on" | undefined>;
}

function endpoint(more: Partial<VideoEndpoint> = {}): VideoEndpoint {
  return {
    style: {
      id: "video-test",
      outbound: {
        build(question, { report, externalId, callbackUrl }) {
          if (question.seed !== undefined) report.lose("seed");
          const { model, prompt = "" } = question;
          const media = question.media.map(({ source }) =>
            source.kind === "url" ? source.url : source.kind === "asset" ? source.id : source.kind,
          );
          return { model, prompt, media, externalId, callbackUrl: callbackUrl ?? "none" };
        },
        longest: ({ seconds }) => (seconds === undefined ? 10 : undefined),
        parseSubmitted: (body) => textOf(body["id"]) ?? fail("upstream_failed"),
        parseTask: () => ({ state: "missing" }),
        parseError,
      },
    },
    maxCount: 1,
    path: () => "/videos",
    poll: { path: () => "/" } as never,
    media: { inlines: [], types: ["image/png"] },
    deadlineMs: DEADLINE_MS,
    ...more,
  };
}

function fail(code: ConstructorParameters<typeof GatewayError>[0]): never {
  throw new GatewayError(code, code);
}

/** A gateway with one model on some channels, its tasks, its money, and all that happens there. */
function scene({
  channels = [{ name: "a" }],
  says = {},
  prices = {},
  endpoints = [{}],
  question = {},
  asked = {},
  deps: changed = {},
  ledger,
  asset,
  onChange,
}: Scene = {}) {
  const rows = new Map<string, Task>();
  const creations: { owner: string; leaseMs: number; ownsExternalId: boolean | undefined }[] = [];
  const events: string[] = [];
  const requests: UpstreamRequest[] = [];
  const holds: HoldRequest[] = [];
  const closed: CallRecord[] = [];
  const refusals: CallRecord[] = [];
  const taken: Task[] = [];
  const errors: unknown[] = [];
  const unpriced: { channel: string; isRefused: boolean }[] = [];
  const limits: string[] = [];
  const clock = { now: () => NOW, monotonic: () => 1_000 };
  const health = new Health(clock);
  const open = new OpenCalls();
  const provider = findProvider("openai");
  if (provider === undefined) throw new Error("A provider was expected.");
  const list = channels.map((each) =>
    aChannel({ maxConcurrent: 10, credentials: [FIRST, SECOND], ...each }),
  );
  const candidates: readonly Candidate[] = list.map((channel) => ({
    channel,
    provider: { ...provider, videos: endpoints.map(endpoint) },
    upstreamModel: `m-on-${channel.name}`,
    price: channel.name in prices ? prices[channel.name] : PRICE,
    traits: {},
    suffixes: [],
  }));
  const table = {
    find: (name: string) => (name === "m" ? candidates : undefined),
    nearestTo: () => undefined,
    retiredFor: () => undefined,
    hasLimits: false,
  };

  async function send(request: UpstreamRequest): Promise<UpstreamReply> {
    requests.push(request);
    const [name = ""] = request.pool.split(" ");
    events.push(`sent to ${name}, task is ${rows.get("call-1")?.status}`);
    const said = says[name] ?? {};
    if (said instanceof GatewayError) throw said;
    const { status = 200, body = { id: `up-${name}` } } = said;
    const bytes = Buffer.from(JSON.stringify(body));
    return {
      status,
      headers: new Map(),
      readFailure: async () => bytes.toString(),
      readAll: async () => bytes,
      pump: async () => {},
      close() {},
      [Symbol.dispose]: () => void events.push("reply closed"),
    };
  }
  const tasks = {
    async create(task: Task, owner: string, leaseMs: number, ownsExternalId?: boolean) {
      rows.set(task.id, task);
      creations.push({ owner, leaseMs, ownsExternalId });
    },
    async change(task: Task, change: TaskChange, owner?: string) {
      if (onChange !== undefined && (await onChange(change, rows)) !== "go on") return undefined;
      const known = rows.get(task.id);
      if (known === undefined || known.version !== task.version) return undefined;
      const isAllowed =
        change.status === undefined || MAY_FOLLOW[change.status].includes(known.status);
      if (!isAllowed || (owner !== undefined && owner !== "gateway-1")) return undefined;
      const next = { ...known, ...change, version: known.version + 1 };
      rows.set(task.id, next);
      return next;
    },
    findAny: async (id: string) => rows.get(id),
    async remove(userId: number, id: string) {
      events.push(`removed ${id} of ${userId}, task is ${rows.get(id)?.status}`);
      return true;
    },
  };
  const found = { id: "asset-1", userId: 1, type: "image", status: "active", link: undefined };
  const stages = {
    egress: { send },
    health,
    clock,
    delivery: { deadlines: new Deadlines(clock), maxEventBytes: 1 },
    maxCallMs: 60_000,
    maxAttempts: 5,
    limiter: {
      async take() {
        limits.push("taken");
        return { statuses: [] };
      },
      correct: () => {},
      release: () => void limits.push("released"),
    },
    userLimits: undefined,
    router: new Router(table, health, { unpriced: "allow", assumedOutputTokens: 1 }),
    ledger: {
      async hold(request: HoldRequest) {
        holds.push(request);
        return { durable: Promise.resolve() };
      },
      settle: () => fail("internal"),
      async void(id: string) {
        events.push(`money of ${id} given back`);
        return true;
      },
    },
    open,
    maxOpen: 10,
    onClosed: (record: CallRecord) => void closed.push(record),
    onUnpriced: (notice: (typeof unpriced)[number]) => void unpriced.push(notice),
    onError: (cause: unknown) => void errors.push(cause),
    journal: { write: (record: CallRecord) => void refusals.push(record) },
    ...(ledger && { ledger }),
  };
  const created: CallRecord[] = [];
  const deps = {
    admission: stages,
    onSubmitted: (record: CallRecord) => void created.push(record),
    router: stages.router,
    attempts: stages,
    clock,
    onError: stages.onError,
    tasks,
    files: { media: { follow: () => fail("invalid_request") }, maxPixels: 1_000_000 },
    links: { check: (url: string, param: string) => void events.push(`${param} ${url} checked`) },
    lease: { owner: "gateway-1", leaseMs: LEASE_MS },
    callbackUrlFor: (channel: string, id: string) => `https://gateway.test/${channel}/${id}`,
    references: {
      assets: { find: async () => asset && { ...found, ...asset } },
      clock,
      listChannels: () => list,
      originOf: async () => ({ kind: "url", url: "https://gateway.test/stored" }),
    },
    ...changed,
  } as unknown as SubmitDeps;
  const scheduler = { take: (task: Task) => void taken.push(task) };
  const call: AskedVideo = {
    id: "call-1",
    key: { id: 5, userId: 1, name: "k", status: 1, models: ["*"], accounts: ["user:1"] },
    style: { id: "video-unified" },
    facts: { model: "m", stream: false, maxOutputTokens: undefined, choices: 1 },
    inputTokens: 0,
    signal: new AbortController().signal,
    at: NOW - 3,
    startedAt: 1_000,
    isLasting: true,
    isStrict: false,
    question: { model: "m", scenario: "text", prompt: "a lake", media: [], ...question },
    count: () => Promise.reject(new Error("Nothing is counted here.")),
    ...asked,
  } as AskedVideo;
  /** The task, or the client's error. */
  const submit = (): Promise<Task | GatewayError> =>
    submitTask(call, scheduler, deps).catch(GatewayError.from);
  const bodies = (): readonly JsonObject[] =>
    requests.map(({ body }) => JSON.parse(typeof body === "string" ? body : "{}") as JsonObject);
  const inFlight = (): readonly number[] => list.map((each) => health.inFlight(each));
  const row = (): Task | undefined => rows.get("call-1");
  const seen = {
    rows,
    creations,
    events,
    requests,
    holds,
    closed,
    refusals,
    taken,
    errors,
    created,
  };
  return { submit, bodies, inFlight, row, open, health, candidates, unpriced, limits, ...seen };
}

const codeOf = (told: Task | GatewayError): string =>
  told instanceof GatewayError ? told.code : told.status;
const isFreed = ({ events }: { readonly events: readonly string[] }): boolean =>
  events.includes("money of call-1 given back");

describe("a task that the vendor accepts", () => {
  test("is stored before the vendor is called, and is then queued with the vendor's id", async () => {
    const place = scene();

    const task = await place.submit();

    expect(place.events).toEqual(["sent to a, task is submitting", "reply closed"]);
    expect(task).toMatchObject({
      status: "queued",
      place: { channel: "a", upstreamId: "up-a", credential: FIRST.label },
    });
    expect(place.row()).toEqual(task as Task);
    expect(place.taken).toEqual([task as Task]);
    expect(place.created).toMatchObject([
      { id: "call-1", channel: "a", cost: 0, attempts: [{ channel: "a", fault: null }] },
    ]);
  });

  test("keeps the trace of its client, unless its header is no trace", async () => {
    const header = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const traced = await scene({ asked: { traceparent: `${header}-more` } }).submit();
    const odd = await scene({ asked: { traceparent: "any text" } }).submit();

    expect(traced).toMatchObject({ facts: { traceparent: header } });
    expect(odd instanceof GatewayError ? odd : odd.facts).not.toHaveProperty("traceparent");
  });

  test("keeps its money reserved until its end, and nothing else of the call", async () => {
    const place = scene({
      asked: {
        key: {
          id: 5,
          userId: 1,
          name: "k",
          status: 1,
          models: ["*"],
          accounts: ["user:1"],
          limits: { requestsPerMinute: 5 },
        },
      } as Partial<AskedVideo>,
    });

    const task = await place.submit();

    // Ten seconds, the longest that the vendor may choose.
    expect(place.holds).toMatchObject([{ callId: "call-1", amount: 10_000_000, isLasting: true }]);
    expect(task).toMatchObject({ held: 10_000_000 });
    expect(isFreed(place)).toBe(false);
    expect(place.closed).toEqual([]);
    expect(place.open.count).toBe(0);
    expect(place.inFlight()).toEqual([0]);
    expect(place.limits).toEqual(["taken", "released"]);
  });

  test("is stored with all data for its end and its owner", async () => {
    const place = scene({
      question: { seconds: 4, seed: 7 },
      asked: { ownsExternalId: true },
      // The row stays as it was made.
      onChange: async () => undefined,
    });
    await place.submit();

    expect(place.row()).toEqual({
      id: "call-1",
      userId: 1,
      keyId: 5,
      entry: "video-unified",
      model: "m",
      facts: { scenario: "text", prompt: "a lake", seconds: 4, seed: 7 },
      status: "submitting",
      place: {
        channel: "a",
        provider: "openai",
        upstreamModel: "m-on-a",
        format: "video-test",
        credential: FIRST.label,
      },
      videos: [],
      usage: expect.objectContaining({ durationMs: 4_000, isEstimated: true }),
      price: PRICE,
      held: 4_000_000 as never,
      lost: ["seed"],
      createdAt: NOW - 3,
      deadlineAt: NOW + DEADLINE_MS,
      dueAt: NOW,
      failures: 0,
      misses: 0,
      isSettled: false,
      version: 1,
    });
    expect(place.creations).toEqual([
      { owner: "gateway-1", leaseMs: LEASE_MS, ownsExternalId: true },
    ]);
  });

  test("is polled soon after, not at once", async () => {
    const { dueAt } = (await scene().submit()) as Task;

    expect(dueAt).toBeWithin(NOW + 1, NOW + 60_000);
  });

  test("is reported if its model has no price", async () => {
    const priced = scene();
    const free = scene({ prices: { a: undefined } });
    const refused = scene({ prices: { a: undefined }, says: { a: { status: 400 } } });
    for (const each of [priced, free, refused]) await each.submit();

    expect(priced.unpriced).toEqual([]);
    expect(free.unpriced).toMatchObject([{ channel: "a", isRefused: false }]);
    expect(free.row()?.price).toMatchObject({ source: "none" });
    expect(refused.unpriced).toEqual([]);
  });
});

describe("the request to the vendor", () => {
  test("has its format, the gateway's id and the address for its webhooks", async () => {
    const place = scene();
    await place.submit();

    expect(place.bodies()).toEqual([
      {
        model: "m-on-a",
        prompt: "a lake",
        media: [],
        externalId: "call-1",
        callbackUrl: "https://gateway.test/a/call-1",
      },
    ]);
    expect(place.requests[0]?.url.href).toBe("https://vendor.example/v1/videos");
    expect(place.requests[0]?.headers).toEqual({});
  });

  test("has no webhook address if vendors cannot reach the gateway", async () => {
    const place = scene({ deps: { callbackUrlFor: () => undefined } });
    await place.submit();

    expect(place.bodies()).toMatchObject([{ callbackUrl: "none" }]);
  });

  test("goes to the path for the model and the channel's options, with the endpoint's headers", async () => {
    const path: VideoEndpoint["path"] = (model, { prompt }, options) =>
      `/${model}/${prompt}/${options["region"]}`;
    const eu = scene({
      channels: [{ name: "a", options: { region: "eu" } }],
      endpoints: [{ path, headers: { "x-async": "1" } }],
      question: { prompt: "fox" },
    });
    const none = scene({ endpoints: [{ path }], question: { prompt: "fox" } });
    await eu.submit();
    await none.submit();

    expect(eu.requests[0]?.url.pathname).toBe("/v1/m-on-a/fox/eu");
    expect(eu.requests[0]?.headers).toEqual({ "x-async": "1" });
    expect(none.requests[0]?.url.pathname).toBe("/v1/m-on-a/fox/undefined");
  });

  test("may be a form, and then has that content type", async () => {
    const { style } = endpoint();
    const build = () => new Form([{ name: "prompt", value: "a lake" }]);
    const form = { ...style, outbound: { ...style.outbound, build } };
    const place = scene({ endpoints: [{ style: form, headers: { "x-async": "1" } }] });
    await place.submit();

    const [request] = place.requests;
    expect(request?.body).toBeInstanceOf(Pieces);
    expect(request?.headers).toEqual({
      "x-async": "1",
      "content-type": expect.stringMatching(/^multipart\/form-data; boundary=/),
    });
  });

  test("uses the first endpoint that serves the model and such requests", async () => {
    const place = scene({
      endpoints: [
        { path: () => "/other-model", serves: (model) => model !== "m-on-a" },
        { path: () => "/other-request", answers: ({ prompt }) => prompt !== "a lake" },
        { path: () => "/right", serves: (model) => model === "m-on-a", answers: () => true },
        { path: () => "/late" },
      ],
    });
    await place.submit();

    expect(place.requests.map(({ url }) => url.pathname)).toEqual(["/v1/right"]);
  });
});

describe("a task that the vendor refuses", () => {
  test("costs nothing, is not polled, and leaves no task that the client does not know", async () => {
    const place = scene({ says: { a: { status: 400, body: { error: { message: "No." } } } } });

    expect(codeOf(await place.submit())).toBe("upstream_rejected");
    expect(isFreed(place)).toBe(true);
    expect(place.closed).toMatchObject([
      { outcome: "failed", fault: "upstream_rejected", cost: 0 },
    ]);
    expect(place.row()).toMatchObject({
      status: "failed",
      failure: { code: "upstream_rejected" },
      finishedAt: NOW,
      isSettled: true,
    });
    expect(place.events.at(-1)).toBe("removed call-1 of 1, task is failed");
    expect(place.taken).toEqual([]);
    expect(place.open.count).toBe(0);
  });

  test.each(["upstream_unreachable", "upstream_auth", "upstream_overloaded"] as const)(
    "with %s goes to the next channel, whose account, price and length it then has",
    async (code) => {
      const place = scene({
        channels: [
          { name: "a", credentials: [FIRST] },
          { name: "b", priority: 1 },
        ],
        prices: { b: DEARER },
        says: { a: new GatewayError(code, code) },
        question: { seed: 1 },
      });

      expect(await place.submit()).toMatchObject({
        status: "queued",
        place: { channel: "b", upstreamModel: "m-on-b", upstreamId: "up-b" },
        price: DEARER,
        // The most that any of the channels may cost.
        held: 30_000_000,
        lost: ["seed"],
      });
      expect(place.creations).toHaveLength(1);
      expect(place.events.filter((each) => each.startsWith("sent"))).toEqual([
        "sent to a, task is submitting",
        "sent to b, task is submitting",
      ]);
      expect(place.inFlight()).toEqual([0, 0]);
    },
  );

  test("loses the price of the first channel if the next one has none", async () => {
    const place = scene({
      channels: [
        { name: "a", credentials: [FIRST] },
        { name: "b", priority: 1 },
      ],
      prices: { b: undefined },
      says: { a: new GatewayError("upstream_unreachable", "") },
    });
    await place.submit();

    expect(place.row()?.price).toMatchObject({ source: "none" });
    expect(place.unpriced).toMatchObject([{ channel: "b" }]);
  });

  test("goes no further if another gateway took it over meanwhile", async () => {
    const place = scene({
      channels: [
        { name: "a", credentials: [FIRST] },
        { name: "b", priority: 1 },
      ],
      says: { a: new GatewayError("upstream_unreachable", "") },
      deps: { lease: { owner: "gateway-2", leaseMs: LEASE_MS } },
    });

    expect(await place.submit()).toMatchObject({
      code: "internal",
      message: "The task was lost.",
    });
    expect(place.requests).toHaveLength(1);
    expect(place.row()).toMatchObject({ status: "submitting", place: { channel: "a" } });
    expect(place.taken).toEqual([]);
  });

  test("is left to the scheduler if its end cannot be stored", async () => {
    const down = new Error("The database is away.");
    const place = scene({
      says: { a: { status: 400 } },
      onChange: () => Promise.reject(down),
    });

    expect(codeOf(await place.submit())).toBe("upstream_rejected");
    expect(isFreed(place)).toBe(true);
    expect(place.errors).toEqual([down]);
    expect(place.taken).toMatchObject([{ status: "submitting", version: 1 }]);
  });
});

describe("a task with an unknown submission result", () => {
  test.each<[string, Said]>([
    ["has no answer in time", new GatewayError("upstream_timeout", "")],
    ["breaks the connection off", new GatewayError("upstream_failed", "")],
    ["is asked while the call is canceled", new GatewayError("canceled", "")],
    ["fails", { status: 500 }],
    ["gives no id", { body: {} }],
  ])(
    "since it %s is not sent to another vendor, keeps its money, and is searched at once",
    async (_, said) => {
      const place = scene({
        channels: [{ name: "a" }, { name: "b", priority: 1 }],
        says: { a: said },
      });

      const task = await place.submit();

      expect(task).toMatchObject({ status: "submit_unknown", dueAt: NOW, place: { channel: "a" } });
      expect(place.requests).toHaveLength(1);
      expect(place.row()).toEqual(task as Task);
      expect(place.taken).toEqual([task as Task]);
      expect(place.created).toMatchObject([
        { id: "call-1", outcome: "completed", channel: null, attempts: [{ channel: "a" }] },
      ]);
      expect(isFreed(place)).toBe(false);
      expect(place.closed).toEqual([]);
      expect(place.open.count).toBe(0);
    },
  );

  test("is left to the scheduler if that cannot be stored", async () => {
    const down = new Error("The database is away.");
    const place = scene({
      says: { a: new GatewayError("upstream_timeout", "") },
      onChange: () => Promise.reject(down),
    });

    expect(await place.submit()).toMatchObject({ status: "submitting", version: 1 });
    expect(place.errors).toEqual([down]);
    expect(new Set(place.taken.map(({ id }) => id))).toEqual(new Set(["call-1"]));
    expect(isFreed(place)).toBe(false);
  });

  test("is returned in its last known state if another gateway changed it meanwhile", async () => {
    const place = scene({
      says: { a: new GatewayError("upstream_timeout", "") },
      onChange: async () => undefined,
    });

    expect(await place.submit()).toMatchObject({ status: "submitting", version: 1 });
    expect(place.errors).toEqual([]);
    expect(place.taken).toHaveLength(1);
  });
});

describe("a task that the vendor accepted", () => {
  test("but that cannot be stored is continued by the scheduler, which stores it", async () => {
    const down = new Error("The database is away.");
    const place = scene({ onChange: () => Promise.reject(down) });

    const task = await place.submit();

    expect(task).toMatchObject({ status: "queued", place: { upstreamId: "up-a" }, version: 1 });
    expect(place.taken).toEqual([task as Task]);
    expect(place.errors).toEqual([down]);
    expect(isFreed(place)).toBe(false);
  });

  test("while another gateway searched for it gets its id in that gateway's version", async () => {
    let changes = 0;
    const place = scene({
      async onChange(_, rows) {
        const known = rows.get("call-1");
        if (changes++ === 0 && known !== undefined) {
          rows.set("call-1", { ...known, status: "submit_unknown", version: 2, misses: 1 });
        }
        return "go on";
      },
    });

    expect(await place.submit()).toMatchObject({
      status: "queued",
      place: { upstreamId: "up-a" },
      version: 3,
      misses: 1,
    });
    expect(changes).toBe(2);
  });

  test("under another task's id ends, and its hold is released", async () => {
    let changes = 0;
    const place = scene({
      onChange: async () => (changes++ === 0 ? fail("upstream_failed") : "go on"),
    });

    expect(codeOf(await place.submit())).toBe("upstream_failed");
    expect(isFreed(place)).toBe(true);
    expect(place.row()).toMatchObject({ status: "failed", isSettled: true });
    expect(place.errors).toEqual([]);
  });

  test("after it was cancelled is reported as cancelled, after a limited number of attempts", async () => {
    let changes = 0;
    const place = scene({
      async onChange({ status }, rows) {
        const known = rows.get("call-1");
        if (known !== undefined && !isOver(known)) {
          rows.set("call-1", { ...known, status: "failed", version: 2 });
        }
        if (status === "queued") changes++;
        return "go on";
      },
    });

    expect(await place.submit()).toMatchObject({
      code: "internal",
      message: "The task was cancelled while the upstream accepted it.",
    });
    expect(changes).toBe(5);
    expect(place.taken).toEqual([]);
  });

  test("after it was deleted is reported as deleted at once", async () => {
    let changes = 0;
    const place = scene({
      async onChange({ status }, rows) {
        rows.clear();
        if (status === "queued") changes++;
        return "go on";
      },
    });

    expect(codeOf(await place.submit())).toBe("internal");
    expect(changes).toBe(1);
  });
});

describe("a request that is refused before an upstream call", () => {
  const refuse = (param: string): never => {
    throw invalid(param, "not allowed");
  };
  test("for the client's webhook address reserves no money", async () => {
    const place = scene({
      question: { callbackUrl: "http://10.0.0.1/" },
      deps: { links: { check: (url, param) => refuse(`${param} ${url}`) } },
    });

    expect(await place.submit()).toMatchObject({ param: "callback_url http://10.0.0.1/" });
    expect([place.holds, place.requests, place.rows.size]).toEqual([[], [], 0]);
  });

  test("has its webhook address checked only if it has one", async () => {
    const withOne = scene({ question: { callbackUrl: "https://client.test/" } });
    const without = scene();
    await withOne.submit();
    await without.submit();

    expect(withOne.events).toContain("callback_url https://client.test/ checked");
    expect(without.events.join(" ")).not.toContain("checked");
  });

  test("for lack of money is recorded, without an upstream call", async () => {
    const ledger = { hold: () => fail("out_of_quota") } as unknown as Ledger;
    const place = scene({ ledger });

    expect(codeOf(await place.submit())).toBe("out_of_quota");
    expect(place.refusals).toMatchObject([{ id: "call-1", fault: "out_of_quota", cost: 0 }]);
    expect([place.requests, place.rows.size, place.open.count]).toEqual([[], 0, 0]);
  });

  test("since its hold is not on disk makes no upstream call, and is closed", async () => {
    const closed: string[] = [];
    const ledger = {
      hold: async () => ({ durable: Promise.reject(new GatewayError("unavailable", "")) }),
      async void(id: string) {
        closed.push(id);
        return true;
      },
    } as unknown as Ledger;
    const place = scene({ ledger });

    expect(codeOf(await place.submit())).toBe("unavailable");
    expect(closed).toEqual(["call-1"]);
    expect([place.requests, place.rows.size, place.open.count]).toEqual([[], 0, 0]);
  });

  test("with a lost field is refused for strict clients, else the field is reported", async () => {
    const strict = scene({ question: { seed: 1 }, asked: { isStrict: true } });
    const changed = scene({ question: { changed: ["size"] }, asked: { isStrict: true } });
    const lenient = scene({ question: { seed: 1, changed: ["size"] } });
    const complete = scene({ asked: { isStrict: true } });

    for (const each of [strict, changed]) {
      expect(await each.submit()).toBeInstanceOf(GatewayError);
      expect(isFreed(each)).toBe(true);
      expect([each.requests, each.rows.size, each.taken, each.errors]).toEqual([[], 0, [], []]);
    }
    expect(await lenient.submit()).toMatchObject({ status: "queued", lost: ["seed", "size"] });
    expect(await complete.submit()).toMatchObject({ status: "queued", lost: [] });
  });

  test("with a link that cannot be downloaded is the client's error", async () => {
    const place = scene({
      endpoints: [{ media: { inlines: ["image"], types: ["image/png"] } }],
      question: {
        media: [
          { type: "image", role: "first_frame", source: { kind: "url", url: "https://a.test/" } },
        ],
      },
    });

    expect(codeOf(await place.submit())).toBe("invalid_request");
    expect([place.requests, place.rows.size]).toEqual([[], 0]);
  });

  const { style } = endpoint();
  /** A format whose model refuses on some channels. */
  const refusing = (...names: readonly string[]): VideoEndpoint["style"] => ({
    ...style,
    outbound: {
      ...style.outbound,
      expect: ({ model }) =>
        names.some((name) => model === `m-on-${name}`) ? refuse(`refused by ${model}`) : {},
    },
  });

  test("by all models has the error of the first", async () => {
    const place = scene({
      channels: [{ name: "a" }, { name: "b" }],
      endpoints: [{ style: refusing("a", "b") }],
    });

    expect(await place.submit()).toMatchObject({ param: "refused by m-on-a" });
    expect(place.holds).toEqual([]);
  });

  test("by one model goes to the other", async () => {
    const place = scene({
      channels: [{ name: "a" }, { name: "b" }],
      endpoints: [{ style: refusing("a") }],
    });

    expect(await place.submit()).toMatchObject({ status: "queued", place: { channel: "b" } });
  });

  test("by one model, while the other has no capacity, may be retried", async () => {
    const place = scene({
      channels: [{ name: "a" }, { name: "b", maxConcurrent: 1 }],
      endpoints: [{ style: refusing("a") }],
    });
    const full = place.candidates.find(({ channel }) => channel.name === "b");
    if (full !== undefined) place.health.enter(full);

    expect(codeOf(await place.submit())).toBe("unavailable");
  });

  test("by every endpoint gets an error that the model makes no such videos", async () => {
    const place = scene({ endpoints: [] });

    expect(await place.submit()).toMatchObject({
      code: "model_not_found",
      message: expect.stringContaining("does not make videos"),
    });
  });
});

describe("the expected usage", () => {
  test("is that of the actual request to the vendor", async () => {
    const { style } = endpoint();
    const expecting = {
      ...style,
      outbound: { ...style.outbound, expect: () => ({ seconds: 8, resolution: "720p" }) },
    };
    const place = scene({ endpoints: [{ style: expecting }], question: { seconds: 2 } });

    expect(await place.submit()).toMatchObject({
      facts: { seconds: 8, resolution: "720p" },
      usage: { durationMs: 8_000, grade: "720p" },
      held: 8_000_000,
    });
  });
});

describe("a request that belongs to an account", () => {
  const ACCOUNTS: Scene = { channels: [{ name: "a" }, { name: "b", priority: 1 }] };

  test("goes to its channel and account only", async () => {
    const home = { channel: "b", account: SECOND.label };
    const place = scene({
      ...ACCOUNTS,
      asked: { home },
      says: { b: new GatewayError("upstream_unreachable", "") },
    });

    expect(codeOf(await place.submit())).toBe("upstream_unreachable");
    expect(place.events.filter((each) => each.startsWith("sent"))).toHaveLength(1);
    expect(place.row()?.place).toMatchObject({ channel: "b", credential: SECOND.label });
  });

  test("of a channel may use any of the channel's accounts", async () => {
    const place = scene({ ...ACCOUNTS, asked: { home: { channel: "b", account: "" } } });

    expect(await place.submit()).toMatchObject({
      place: { channel: "b", credential: FIRST.label },
    });
  });

  test("that was removed is refused", async () => {
    const place = scene({ ...ACCOUNTS, asked: { home: { channel: "c", account: "" } } });

    expect(codeOf(await place.submit())).toBe("model_not_found");
  });
});

describe("a request with an asset", () => {
  const AK = credential("key|AKLTexample|secret-of-the-library");
  const STORED = { channel: "lib", account: AK.label, upstreamId: "up-asset" };
  const LINK = { url: "https://vendor.example/1", endsAt: NOW + 100 * DEADLINE_MS };
  const WITH_ASSET: Partial<VideoRequest> = {
    scenario: "first_frame",
    media: [{ type: "image", role: "first_frame", source: { kind: "asset", id: "asset-1" } }],
  };
  const library = {
    name: "lib",
    provider: "ark",
    credentials: [AK],
    options: { assets_url: "https://assets.example/" },
    priority: 1,
  };

  test("at a vendor goes to the account that has it, under the vendor's id", async () => {
    const place = scene({
      channels: [{ name: "a" }, library],
      question: WITH_ASSET,
      asset: { place: STORED, link: LINK },
    });

    expect(await place.submit()).toMatchObject({ place: { channel: "lib", credential: AK.label } });
    expect(place.bodies()).toMatchObject([{ media: ["up-asset"] }]);
  });

  test("stored by the gateway goes to any channel", async () => {
    const place = scene({
      channels: [{ name: "a" }, library],
      question: WITH_ASSET,
      asset: { status: "active" },
    });

    expect(await place.submit()).toMatchObject({ place: { channel: "a" } });
    expect(place.bodies()).toMatchObject([{ media: ["https://gateway.test/stored"] }]);
  });

  test("at an account without the model is refused as such, and the model is not called unknown", async () => {
    const place = scene({
      channels: [{ name: "a" }, library],
      question: WITH_ASSET,
      asset: { place: STORED, link: LINK },
      endpoints: [{ serves: (model) => model === "m-on-a" }],
    });

    expect(await place.submit()).toMatchObject({
      code: "invalid_request",
      message: expect.stringContaining("must use the same channel"),
    });
    expect(place.holds).toEqual([]);
  });

  test("for a model that no channel has is refused as such", async () => {
    const place = scene({
      channels: [{ name: "a" }, library],
      question: WITH_ASSET,
      asset: { place: STORED, link: LINK },
      endpoints: [],
    });

    expect(codeOf(await place.submit())).toBe("model_not_found");
  });

  test("for a model that the client's own channel lacks is refused as such, even if other channels have it", async () => {
    const place = scene({
      channels: [{ name: "a" }, library],
      question: WITH_ASSET,
      asked: { home: { channel: "lib", account: "" } },
      asset: { place: STORED, link: LINK },
      endpoints: [{ serves: (model) => model === "m-on-a" }],
    });

    expect(codeOf(await place.submit())).toBe("model_not_found");
  });

  test("at an account without capacity may be retried", async () => {
    const place = scene({
      channels: [{ name: "a" }, { ...library, maxConcurrent: 1 }],
      question: WITH_ASSET,
      asset: { place: STORED, link: LINK },
    });
    const full = place.candidates.find(({ channel }) => channel.name === "lib");
    if (full !== undefined) place.health.enter(full);

    expect(codeOf(await place.submit())).toBe("unavailable");
  });
});

describe("the stored facts of a request", () => {
  const QUESTION: VideoRequest = { model: "m", scenario: "text", media: [] };

  test("contain the given fields only", () => {
    const said = {
      prompt: "a fox",
      payload: "own",
      seconds: 5,
      frames: 120,
      size: "1280x720",
      resolution: "720p",
      ratio: "16:9",
      framesPerSecond: 24,
      seed: 1,
      audio: false,
      music: false,
      watermark: true,
      lastFrame: true,
      count: 2,
      externalId: "own-1",
      callbackUrl: "https://client.test/",
    };

    expect(factsOf({ ...QUESTION, ...said })).toEqual({ scenario: "text", ...said });
    expect(factsOf(QUESTION)).toEqual({ scenario: "text" });
  });

  test("contain the beginning of long texts", () => {
    const facts = factsOf({
      ...QUESTION,
      prompt: "a".repeat(5_000),
      payload: "b".repeat(5_000),
    });

    expect([facts.prompt?.length, facts.payload?.length]).toEqual([4_000, 2_048]);
  });

  test("of a remix are the source's, except for those in the request", () => {
    const source = { id: "task_0", upstreamId: "up-0", was: { seconds: 4, size: "1280x720" } };

    expect(factsOf({ ...QUESTION, scenario: "remix", source, seconds: 8 })).toEqual({
      scenario: "remix",
      seconds: 8,
      size: "1280x720",
      remixedFrom: "task_0",
    });
  });
});

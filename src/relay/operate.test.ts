import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import type { OperationRequest, OperationResult } from "#core/operation.ts";
import { NO_USAGE } from "#core/usage.ts";
import type { UpstreamReply } from "#egress/egress.ts";
import { Form } from "#lib/form.ts";
import type { JsonObject } from "#lib/json.ts";
import { LongBase64 } from "#lib/long-base64.ts";
import { textOf } from "#lib/values.ts";
import { findProvider } from "#providers/index.ts";
import type { OperationEndpoint } from "#providers/provider.ts";
import { aChannel } from "#test/a-channel.ts";
import { callDeps } from "#test/call-deps.ts";
import type { Outgoing, UpstreamTransport } from "./failover/attempt.ts";
import type { Body } from "#lib/pieces.ts";
import type { Candidate } from "./routing/route.ts";
import {
  ask,
  operate,
  toolsFor,
  wholeOf,
  write,
  type OperateDeps,
  type Operation,
  type OperationCall,
  type OperationRoute,
} from "./operate.ts";

interface WordsRequest extends OperationRequest {
  readonly words: readonly string[];
  readonly note?: string;
}
interface WordsResult extends OperationResult {
  readonly words: readonly string[];
}
type Endpoint = OperationEndpoint<WordsRequest, WordsResult>;
type Said = JsonObject | readonly JsonObject[] | GatewayError;

const USAGE = { ...NO_USAGE, inputTokens: 3 };

function endpoint(
  outbound: Partial<Endpoint["style"]["outbound"]> = {},
  more: Partial<Endpoint> = {},
): Endpoint {
  return {
    style: {
      id: "test",
      outbound: {
        build({ model, words, note }, { report }) {
          if (note !== undefined) report.lose("note");
          return { model, words };
        },
        parse: (body) => ({ words: [textOf(body["said"]) ?? ""] }),
        parseError: () => ({ code: "upstream_failed", message: "The vendor failed." }) as never,
        ...outbound,
      },
    },
    path: "/words",
    maxInputs: 2,
    ...more,
  };
}

function operation(
  more: Partial<Operation<WordsRequest, WordsResult>> = {},
  endpoints: readonly Endpoint[] = [endpoint()],
): Operation<WordsRequest, WordsResult> {
  return {
    family: "embeddings",
    endpointsOf: () => endpoints,
    sizeOf: () => 1,
    wordsOf: () => [],
    split(question, most) {
      const parts: WordsRequest[] = [];
      for (let at = 0; at < question.words.length; at += most) {
        parts.push({ ...question, words: question.words.slice(at, at + most) });
      }
      return parts;
    },
    join: (parts) => ({ words: parts.flatMap(({ answer }) => answer.words), usage: USAGE }),
    ...more,
  };
}

const provider = findProvider("openai");
const aCandidate = (traits: Candidate["traits"] = {}): Candidate => {
  if (provider === undefined) throw new Error("A provider was expected.");
  return {
    channel: aChannel(),
    provider,
    upstreamModel: "upstream-m",
    price: undefined,
    traits,
    suffixes: [],
  };
};
const aRoute = (of: Endpoint): OperationRoute<Endpoint> => ({ ...aCandidate(), endpoint: of });

function aCall(
  question: Partial<WordsRequest> = {},
  more: Partial<OperationCall<WordsRequest>> = {},
): OperationCall<WordsRequest> {
  return {
    id: "call-1",
    key: { id: 5, userId: 1, name: "k", status: 1, models: ["*"], accounts: ["user:1"] },
    style: { id: "test" },
    facts: { model: "m", stream: false, maxOutputTokens: undefined, choices: 1 },
    inputTokens: 1,
    signal: new AbortController().signal,
    at: 7,
    startedAt: 1_000,
    isStrict: false,
    question: { model: "m", words: ["a"], ...question },
    count: async () => ({ ...NO_USAGE, inputTokens: 9, isEstimated: true }),
    ...more,
  } as OperationCall<WordsRequest>;
}

function replyOf(said: JsonObject | readonly JsonObject[], onEnd = () => {}): UpstreamReply {
  const bytes = Buffer.from(JSON.stringify(said));
  return {
    status: 200,
    headers: new Map(),
    readFailure: async () => bytes.toString(),
    readAll: async () => bytes,
    pump: async () => {},
    close() {},
    [Symbol.dispose]: onEnd,
  };
}

/** An upstream that answers one request after another, the last answer again and again. */
function upstream(...answers: readonly Said[]) {
  const requests: Outgoing<Body>[] = [];
  const polls: string[] = [];
  let count = 0;
  const next = (): UpstreamReply => {
    const said = answers[Math.min(count++, answers.length - 1)] ?? {};
    if (said instanceof GatewayError) throw said;
    return replyOf(said);
  };
  const transport = {
    async post(_: unknown, request: Outgoing<Body>) {
      requests.push(request);
      return next();
    },
    async get(_: unknown, path: string) {
      polls.push(path);
      return next();
    },
  } as unknown as UpstreamTransport;
  return { transport, requests, polls };
}

function depsAt(now: () => number = () => 0, pendingMs = 60_000): OperateDeps {
  return {
    clock: { now, monotonic: now },
    pendingMs,
    media: { follow: () => Promise.reject(new Error("No link was expected.")) },
    maxPixels: 4,
  } as unknown as OperateDeps;
}

async function errorOf(promise: Promise<unknown>): Promise<GatewayError> {
  return await promise.then(
    () => expect.unreachable("A failure was expected."),
    (cause: unknown) => GatewayError.from(cause),
  );
}

const broken = (code: "upstream_failed" | "invalid_request" = "upstream_failed"): GatewayError =>
  new GatewayError(code, `Failed with ${code}.`);

describe("a request of several parts", () => {
  test("is sent in parts of the endpoint's size under the upstream's model name", async () => {
    const { transport, requests } = upstream({ said: "x" }, { said: "y" });
    const of = endpoint();

    const told = await ask(
      aCall({ words: ["a", "b", "c"] }),
      aRoute(of),
      operation(),
      transport,
      depsAt(),
    );

    expect(told).toEqual({ answer: { words: ["x", "y"], usage: USAGE }, lost: [] });
    expect(requests.map(({ body }) => body)).toEqual([
      '{"model":"upstream-m","words":["a","b"]}',
      '{"model":"upstream-m","words":["c"]}',
    ]);
  });

  test("fails with a part unless the other parts are useful without it", async () => {
    const words = ["a", "b", "c"];
    const failing = () => upstream({ said: "x" }, broken()).transport;
    const of = aRoute(endpoint());

    const error = await errorOf(ask(aCall({ words }), of, operation(), failing(), depsAt()));
    expect(error.code).toBe("upstream_failed");
    const failed = ({ code }: GatewayError): WordsResult => ({ words: [code] });
    const told = await ask(aCall({ words }), of, operation({ failed }), failing(), depsAt());
    expect(told.answer.words).toEqual(["x", "upstream_failed"]);
  });

  test("fails if all its parts fail", async () => {
    const failed = (): WordsResult => ({ words: [] });
    const words = ["a", "b", "c"];
    const { transport, requests } = upstream(broken());

    const asking = ask(
      aCall({ words }),
      aRoute(endpoint()),
      operation({ failed }),
      transport,
      depsAt(),
    );
    expect((await errorOf(asking)).code).toBe("upstream_failed");
    expect(requests).toHaveLength(2);
  });

  test("runs as many parts at once as the operation allows, and one after another otherwise", async () => {
    const mostAtOnce = async (partsAtOnce?: number): Promise<number> => {
      let open = 0;
      let most = 0;
      const transport = {
        async post() {
          most = Math.max(most, ++open);
          await Bun.sleep(1);
          open--;
          return replyOf({ said: "x" });
        },
      } as unknown as UpstreamTransport;
      const words = ["a", "b", "c", "d", "e", "f"];
      const more = partsAtOnce === undefined ? {} : { partsAtOnce };
      await ask(aCall({ words }), aRoute(endpoint()), operation(more), transport, depsAt());
      return most;
    };

    expect(await mostAtOnce()).toBe(1);
    expect(await mostAtOnce(2)).toBe(2);
  });
});

describe("an operation's own steps", () => {
  test("prepare the request for the upstream, and finish its result for the client", async () => {
    const seen: unknown[] = [];
    const { transport, requests } = upstream({ said: "x" });
    const prepared = operation({
      async prepare(question, _, { upstream: { href }, at, maxPixels }) {
        seen.push(href, at, maxPixels, question.model);
        return { ...question, words: ["prepared"] };
      },
      async finish(answer, { words }, { report }) {
        report.lose("finished");
        return { ...answer, words: [...answer.words, ...words] };
      },
    });

    const told = await ask(aCall(), aRoute(endpoint()), prepared, transport, depsAt());

    expect(seen).toEqual(["https://vendor.example/v1", 7, 4, "upstream-m"]);
    expect(requests[0]?.body).toBe('{"model":"upstream-m","words":["prepared"]}');
    expect(told.answer.words).toEqual(["x", "prepared"]);
    expect(told.lost).toEqual(["finished"]);
  });

  test("a lost field is reported, and refused before the request to a strict client", async () => {
    const note = "n";
    const lenient = upstream({ said: "x" });
    const told = await ask(
      aCall({ note }),
      aRoute(endpoint()),
      operation(),
      lenient.transport,
      depsAt(),
    );
    expect(told.lost).toEqual(["note"]);

    const strict = upstream({ said: "x" });
    const call = aCall({ note }, { isStrict: true });
    const error = await errorOf(
      ask(call, aRoute(endpoint()), operation(), strict.transport, depsAt()),
    );
    expect(error.message).toContain("note");
    expect(strict.requests).toEqual([]);
  });

  test("a field that its result loses is refused to a strict client, a short result never", async () => {
    const finish: Operation<WordsRequest, WordsResult>["finish"] = async (
      answer,
      _,
      { report },
    ) => {
      report.lose("late");
      return answer;
    };
    const call = aCall({}, { isStrict: true });
    const asked = (more: Partial<Operation<WordsRequest, WordsResult>>) =>
      ask(call, aRoute(endpoint()), operation(more), upstream({ said: "x" }).transport, depsAt());

    expect((await errorOf(asked({ finish }))).message).toContain("late");
    expect((await asked({ shortOf: () => ["n"] })).lost).toEqual(["n"]);
  });
});

describe("a result that comes later", () => {
  const later = (everyMs = 0): Endpoint =>
    endpoint(
      { pendingIn: (body) => (typeof body["id"] === "string" ? body["id"] : undefined) },
      { pending: { everyMs, path: (id) => `/jobs/${id}` } },
    );
  const asked = (
    { transport }: ReturnType<typeof upstream>,
    deps = depsAt(),
    signal = new AbortController().signal,
    of = later(),
  ) => ask(aCall({}, { signal }), aRoute(of), operation(), transport, deps);

  test("is polled for until it is there", async () => {
    const vendor = upstream({ id: "1" }, { id: "2" }, { said: "x" });

    expect((await asked(vendor)).answer.words).toEqual(["x"]);
    expect(vendor.polls).toEqual(["/jobs/1", "/jobs/2"]);
    expect(vendor.requests).toHaveLength(1);
  });

  test("is read at once if the endpoint has no polling", async () => {
    const vendor = upstream({ id: "1", said: "x" });
    const of = endpoint({ pendingIn: () => "1" });

    expect((await asked(vendor, depsAt(), undefined, of)).answer.words).toEqual(["x"]);
    expect(vendor.polls).toEqual([]);
  });

  test("is given up once the longest wait is over, and not at its last moment", async () => {
    const times = [0, 10, 11];
    const vendor = upstream({ id: "1" });
    const error = await errorOf(
      asked(
        vendor,
        depsAt(() => times.shift() ?? 11, 10),
      ),
    );

    expect(error).toMatchObject({ code: "upstream_timeout" });
    expect(error.message).toBe("The upstream took too long.");
    expect(vendor.polls).toHaveLength(1);
  });

  test("survives three failed polls in a row, but not four", async () => {
    const three = [broken(), broken(), broken()];
    const patient = upstream({ id: "1" }, ...three, { id: "1" }, ...three, { said: "x" });
    expect((await asked(patient)).answer.words).toEqual(["x"]);
    expect(patient.polls).toHaveLength(8);

    const lost = upstream({ id: "1" }, broken());
    expect((await errorOf(asked(lost))).code).toBe("upstream_failed");
    expect(lost.polls).toHaveLength(4);
  });

  test("is given up at once if a poll fails through no fault of the upstream", async () => {
    const vendor = upstream({ id: "1" }, broken("invalid_request"));

    expect((await errorOf(asked(vendor))).code).toBe("invalid_request");
    expect(vendor.polls).toHaveLength(1);
  });

  test("is not waited for once the client has disconnected", async () => {
    const stop = new AbortController();
    const vendor = upstream({ id: "1" });
    const asking = errorOf(asked(vendor, depsAt(), stop.signal, later(60_000)));
    await Bun.sleep(1);
    stop.abort(new GatewayError("canceled", "The client disconnected."));

    expect((await asking).message).toBe("The client disconnected.");
    expect(vendor.polls).toEqual([]);
  });
});

describe("a request to an endpoint", () => {
  test("is JSON with the endpoint's own headers", () => {
    const of = endpoint({}, { headers: { "x-own": "1" } });

    expect(write({ model: "m", words: [] }, aRoute(of), new LossReport(), false)).toEqual({
      body: '{"model":"m","words":[]}',
      headers: { "x-own": "1" },
    });
    expect(
      write({ model: "m", words: [] }, aRoute(endpoint()), new LossReport(), false).headers,
    ).toEqual({});
  });

  test("or a form with its content type and the endpoint's own headers", () => {
    const of = endpoint({ build: () => new Form([]) as never }, { headers: { "x-own": "1" } });
    const { headers } = write({ model: "m", words: [] }, aRoute(of), new LossReport(), false);

    expect(headers["x-own"]).toBe("1");
    expect(headers["content-type"]).toStartWith("multipart/form-data; boundary=");
  });

  test("is written with the model's traits and the vendor's dialect, if it has one", () => {
    const contexts: JsonObject[] = [];
    const build: Endpoint["style"]["outbound"]["build"] = (_, { report: _report, ...context }) => {
      contexts.push(context as unknown as JsonObject);
      return {};
    };
    for (const more of [{}, { dialect: { spoken: true } }]) {
      write({ model: "m", words: [] }, aRoute(endpoint({ build }, more)), new LossReport(), false);
    }

    expect(contexts).toEqual([{ model: {} }, { model: {}, dialect: { spoken: true } }]);
  });

  test("has the tools of its call", () => {
    const call = aCall();
    const report = new LossReport();
    const deps = depsAt();

    expect(toolsFor(aCandidate(), call, report, deps)).toEqual({
      media: deps.media,
      maxPixels: 4,
      signal: call.signal,
      at: 7,
      upstream: new URL("https://vendor.example/v1"),
      report,
    });
  });
});

test("a whole answer may be an array if its format names it, and its reply is closed", async () => {
  let closed = 0;
  const reply = replyOf([{ said: "x" }], () => closed++);

  for (const knowing of [{}, { knowsLong: true } as const]) {
    expect(await wholeOf(Promise.resolve(reply), { listAs: "all", ...knowing })).toEqual({
      all: [{ said: "x" }],
    });
    const error = await errorOf(wholeOf(Promise.resolve(reply), knowing));
    expect(error.code).toBe("upstream_failed");
  }
  expect(closed).toBe(4);
});

test("long base64 in a whole answer is not copied if its format knows it", async () => {
  const said = "A".repeat(256 * 1_024);
  const read = async (knowing: { readonly knowsLong?: true }): Promise<unknown> =>
    (await wholeOf(Promise.resolve(replyOf({ said })), knowing))["said"];

  expect(await read({ knowsLong: true })).toBeInstanceOf(LongBase64);
  expect(await read({})).toBe(said);
});

/** A gateway with one channel, its money, and all that happens there. */
function gateway(says: Said, traits: Candidate["traits"] = {}) {
  const { deps, ...seen } = callDeps(aCandidate(traits), async () => {
    if (says instanceof GatewayError) throw says;
    return replyOf(says);
  });
  return { ...seen, deps: { ...depsAt(() => 1_000), ...deps } as OperateDeps };
}

describe("an operation", () => {
  test("of a model of another kind is refused before any request", async () => {
    for (const [family, kind] of [
      ["embeddings", "chat"],
      ["rerank", "embedding"],
    ] as const) {
      const { deps, events } = gateway({ said: "x" }, { kind } as Candidate["traits"]);
      const error = await errorOf(operate(aCall(), operation({ family }), deps));
      expect(error.message).toContain(`does not do ${family}, or not in this way`);
      expect(events).toEqual([]);
    }
  });

  test("goes to the first endpoint that serves its model and supports its request", async () => {
    const named = (name: string, more: Partial<Endpoint>): Endpoint =>
      endpoint({ parse: () => ({ words: [name] }) }, more);
    const endpoints = [
      named("of another model", { serves: (model) => model !== "upstream-m" }),
      named("of other requests", { answers: ({ words }) => words.length > 1 }),
      named("first", { serves: () => true, answers: () => true }),
      named("second", {}),
    ];
    const { deps } = gateway({ said: "x" }, { kind: "embedding" } as Candidate["traits"]);

    const { answer } = await operate(aCall(), operation({}, endpoints), deps);
    expect(answer.words).toEqual(["first"]);
  });

  test("whose upstream reports no usage is counted by the gateway", async () => {
    const { deps, health } = gateway({ said: "x" });
    const join: Operation<WordsRequest, WordsResult>["join"] = () => ({ words: [] });
    const counted: unknown[] = [];
    const count: OperationCall<WordsRequest>["count"] = async (...of) => {
      counted.push(of);
      return { ...NO_USAGE, inputTokens: 9, isEstimated: true };
    };

    const { answer } = await operate(aCall({}, { count }), operation({ join }), deps);
    expect(answer.usage).toMatchObject({ inputTokens: 9, isEstimated: true });
    expect(counted).toEqual([["", {}, 0]]);
    expect(health.inFlight(aChannel())).toBe(0);
    expect((await operate(aCall(), operation(), gateway({}).deps)).answer.usage).toEqual(USAGE);
  });

  test("that succeeds is settled before its response, and its lost fields are recorded", async () => {
    const { deps, settled, events } = gateway({ said: "x" });

    const told = await operate(aCall({ note: "n" }), operation(), deps);
    expect(told.lost).toEqual(["note"]);
    expect(events).toEqual(["sent", "settled"]);
    expect(settled).toHaveLength(1);
  });

  test("that fails releases its hold", async () => {
    const { deps, events, closed } = gateway(broken());

    expect((await errorOf(operate(aCall(), operation(), deps))).code).toBe("upstream_failed");
    expect(events).toEqual(["sent", "money given back"]);
    expect(closed).toHaveLength(1);
  });
});

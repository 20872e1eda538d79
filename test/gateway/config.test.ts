import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readDisplayName } from "#core/name.ts";
import fc from "fast-check";
import { parse, stringify } from "yaml";
import { asRoot, askWith, bearer, openWithRoot, textIn, type Ask } from "#test/accounts.ts";
import type { TestGateway } from "#test/harness.ts";
import { isPostgresReachable, openScratchDatabase } from "#test/scratch-database.ts";
import { waitFor } from "#test/wait.ts";
import { SEED, times } from "#test/seed.ts";

const SECRET = "a-secret-of-the-vendor-basalt";
const OTHER = "another-secret-of-it-gneiss";

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly message: string;
  readonly digest: string;
  readonly changes: readonly Change[];
  readonly mistakes: readonly { line: number; column: number; path: string; message: string }[];
}

interface Change {
  readonly section: string;
  readonly name: string;
  readonly action: string;
  readonly fields: readonly { field: string; before: unknown; after: unknown }[];
}

/** The three requests as root sends them. */
class Documents {
  readonly ask: Ask;
  readonly #url: string;
  readonly #token: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
    this.#headers = { ...bearer(token), "content-type": "application/yaml" };
    this.ask = askWith(url, bearer(token));
  }

  /** The same on another gateway. */
  at({ url }: TestGateway): Documents {
    return new Documents(url, this.#token);
  }

  async export(): Promise<string> {
    return (await this.#send("GET", "/api/config")).text;
  }

  plan(document: string): Promise<Answer> {
    return this.#send("POST", "/api/config/plan", document);
  }

  apply(document: string, digest: string): Promise<Answer> {
    return this.#send("POST", `/api/config/apply?plan=${digest}`, document);
  }

  /** Both, one after the other. */
  async make(document: string): Promise<Answer> {
    const { digest, message } = await this.plan(document);
    if (digest === undefined) throw new Error(message);
    return await this.apply(document, digest);
  }

  /** What the plan of a document would do, without what it leaves alone. */
  async changes(document: string): Promise<readonly Change[]> {
    const { changes, message } = await this.plan(document);
    if (changes === undefined) throw new Error(message);
    return changes.filter(({ action }) => action !== "nothing");
  }

  async #send(method: string, path: string, body?: string): Promise<Answer> {
    const init = { method, headers: this.#headers, ...(body === undefined ? {} : { body }) };
    const response = await fetch(this.#url + path, init);
    const text = await response.text();
    const isJson = response.headers.get("content-type") === "application/json";
    const json = (isJson ? JSON.parse(text) : {}) as { message: string; data?: object };
    return { status: response.status, text, ...json, ...json.data } as unknown as Answer;
  }
}

function byNumber(one: number, other: number): number {
  return one - other;
}

async function openDocuments(gateway: TestGateway): Promise<Documents> {
  const root = await asRoot(gateway.url);
  return new Documents(gateway.url, textIn((await root("POST", "/api/user/token")).data, "token"));
}

const WHOLE = `settings:
  limits:
    attempts: 2
  links:
    allow: ""
channels:
  - name: main
    provider: openai
    base_url: https://vendor.example/v1
    api_keys:
      - ${SECRET}
      - ${OTHER}
    models:
      - plain
      - name: alias
        upstream: meta/llama
    priority: -1
    weight: 0.125
    limits:
      rpm: 5
  - name: spare
    provider: openai
    api_keys:
      - short
    status: disabled
models:
  alias:
    input: 0.15
    output: 0.000001
    source: the vendor's list
    date: 2026-11-01
    context: 8192
groups:
  - name: gold customers
    models:
      - gpt-4o*
    price_factor: 1.25
    prices:
      alias:
        input: 0
        output: 1
        variants:
          - when:
              service_tier:
                - flex
            factor: 0.5
    limits:
      rpm: 2000000
    shared_limits:
      concurrency: 3
teams:
  - name: research
    budgets:
      day: 0.5
      month: "0.000000001"
  - name: without
gateway:
  budgets:
    week:
      warn: 5
    month: 20000
`;

/** The rules of a new database. */
const ALERTS = parse(`alert_destinations: []
alert_rules:
  - { name: budget, kind: budget }
  - { name: certificate, kind: certificate, remind_minutes: 1440 }
  - { name: channel failing, kind: channel_failing, remind_minutes: 1440 }
  - { name: channel refused, kind: channel_refused, remind_minutes: 1440 }
  - { name: channel slow, kind: channel_slow, remind_minutes: 1440 }
  - { name: database down, kind: database_down, remind_minutes: 60 }
  - { name: error rate, kind: error_rate, remind_minutes: 60 }
  - { name: job failing, kind: job_failing, remind_minutes: 1440 }
  - { name: login guesses, kind: login_guesses, remind_minutes: 1440 }
  - { name: model down, kind: model_down, remind_minutes: 60 }
  - { name: model without price, kind: unpriced_model, remind_minutes: 10080 }
  - { name: quota, kind: quota }
  - { name: redis down, kind: redis_down, remind_minutes: 60 }
  - { name: secret, kind: secret, remind_minutes: 10080 }
  - { name: simulated answers, kind: simulated }
`) as { readonly alert_rules: readonly object[] };

/** As an export says it. */
const NORMAL = {
  ...parse(
    WHOLE.replace(SECRET, '"***salt"').replace(OTHER, '"***eiss"').replace("- short", '- "***"'),
  ),
  ...ALERTS,
};

describe("a configuration as one document", () => {
  let gateway: TestGateway;
  let documents: Documents;
  beforeAll(async () => {
    gateway = await openWithRoot();
    documents = await openDocuments(gateway);
  });
  afterAll(() => gateway[Symbol.asyncDispose]());

  test("is created by one request, and exported unchanged, without its secrets", async () => {
    const made = await documents.make(WHOLE);
    const exported = await documents.export();

    expect(made).toMatchObject({ status: 200, message: "Changes made: 9." });
    expect(parse(exported)).toEqual(NORMAL);
    expect(await documents.export()).toBe(exported);
    expect(Object.keys(parse(exported))).toEqual([
      "settings",
      "channels",
      "models",
      "groups",
      "teams",
      "gateway",
      "alert_destinations",
      "alert_rules",
    ]);
    for (const secret of [SECRET, OTHER]) expect(exported).not.toContain(secret);
    expect(gateway.gateway.channels.map(({ name }) => name)).toEqual(["main"]);
  });

  test("changes nothing if it is the export, and keeps the credentials", async () => {
    const exported = await documents.export();
    const planned = await documents.plan(exported);
    const before = gateway.gateway.channels[0]?.credentials;

    expect(planned.changes.length).toBe(9 + ALERTS.alert_rules.length);
    expect(await documents.changes(exported)).toEqual([]);
    expect((await documents.apply(exported, planned.digest)).message).toBe("Changes made: 0.");
    expect(await documents.export()).toBe(exported);
    expect(gateway.gateway.channels[0]?.credentials[0]).toBe(before?.[0]);
  });

  test("changes the budgets of all callers, and keeps their raises", async () => {
    const path = "/api/gateway/budget";
    const until = Math.floor(Date.now() / 1_000) + 86_400;
    const raise = { period: "month", add_usd: 7, until, reason: "launch" };
    await documents.ask("POST", `${path}/raise`, raise);

    const made = await documents.make("gateway: { budgets: { month: 30000 } }");
    const changed = await documents.ask("GET", path);
    const removed = await documents.make("gateway: {}");

    expect(made.changes).toEqual([
      {
        section: "gateway",
        name: "budgets",
        action: "change",
        fields: [
          { field: "month", before: 20_000, after: 30_000 },
          { field: "week", before: { warn: 5 }, after: null },
        ],
      },
    ]);
    expect(changed.data["budgets"]).toMatchObject([
      { period: "month", amount_usd: 30_000, limit_usd: 30_007, raises: [{ reason: "launch" }] },
    ]);
    expect(removed.changes).toMatchObject([{ section: "gateway", action: "delete" }]);
    expect((await documents.ask("GET", path)).data["budgets"]).toEqual([]);
  });

  test("keeps omitted sections, and deletes objects that an included section omits", async () => {
    expect(await documents.changes("teams: [{ name: research }]")).toEqual([
      { section: "teams", name: "without", action: "delete", fields: [] },
      {
        section: "teams",
        name: "research",
        action: "change",
        fields: [{ field: "budgets", before: { day: 0.5, month: "0.000000001" }, after: null }],
      },
    ]);
    expect((await documents.changes("channels: []")).map(({ name }) => name)).toEqual([
      "main",
      "spare",
    ]);
    expect(await documents.changes("{}")).toEqual([]);
  });

  test("marks new credentials as new, and recognises equal ones as stored", async () => {
    const { channels } = NORMAL as { channels: object[] };
    const withKeys = (...api_keys: string[]): string =>
      stringify({ channels: [{ ...channels[0], api_keys }, channels[1]] });

    expect(await documents.changes(withKeys(SECRET, "***eiss"))).toEqual([]);
    const [change] = await documents.changes(withKeys("***eiss", "a-third-secret-of-it-marble"));
    expect(change?.fields).toEqual([
      { field: "api_keys", before: ["***salt", "***eiss"], after: ["***eiss", "*** (new)"] },
    ]);
  });

  const refusals: readonly (readonly [string, string, string])[] = [
    [
      "channels: [{ name: main, provider: openai, base_url: https://other.example, api_keys: ['***salt'] }]",
      "with another destination",
      "channels[0]",
    ],
    [
      "channels: [{ name: fresh, provider: openai, api_keys: ['***salt'] }]",
      "matches no stored credential",
      "channels[0]",
    ],
    [
      "channels: [{ name: a, provider: openai, api_key: '${OPENAI_API_KEY}' }]",
      "variables are not expanded",
      "channels[0]",
    ],
    [
      "channels: [{ name: a, provider: openai, api_key: k-123, base_url: 'http://169.254.169.254/v1' }]",
      "must not lead to link-local",
      "channels[0].base_url",
    ],
    [
      "channels: [{ name: a, provider: opnai, api_key: k-123 }]",
      'did you mean "openai"',
      "channels[0].provider",
    ],
    ["channels: [{ name: a, provider: openai }]", '"api_key" is missing', "channels[0]"],
    ["channels:", "Write [] or {}", "channels"],
    ["chanels: []", 'did you mean "channels"', ""],
    ["settings: { port: 1 }", "is only read at the start", "settings.port"],
    [
      "settings: { limits: { attempts: 0 } }",
      "is not a whole number from 1 to 20",
      "settings.limits.attempts",
    ],
    ["models: { m: { input: 1, output: 2 } }", '"source" is missing', "models.m"],
    ["models: { m: {} }", "sets no property of the model", "models.m"],
    [
      "groups: [{ name: a, prices: { 'b*': { input: 1, output: 1 } } }]",
      "is not a model's name",
      "groups[0].prices",
    ],
    [
      "groups: [{ name: a, price_factor: 1.0001 }]",
      "at most three decimals",
      "groups[0].price_factor",
    ],
    [
      "models: { m: { input: 1, output: 1, source: s, date: 2026-02-30 } }",
      "is not a day such as",
      "models.m.date",
    ],
    ["teams: [{ name: a }, { name: a }]", "is a duplicate name", "teams[1].name"],
    ["teams: [{ name: a, quota_usd: 5 }]", "is not known here", "teams[0]"],
  ];
  test.each(refusals)("is refused for %s", async (document, message, path) => {
    const refused = await documents.plan(document);

    expect(refused.status).toBe(400);
    expect(refused.mistakes).toContainEqual({
      line: 1,
      column: expect.any(Number),
      path,
      message: expect.stringContaining(message),
    });
  });

  test("gets all its mistakes together, with their lines", async () => {
    const { message, mistakes } = await documents.plan(
      "settings:\n  limits: { attempts: no }\nteams:\n  - nmae: a\nmodles: {}\n",
    );

    expect(mistakes.map(({ line }) => line).toSorted(byNumber)).toEqual([2, 4, 4, 5]);
    expect(message).toStartWith("The configuration has 4 mistakes:\n  document:2:");
  });

  test("is applied exactly as planned or not at all", async () => {
    const document = "teams: [{ name: research }, { name: another }]";
    const { digest } = await documents.plan(document);

    expect((await documents.apply(`${document} `, digest)).status).toBe(409);
    await documents.ask("POST", "/api/team", { name: "meanwhile" });
    const late = await documents.apply(document, digest);
    expect(late).toMatchObject({
      status: 409,
      message: expect.stringContaining("Create a new plan"),
    });
    expect(await documents.export()).toContain("meanwhile");
    expect((await documents.apply(document, "no digest")).status).toBe(400);
  });

  test("is undone as a whole if one of its changes fails", async () => {
    const exported = await documents.export();
    const groups = (await documents.ask("GET", "/api/group")).data["items"] as { id: number }[];
    const user = { username: "ada", password: "nobody would guess this" };
    const { data } = await documents.ask("POST", "/api/user", user);
    const moved = await documents.ask("PUT", `/api/user/${Number(data["id"])}`, {
      group_id: groups[0]?.id,
    });
    expect(moved.status).toBe(200);

    const refused = await documents.make(
      "settings: {}\nchannels: []\nmodels: {}\ngroups: []\nteams: []\n",
    );

    expect(refused.status).toBe(400);
    expect(refused.message).toContain(
      'Nothing was applied: groups, "gold customers": The group has users',
    );
    expect(await documents.export()).toBe(exported);
    expect(gateway.gateway.channels.map(({ name }) => name)).toEqual(["main"]);
  });

  test("is YAML, and the audit log has the names of the changed objects", async () => {
    const headers = { "content-type": "application/json" };
    const asJson = await documents.ask("POST", "/api/config/plan", { channels: [SECRET] }, headers);
    expect(asJson.status).toBe(415);

    const exported = await documents.export();
    const document = exported
      .replace("priority: -1", "priority: 7")
      .replace("***eiss", "a-fourth-secret-of-it-slate");
    expect((await documents.make(document)).message).toBe("Changes made: 1.");

    const log = await documents.ask("GET", "/api/audit?page_size=100");
    const rows = log.data["items"] as { action: string; outcome: string; details: object }[];
    const done = rows.find(
      ({ action, outcome }) => action === "POST /api/config/apply" && outcome === "done",
    );
    expect(done?.details).toMatchObject({ change: ["channels main: api_keys, priority"] });
    for (const secret of [SECRET, OTHER, "slate"])
      expect(JSON.stringify(log.body)).not.toContain(secret);
  });
});

test("a document that is applied twice at the same time is refused the second time as outdated", async () => {
  await using gateway = await openWithRoot();
  const documents = await openDocuments(gateway);
  const { digest } = await documents.plan(WHOLE);

  const answers = await Promise.all([1, 2].map(() => documents.apply(WHOLE, digest)));

  expect(answers.map(({ status }) => status).toSorted(byNumber)).toEqual([200, 409]);
  expect(parse(await documents.export())).toEqual(NORMAL);
});

describe.if(isPostgresReachable || process.env["CI"] !== undefined)("two gateways", () => {
  test("share one configuration, and both apply changes made on either", async () => {
    await using database = await openScratchDatabase();
    const secret = "one-secret-for-all-gateways-0123456789";
    const options = { env: { DATABASE_URL: database.url, SLUICE_SECRET: secret } };
    await using first = await openWithRoot(options);
    await using second = await openWithRoot(options);
    const here = await openDocuments(first);
    const there = here.at(second);

    expect((await here.make(WHOLE)).status).toBe(200);

    expect(await there.export()).toBe(await here.export());
    await waitFor(() => second.gateway.channels.some(({ name }) => name === "main"));
    const digests = [await here.plan("teams: []"), await there.plan("teams: []")];
    expect(digests[0]?.digest).toBe(digests[1]?.digest);
    const answers = await Promise.all(
      [here, there].map((each) => each.apply("teams: []", digests[0]?.digest ?? "")),
    );
    expect(answers.map(({ status }) => status).toSorted(byNumber)).toEqual([200, 409]);
    expect(parse(await there.export())).toEqual({ ...NORMAL, teams: [] });
  });
});

describe("objects from the configuration file", () => {
  test("are not in the export, and cannot be in a document", async () => {
    const yaml = `users: { rpm: 5 }
channels: [{ name: main, provider: openai, api_key: ${SECRET} }]
models: { m: { context: 5 } }
`;
    await using gateway = await openWithRoot({ yaml });
    const documents = await openDocuments(gateway);

    expect(parse(await documents.export())).toEqual({
      settings: {},
      channels: [],
      models: {},
      groups: [],
      teams: [],
      gateway: {},
      ...ALERTS,
    });
    const { mistakes } = await documents.plan(`settings: { users: { rpm: 6 } }
channels: [{ name: main, provider: openai, api_key: k-12345 }]
models: { m: { context: 6 } }
`);
    expect(mistakes.map(({ message }) => message)).toEqual([
      "is defined by sluice.yaml:1:15 users.rpm. Change it there.",
      "is defined by the file sluice.yaml. Change it there.",
      "is defined by the file sluice.yaml. Change it there.",
    ]);
  });
});

describe("a property", () => {
  const word = fc
    .string({ minLength: 1, maxLength: 12 })
    .filter((each) => /^[^\p{C}\p{Z}*]+$/u.test(each));
  const plain = fc.stringMatching(/^[a-z0-9._-]{1,12}$/);
  const title = fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 20 })
    .filter((each) => readDisplayName(each) === each);
  const terms = fc.record({
    amount: fc.constant(7),
    warn: fc.constant(6.5),
    start_day: fc.integer({ min: 2, max: 28 }),
    time_zone: fc.constantFrom("Asia/Tokyo", "Europe/Berlin"),
  });
  const maybe = <T>(fields: { [K in keyof T]: fc.Arbitrary<T[K]> }) =>
    fc.record(fields, { requiredKeys: [] });
  const some = <T extends object>(arbitrary: fc.Arbitrary<T>) =>
    arbitrary.filter((each) => Object.keys(each).length > 0);
  const count = fc.integer({ min: 1, max: 1_000_000 });
  const rate = fc.integer({ min: 0, max: 1e9 }).map((each) => each / 1e6);
  const each = fc.integer({ min: 0, max: 50e6 }).map((count) => count / 1e6);
  const grade = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9 x]{0,9}[0-9]$/);
  const price = fc
    .tuple(
      fc.record({ input: rate, output: rate }),
      maybe({
        cached_input: rate,
        audio_output: rate,
        image_output: rate,
        image: each,
        second: each,
        grades: fc.dictionary(grade, some(maybe({ output: rate, image: each })), {
          minKeys: 1,
          maxKeys: 3,
        }),
      }),
    )
    .map(([both, more]) => ({ ...both, ...more }));
  const words = fc.uniqueArray(fc.stringMatching(/^[a-z]{3,9}$/), { minLength: 1, maxLength: 2 });
  const when = some(
    maybe({
      service_tier: words,
      speed: words,
      region: words,
      above_input_tokens: count,
      from: fc.constant("2026-11-01"),
      until: fc.constant("2026-11-30"),
      hours: fc.constant(["mon-fri 01:00-04:00", "10:00-24:00"]),
    }),
  );
  const factor = fc.integer({ min: 0, max: 100_000 }).map((each) => each / 1_000);
  const variant = fc.oneof(fc.record({ when, factor }), fc.record({ when, input: rate }));
  const named = <T extends object>(name: fc.Arbitrary<string>, fields: fc.Arbitrary<T>) =>
    fc
      .uniqueArray(fc.tuple(name, fields), { maxLength: 4, selector: ([each]) => each })
      .map((all) =>
        all
          .toSorted(([a], [b]) => (a < b ? -1 : 1))
          .map(([each, rest]) => ({ name: each, ...rest })),
      );
  const limits = some(maybe({ rpm: count, tpm: count, concurrency: count }));

  const document = fc.record({
    settings: fc.record({
      limits: some(
        maybe({
          attempts: fc.integer({ min: 1, max: 20 }),
          messages: count.map((n) => Math.ceil(n / 10)),
        }),
      ),
    }),
    channels: named(
      plain,
      fc
        .tuple(
          fc.record({ provider: fc.constant("openai"), api_keys: fc.constant(["***salt"]) }),
          maybe({
            models: fc.uniqueArray(word, { minLength: 1, maxLength: 3 }),
            priority: fc.integer({ min: 1, max: 1_000 }),
            max_concurrent: count,
            status: fc.constant("disabled"),
          }),
        )
        .map(([must, may]) => ({ ...must, ...may })),
    ),
    models: fc.dictionary(
      word,
      fc
        .tuple(
          price,
          fc
            .string({ minLength: 1, maxLength: 30 })
            .filter((each) => each.trim() !== "" && !/\0/.test(each) && each.isWellFormed()),
          maybe({
            context: count,
            max_output: count,
            variants: fc.array(variant, { minLength: 1, maxLength: 3 }),
          }),
        )
        .map(([rates, source, more]) => ({ ...rates, source, date: "2026-11-01", ...more })),
      { maxKeys: 4, noNullPrototype: true },
    ),
    groups: named(
      title,
      maybe({
        models: fc.uniqueArray(word, { minLength: 1, maxLength: 3 }),
        channels: fc.uniqueArray(plain, { minLength: 1, maxLength: 3 }),
        price_factor: fc.integer({ min: 1_001, max: 100_000 }).map((each) => each / 1_000),
        prices: some(
          fc.dictionary(
            word,
            fc
              .tuple(price, maybe({ variants: fc.array(variant, { minLength: 1, maxLength: 3 }) }))
              .map(([rates, more]) => ({ ...rates, ...more })),
            { maxKeys: 2, noNullPrototype: true },
          ),
        ),
        limits,
        shared_limits: limits,
      }),
    ),
    teams: named(
      title,
      maybe({
        budgets: some(
          maybe({ day: rate, week: fc.record({ warn: rate }), month: fc.oneof(rate, terms) }),
        ),
      }),
    ),
    gateway: maybe({ budgets: some(maybe({ hour: rate, month: fc.oneof(rate, terms) })) }),
    alert_destinations: fc.constant([]),
    alert_rules: named(
      title,
      fc
        .tuple(
          fc.constantFrom("budget", "quota"),
          maybe({
            status: fc.constant("disabled"),
            terms: fc.record({
              levels: fc.array(fc.integer({ min: 1, max: 999 }), { minLength: 1, maxLength: 3 }),
            }),
            destinations: fc.constant([]),
            remind_minutes: fc.integer({ min: 1, max: 525_600 }),
          }),
        )
        .map(([kind, rest]) => ({ kind, ...rest })),
    ),
  });

  test("an applied document equals the next export, and applying it again changes nothing", async () => {
    await using gateway = await openWithRoot();
    const documents = await openDocuments(gateway);

    await fc.assert(
      fc.asyncProperty(document, async (wanted) => {
        // Placeholders in the place of secrets, as an export has them.
        const written = stringify(wanted, { lineWidth: 0, aliasDuplicateObjects: false });
        const applied = await documents.make(written.replaceAll("***salt", SECRET));
        expect(applied.status).toBe(200);

        const exported = await documents.export();
        expect(parse(exported)).toEqual(wanted as never);
        expect(await documents.changes(exported)).toEqual([]);
      }),
      {
        seed: SEED,
        numRuns: times(12, 40),
        examples: [
          [
            {
              settings: { limits: { attempts: 1 } },
              channels: [],
              models: {
                null: {
                  input: 0,
                  output: 0.000001,
                  source: "~ ${HOME} 'x': #y\n",
                  date: "2026-11-01",
                },
              },
              groups: [{ name: "1e3", prices: { ["__proto__"]: { input: 1, output: 1 } } }],
              teams: [{ name: "on: off", budgets: { day: 0 } }],
              gateway: { budgets: { hour: 0 } },
              alert_destinations: [],
              alert_rules: [{ name: "yes", kind: "budget", terms: { levels: [7] } }],
            },
          ],
        ],
      },
    );
  }, 120_000);
});

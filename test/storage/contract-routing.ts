import { expect, test } from "bun:test";
import type { Kysely } from "kysely";
import { credential } from "#core/channel.ts";
import { invalid } from "#core/error.ts";
import type { ModelOverride } from "#core/model.ts";
import type { ChannelEntry } from "#core/stored-routing.ts";
import { openAt, reasonOf, type Place } from "./contract-place.ts";
import type { Tables } from "#storage/tables.ts";

const SECRET = "what-the-vendor-gave-us-obsidian";
const OTHER = "what-it-gave-us-later-feldspar";

const ENTRY: ChannelEntry = {
  name: "main",
  provider: "some-vendor",
  baseUrl: "https://vendor.example/v1",
  credentials: [credential(SECRET), credential(OTHER)],
  models: {
    kind: "listed",
    upstreamNames: new Map([
      ["fast", "vendor-mini"],
      ["meta/llama", "meta/llama"],
    ]),
  },
  style: "chat",
  options: { region: "eu", zone: "1" },
  priority: -3,
  weight: 0.125,
  maxConcurrent: 7,
  limits: { requestsPerMinute: 5, tokensPerMinute: 6 },
  modelPrefix: "eu",
  overrides: {
    headers: { set: { "x-team": "a" }, default: { "x-more": "b" }, remove: ["user-agent"] },
    query: { set: { "api-version": "2" } },
    body: {
      set: { "thinking.type": "off", top_k: 1, list: [null, { a: true }] },
      remove: ["user"],
    },
  },
  systemPrompt: "Be brief.\nSpeak Latin.",
  timeout: { firstByteMs: 5_000, totalMs: 60_000 },
  proxy: { url: "socks5://proxy.example:1080" },
  autoDisable: {
    refused: true,
    failingShare: 0.5,
    minAttempts: 9,
    windowMs: 60_000,
    noBalance: false,
  },
  lowBalance: 2.5,
  notes: "paid by the lab\nuntil March",
  tags: ["eu", "生产"],
  isEnabled: true,
  reach: "public",
};

const BARE: ChannelEntry = {
  name: "bare",
  provider: "some-vendor",
  credentials: [],
  models: { kind: "discover" },
  priority: 0,
  weight: 1,
  isEnabled: false,
  reach: "private",
};

const OVERRIDE: ModelOverride = {
  price: {
    input: 150_000,
    output: 600_000,
    cachedInput: 1,
    longCacheWrite: 2,
    imageInput: 3,
    imageOutput: 4,
    image: 5_000_000_000_000_000,
    second: 6,
    character: 7,
    search: 8,
    grades: { "4K": { image: 9 }, "high 1024x1536": { imageOutput: 10, input: 0 } },
    variants: [
      { when: { serviceTiers: ["flex"], speeds: ["fast"], regions: ["eu"] }, factor: 500 },
      {
        when: {
          aboveInputTokens: 9,
          from: "2026-11-01",
          until: "2026-11-30",
          hours: ["sun 00:00-24:00"],
        },
        rates: { input: 3, search: 4 },
      },
    ],
    source: "a list",
    date: "2026-11-01",
  },
  contextTokens: 8_192,
  maxOutputTokens: 1_024,
  like: "llama-4",
  limits: { requestsPerMinute: 3 },
};

/** What both databases promise of channels and models that are changed while the gateway runs. */
export function describeRouting(openPlace: () => Promise<Place>): void {
  test("a channel is read as it was written, also after a restart", async () => {
    await using place = await openPlace();
    const before = await openAt(place.address);
    const { id } = await before.channels.create(ENTRY);
    const bare = await before.channels.create(BARE);
    await before.close();

    await using storage = await openAt(place.address);

    const { credentials, ...rest } = ENTRY;
    const [first, second] = await storage.channels.list();
    expect(first).toMatchObject({ ...rest, id, sealedCredentials: 0 });
    expect(first?.credentials.map((each) => each.open())).toEqual([SECRET, OTHER]);
    expect(first?.credentials.map(({ label }) => label)).toEqual(credentials.map((c) => c.label));
    expect(second).toEqual(bare);
    expect(second).toMatchObject(BARE);
  });

  test("the database holds only sealed credentials", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    await storage.channels.create(ENTRY);

    const rows = JSON.stringify(await storage.db.selectFrom("channels").selectAll().execute());

    expect(rows).toContain("v1.");
    for (const secret of [SECRET, OTHER, SECRET.slice(-4)]) {
      expect(rows).not.toContain(secret);
      expect(rows).not.toContain(Buffer.from(secret).toString("base64url"));
    }
  });

  test("a change without credentials keeps them as they are", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { id } = await storage.channels.create(ENTRY);
    const [before] = await storage.channels.list();
    const { credentials: _, ...rest } = ENTRY;

    const changed = await storage.channels.update(id, () => ({
      ...rest,
      name: "renamed",
      priority: 9,
    }));

    expect(changed).toMatchObject({ dropped: 0, channel: { name: "renamed", priority: 9 } });
    const [after] = await storage.channels.list();
    // The very same: what is known of their health goes by them.
    expect(after?.credentials).toBe(before?.credentials ?? []);
  });

  test("each change of a channel makes a revision, which names the changed fields", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { id, revision } = await storage.channels.create(ENTRY);
    const { credentials: _, ...rest } = ENTRY;
    const fieldsOf = async (): Promise<unknown> =>
      (await storage.channels.find(id))?.changes.map((each) => each.fields);

    await storage.channels.update(id, () => ({ ...rest, priority: 9, tags: ["us"] }));
    await storage.channels.update(id, () => ({ ...rest, priority: 9, tags: ["us"] }));
    await storage.channels.update(id, () => ({ ...ENTRY, priority: 9, limits: {} }));

    expect(revision).toBe(1);
    expect((await storage.channels.find(id))?.revision).toBe(3);
    expect(await fieldsOf()).toEqual([
      ["priority", "tags"],
      ["limits", "tags", "api_keys"],
    ]);
  });

  test("only the latest twenty changes of a channel are kept", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { id } = await storage.channels.create(BARE);

    for (let i = 1; i <= 25; i++) {
      await storage.channels.update(id, () => ({ ...BARE, priority: i }));
    }

    const changes = (await storage.channels.find(id))?.changes ?? [];
    expect(changes.map((each) => each.revision)).toEqual(
      Array.from({ length: 20 }, (_, i) => i + 7),
    );
  });

  test("a check before the deletion of a channel can prevent it", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { id } = await storage.channels.create(BARE);

    const refused = await reasonOf(
      storage.channels.delete(id, ({ revision }) => {
        throw invalid("revision", `It is ${revision}.`);
      }),
    );

    expect(refused).toMatchObject({ code: "invalid_request", message: "It is 1." });
    expect(await storage.channels.find(id)).toMatchObject({ name: "bare" });
  });

  const elsewhere = {
    "another host": { baseUrl: "https://elsewhere.example/v1" },
    "another path": { baseUrl: "https://vendor.example/v2" },
    "another port": { baseUrl: "https://vendor.example:8443/v1" },
    "another scheme": { baseUrl: "http://vendor.example/v1" },
    "another provider": { provider: "other-vendor" },
    "another option": { options: { region: "us", zone: "1" } },
  };
  test.each(Object.entries(elsewhere))(
    "%s loses the credentials, unless new ones come with it",
    async (_, change) => {
      await using place = await openPlace();
      await using storage = await openAt(place.address);
      const { id } = await storage.channels.create(ENTRY);
      const { credentials: _old, ...rest } = ENTRY;

      const lost = await storage.channels.update(id, () => ({ ...rest, ...change }));
      expect(lost).toMatchObject({ dropped: 2, channel: { credentials: [] } });
      expect(await credentialsColumn(storage.db)).toBe("[]");

      const given = [credential("a-new-one-for-there")];
      const renewed = await storage.channels.update(id, () => ({
        ...ENTRY,
        credentials: given,
      }));
      expect(renewed).toMatchObject({ dropped: 0 });
      expect(renewed?.channel.credentials.map((each) => each.open())).toEqual([
        "a-new-one-for-there",
      ]);
    },
  );

  const tampered: Readonly<Record<string, (db: Kysely<Tables>) => Promise<unknown>>> = {
    "its address was changed in the database": (db) =>
      db.updateTable("channels").set({ base_url: "https://elsewhere.example/v1" }).execute(),
    "its provider was": (db) => db.updateTable("channels").set({ provider: "other" }).execute(),
    "its options were": (db) => db.updateTable("channels").set({ options: "{}" }).execute(),
    "its row was put in another's place": (db) =>
      db.updateTable("channels").set({ id: 99 }).execute(),
    "its credentials changed places": async (db) => {
      const sealed = JSON.parse(await credentialsColumn(db)) as string[];
      const swapped = JSON.stringify(sealed.toReversed());
      await db.updateTable("channels").set({ credentials: swapped }).execute();
    },
    "a byte of them was changed": async (db) => {
      const sealed = await credentialsColumn(db);
      const at = sealed.length - 10;
      const other = sealed[at] === "A" ? "B" : "A";
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
      await db.updateTable("channels").set({ credentials: changed }).execute();
    },
  };
  test.each(Object.entries(tampered))(
    "a channel's credentials cannot be opened where %s, and the gateway still starts",
    async (_, tamper) => {
      await using place = await openPlace();
      const before = await openAt(place.address);
      await before.channels.create(ENTRY);
      await before.close();
      await tamper(await place.tamper());

      await using storage = await openAt(place.address);

      const [channel] = await storage.channels.list();
      expect(channel).toMatchObject({ name: "main", credentials: [], sealedCredentials: 2 });
    },
  );

  test("credentials opened earlier are not used for another address", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    await storage.channels.create(ENTRY);
    await storage.channels.list();

    const db = await place.tamper();
    await db.updateTable("channels").set({ base_url: "https://elsewhere.example/" }).execute();

    expect((await storage.channels.list())[0]).toMatchObject({ credentials: [] });
  });

  test("a gateway with another secret opens no credential, and still starts", async () => {
    await using place = await openPlace();
    const before = await openAt(place.address);
    await before.channels.create(ENTRY);
    await before.close();

    await using storage = await openAt(place.address, { pepper: new Uint8Array(32).fill(8) });

    expect((await storage.channels.list())[0]).toMatchObject({ sealedCredentials: 2 });
  });

  test("channel names are unique", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    await storage.channels.create(ENTRY);
    const { id } = await storage.channels.create(BARE);

    const made = await reasonOf(storage.channels.create({ ...BARE, name: "main" }));
    const renamed = await reasonOf(storage.channels.update(id, () => ({ ...BARE, name: "main" })));

    for (const refusal of [made, renamed]) {
      expect(refusal).toMatchObject({ code: "invalid_request", param: "name" });
    }
    expect(await storage.channels.find(id)).toMatchObject({ name: "bare" });
  });

  test("a deleted channel is not found, and its id is not used again", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { id } = await storage.channels.create(ENTRY);

    expect(await storage.channels.delete(id)).toBe(true);
    expect(await storage.channels.delete(id)).toBe(false);
    expect(await storage.channels.find(id)).toBeUndefined();
    expect(await storage.channels.update(id, () => ENTRY)).toBeUndefined();
    expect((await storage.channels.create(ENTRY)).id).toBeGreaterThan(id);
  });

  test("a model entry replaces the earlier entry of the model", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { models } = storage;

    await models.put("meta/llama", OVERRIDE);
    await models.put("a", { contextTokens: 9 });
    expect(await models.list()).toMatchObject([
      { name: "a", override: { contextTokens: 9 } },
      { name: "meta/llama", override: OVERRIDE },
    ]);

    await models.put("meta/llama", { maxOutputTokens: 1 });
    expect((await models.list())[1]?.override).toEqual({ maxOutputTokens: 1 });
    expect(await models.delete("meta/llama")).toBe(true);
    expect(await models.delete("meta/llama")).toBe(false);
    expect((await models.list()).map(({ name }) => name)).toEqual(["a"]);
  });

  test("each change increases the version, also in parallel; a refused change does not", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { channels, models, settings, routingVersion } = storage;
    const version = async () => Number(await routingVersion.read());
    expect(await version()).toBe(0);

    const { id } = await channels.create(ENTRY);
    await channels.update(id, () => ENTRY);
    await models.put("a", OVERRIDE);
    await models.delete("a");
    await channels.delete(id);
    expect(await version()).toBe(5);

    await Promise.all(Array.from({ length: 8 }, (_, i) => models.put(`model-${i}`, OVERRIDE)));
    expect(await version()).toBe(13);

    await channels.create(BARE);
    await reasonOf(channels.create(BARE));
    expect(await version()).toBe(14);

    await settings.put("users.rpm", "5");
    await settings.delete("users.rpm");
    expect(await version()).toBe(16);
  });

  test("a setting has its latest value until it is reset", async () => {
    await using place = await openPlace();
    const before = await openAt(place.address);
    await before.settings.put("users.rpm", "5");
    await before.settings.put("users.rpm", "6");
    await before.settings.put("links.allow", "");
    await before.close();

    await using storage = await openAt(place.address);
    expect([...(await storage.settings.list())]).toEqual([
      ["links.allow", ""],
      ["users.rpm", "6"],
    ]);
    expect(await storage.settings.delete("users.rpm")).toBe(true);
    expect(await storage.settings.delete("users.rpm")).toBe(false);
    expect([...(await storage.settings.list()).keys()]).toEqual(["links.allow"]);
  });

  test("updated rows of the catalogue are kept for all gateways, with the newest day of all updates", async () => {
    await using place = await openPlace();
    const before = await openAt(place.address);
    const version = Number(await before.routingVersion.read());
    const row = (id: string, price: string) => ({
      provider: "some-vendor",
      id,
      row: { id, price: { input: price, output: price } },
    });
    const many = Array.from({ length: 450 }, (_, i) => row(`model-${1_000 + i}`, "1"));
    await before.catalogRows.put([...many, { ...row("z", "1"), provider: "other" }], "2026-11-23");
    await before.catalogRows.put([row("model-1000", "2")], "2026-11-01");
    await before.close();

    await using storage = await openAt(place.address);
    const { catalogRows, routingVersion } = storage;
    const { rows, date } = await catalogRows.list();
    expect(date).toBe("2026-11-23");
    expect(rows.length).toBe(451);
    expect(rows[0]).toMatchObject({ provider: "other", id: "z" });
    expect(rows[1]).toEqual(row("model-1000", "2"));
    expect(Number(await routingVersion.read())).toBe(version + 2);

    expect(await catalogRows.delete(["some-vendor"])).toBe(450);
    expect(await catalogRows.list()).toMatchObject({ rows: [{ id: "z" }], date: "2026-11-23" });
    expect(await catalogRows.delete()).toBe(1);
    expect(await catalogRows.list()).toEqual({ rows: [], date: undefined });
    expect(Number(await routingVersion.read())).toBe(version + 4);
  });

  test("the catalogue stores a limited number of updated rows", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const rows = Array.from({ length: 10_001 }, (_, i) => ({
      provider: "some-vendor",
      id: `model-${i}`,
      row: {},
    }));

    const reason = await reasonOf(storage.catalogRows.put(rows, "2026-11-23"));
    expect(String(reason)).toContain("limit of 10000");
    expect((await storage.catalogRows.list()).rows).toEqual([]);
  });
}

async function credentialsColumn(db: Kysely<Tables>): Promise<string> {
  const row = await db.selectFrom("channels").select("credentials").executeTakeFirstOrThrow();
  return row.credentials;
}

/** The promises about channels that the gateway disabled, and about balances. */
export function describeChannelStates(openPlace: () => Promise<Place>): void {
  const state = {
    channel: "main",
    cause: "refused",
    reason: "no key",
    since: 5,
    probes: 0,
  } as const;

  test("a channel is disabled once, and tested by one gateway", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { channelStates, routingVersion } = storage;
    const before = await routingVersion.read();

    const first = await channelStates.disable({ ...state, probeAt: 10 });
    const second = await channelStates.disable({ ...state, probeAt: 11 });
    const [stored] = await channelStates.list();
    if (stored === undefined) throw new Error("The state was not stored.");
    const leases = [
      await channelStates.leaseProbe(stored, 20),
      await channelStates.leaseProbe(stored, 21),
    ];

    expect([first, second, leases]).toEqual([true, false, [true, false]]);
    expect(await routingVersion.read()).not.toBe(before);
    expect(await channelStates.list()).toEqual([
      { ...state, isDisabled: true, probeAt: 20, probes: 1, returnedAt: undefined },
    ]);
    expect(await channelStates.enable("main", 30)).toBe(true);
    expect(await channelStates.enable("main", 31)).toBe(false);
    expect(await channelStates.disable({ ...state, since: 40, probeAt: 50 })).toBe(true);
    expect(await channelStates.list()).toMatchObject([{ since: 40, returnedAt: 30 }]);
  });

  test("a new channel, or new credentials, have no state; old states are deleted", async () => {
    await using place = await openPlace();
    await using storage = await openAt(place.address);
    const { channels, channelStates, channelBalances } = storage;
    const { id } = await channels.create(ENTRY);
    const balance = { channel: "main", amount: 1.25, currency: "USD", isUsable: true, at: 7 };
    await channelBalances.put({ ...balance, amount: -3 });
    await channelBalances.put(balance);
    await channelStates.disable({ ...state, probeAt: 10 });
    await channelStates.disable({ ...state, channel: "of-a-file", probeAt: 10 });
    expect(await channelBalances.list()).toEqual([balance]);

    const { credentials: _, ...same } = ENTRY;
    await channels.update(id, () => ({ ...same, weight: 2 }));
    expect(await channelStates.list()).toHaveLength(2);
    await channels.update(id, (entry) => ({ ...entry, credentials: [credential(OTHER)] }));
    const left = (await channelStates.list()).map(({ channel }) => channel);
    await channelStates.prune(5, ["of-a-file"]);
    await channelStates.prune(6, ["of-a-file"]);
    const kept = await channelStates.list();
    await channelStates.prune(6, []);

    expect([left, kept.length]).toEqual([["of-a-file"], 1]);
    expect(await channelStates.list()).toEqual([]);
    expect(await channelBalances.list()).toEqual([]);
  });
}

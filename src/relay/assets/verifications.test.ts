import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { AssetStore } from "#core/asset.ts";
import { credential, type Channel } from "#core/channel.ts";
import { GatewayError } from "#core/error.ts";
import type {
  IdentitySession,
  IdentitySessionStore,
  VerificationOutcome,
} from "#core/identity-session.ts";
import { openCallerLinks } from "#egress/caller-links.ts";
import type { Egress } from "#egress/egress.ts";
import { authority, openTlsSite, reply, type Site } from "#test/egress/site.ts";
import { openEgress } from "#egress/upstream.ts";
import type { Clock } from "#lib/clock.ts";
import { openSeal } from "#lib/seal.ts";
import { textOf } from "#lib/values.ts";
import { isSignedWith } from "#lib/standard-webhooks.ts";
import { placeSchema } from "#test/sqlite-template.ts";
import { openAt, PEPPER } from "#test/storage/contract-place.ts";
import type { Storage } from "#storage/open.ts";
import { digestOf } from "#storage/secrets/secrets.ts";
import { openAssetVendor, PAIR, type AssetVendor } from "#test/asset-vendor.ts";
import { waitFor } from "#test/wait.ts";
import { processCallbacks, type CallbackDeps } from "./process-callbacks.ts";
import { FORGOTTEN_MS, Verifications, type VerificationDeps } from "./verifications.ts";

const NEVER = new AbortController().signal;
const START = Date.UTC(2026, 0, 1, 12);
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const LIMITS = {
  connectMs: 1_000,
  firstByteMs: 5_000,
  unaryMs: 5_000,
  idleMs: 5_000,
  totalMs: 10_000,
  answerBytes: 1_000_000,
};
const USER = 1;

let dataDir: string;
let storage: Storage;
let clock: ManualClock;
let vendor: AssetVendor;
let egress: Egress;
let receiver: Site;
/** What the receiver answers, one after the other; the last one again and again. */
let answers: string[];
beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), "sluice-verify-"));
  clock = new ManualClock();
  await placeSchema(dataDir);
  storage = await openAt({ dataDir }, { clock });
  await storage.users.ensureRoot();
  vendor = openAssetVendor();
  egress = openEgress(LIMITS);
  answers = ["204 No Content"];
  receiver = await openTlsSite((socket) => {
    const [next = "204 No Content"] = answers.length > 1 ? answers.splice(0, 1) : answers;
    socket.end(reply(next));
  });
});
afterEach(async () => {
  egress.close();
  await storage.close();
  await vendor[Symbol.asyncDispose]();
  await receiver[Symbol.asyncDispose]();
  rmSync(dataDir, { recursive: true, force: true });
});

describe("[B4.9-c] a verification", () => {
  test("leads from the link to the person's group, and the client gets a webhook", async () => {
    const { verifications, deps } = open();
    const { link, token } = await verifications.begin(USER, callbackUrl("?order=7"));
    expect(link).toMatch(/^https:\/\/h5\.example\//);
    expect(token).toMatch(/^vt_\w{32}$/);
    expect(await refusal(verifications.result(USER, token))).toBe("ValidateNotReady");

    personPasses("group-of-a-person");
    clock.pass(20 * SECOND_MS);
    await comeBack(verifications, "10000");
    await processCallbacks(deps, NEVER);

    const [told = ""] = receiver.requests;
    const query = new URL(told.split(" ")[1] ?? "", "https://x").searchParams;
    expect(Object.fromEntries(query)).toEqual({
      order: "7",
      vendorToken: token,
      resultCode: "10000",
      algorithmBaseRespCode: "0",
      reqMeasureInfoValue: "1",
      verify_type: "real_time",
    });
    const group = await verifications.result(USER, token);
    expect(group).toMatchObject({ id: "group-of-a-person", kind: "identity", userId: USER });
    expect(await storage.assets.findGroup(USER, group.id)).toEqual(group);
  });

  test("has a vendor token that clients never get, and no secret in plain text in the database", async () => {
    const { verifications } = open();
    const { token } = await verifications.begin(USER, callbackUrl("?secret=order-7"));
    const [upstreamToken = ""] = vendor.sessions.keys();
    const rows = await storage.db.selectFrom("identity_sessions").selectAll().execute();
    const dump = JSON.stringify(rows);

    expect(token).not.toContain(upstreamToken);
    for (const secret of [token, upstreamToken, "order-7", returnWord()]) {
      expect(dump).not.toContain(secret);
    }
  });

  test("sends the vendor an address of the gateway, and never the client's", async () => {
    const { verifications } = open();
    await verifications.begin(USER, callbackUrl());

    const [asked] = vendor.asked("CreateVisualValidateSession");
    expect(asked).toEqual({
      CallbackURL: expect.stringMatching(/^https:\/\/gate\.example\/callbacks\/verify\/\w{32}$/),
      ProjectName: "films",
    });
  });

  test("sends a webhook signed like others, over its query", async () => {
    const { verifications, deps } = open();
    await verifications.begin(USER, callbackUrl());
    personPasses("group-1");
    await comeBack(verifications, "10000");
    await processCallbacks(deps, NEVER);

    const [told = ""] = receiver.requests;
    const field = (name: string): string =>
      new RegExp(`^${name}: (.*)$`, "im").exec(told)?.[1] ?? "";
    const body = new URL(told.split(" ")[1] ?? "", "https://x").search;
    const timestamp = Number(field("webhook-timestamp"));
    const message = { id: field("webhook-id"), timestamp, body };
    const [secret = ""] = await storage.noticeSecrets.of(USER);
    expect(isSignedWith(secret, message, field("webhook-signature"), timestamp)).toBe(true);
  });

  test("of a refused person is reported as refused, and the person may try again", async () => {
    const { verifications, deps } = open();
    const { token } = await verifications.begin(USER, callbackUrl());
    await comeBack(verifications, "10006");
    await processCallbacks(deps, NEVER);

    expect(receiver.requests.at(-1)).toContain("resultCode=10006");
    expect(await refusal(verifications.result(USER, token))).toBe("ValidateDenied");

    personPasses("group-1");
    clock.pass(10 * SECOND_MS);
    await comeBack(verifications, "10000");
    await processCallbacks(deps, NEVER);
    expect(receiver.requests.at(-1)).toContain("resultCode=10000");
    expect(await verifications.result(USER, token)).toMatchObject({ id: "group-1" });
  });

  test("of a user with an unreachable address does not delay other users' webhooks", async () => {
    const other = await storage.users.create({ name: "other", role: "user" });
    const { verifications, deps } = open();
    for (let times = 0; times < 20; times++) {
      await verifications.begin(USER, callbackUrl("?slow"));
      await comeBack(verifications, "10006");
    }
    clock.pass(SECOND_MS);
    await verifications.begin(other.id, callbackUrl("?quick"));
    await comeBack(verifications, "10006");
    const told = Promise.withResolvers<void>();
    const { promise: late, resolve: answer } = Promise.withResolvers<number>();
    let waiting = 0;
    const get = async (url: string): Promise<number> => {
      if (!url.includes("quick")) return (waiting++, await late);
      told.resolve();
      return 204;
    };

    const attending = processCallbacks({ ...deps, links: { get } }, NEVER);
    await told.promise;
    const before = waiting;
    answer(204);
    await attending;

    expect(before).toBeLessThan(8);
    expect(waiting).toBe(20);
  });

  test("that was reported is not reported again, although its client fetches the result at once", async () => {
    const { verifications, deps } = open();
    const { token } = await verifications.begin(USER, callbackUrl("?mine"));
    personPasses("group-of-a-person");
    await comeBack(verifications, "10000");
    for (let times = 0; times < 3; times++) {
      await verifications.begin(USER, callbackUrl("?failing"));
      await comeBack(verifications, "10006");
    }
    let told = 0;
    const get = async (url: string): Promise<number> => {
      if (!url.includes("mine")) return 500;
      told++;
      await verifications.result(USER, token);
      await setTimeout(100);
      return 200;
    };

    await processCallbacks({ ...deps, links: { get } }, NEVER);
    for (let times = 0; times < 3; times++) {
      clock.pass(10 * MINUTE_MS);
      await processCallbacks({ ...deps, links: { get } }, NEVER);
    }

    expect(told).toBe(1);
  });

  test("with a forged success from the browser is not passed, in any number of attempts", async () => {
    const { verifications, deps } = open();
    const { token } = await verifications.begin(USER, callbackUrl());
    for (let tries = 0; tries < 50; tries++) {
      await comeBack(verifications, "10000");
      await processCallbacks(deps, NEVER);
    }

    expect(receiver.requests).toEqual([]);
    expect(await refusal(verifications.result(USER, token))).toBe("ValidateNotReady");
    expect(vendor.asked("GetVisualValidateResult").length).toBeLessThan(5);
  });

  test("that is repeatedly refused causes a limited number of webhooks", async () => {
    const { verifications, deps } = open();
    await verifications.begin(USER, callbackUrl());
    for (let tries = 0; tries < 60; tries++) {
      await comeBack(verifications, `1000${tries % 9}`);
      await processCallbacks(deps, NEVER);
    }

    expect(receiver.requests.length).toBeLessThanOrEqual(20);
  });

  test("completes without the browser's return if the client requests the result", async () => {
    const { verifications } = open();
    const { token } = await verifications.begin(USER, callbackUrl());
    personPasses("group-1");

    expect(await verifications.result(USER, token)).toMatchObject({ id: "group-1" });
  });
});

describe("[B4.9-d] the callback", () => {
  test("is sent again after 0, 5, 30 and 120 seconds until the receiver accepts it, at most four times", async () => {
    answers = ["500 No", "302 Found", "503 Busy", "200 OK"];
    const { verifications, deps } = open();
    await verifications.begin(USER, callbackUrl());
    personPasses("group-1");
    await comeBack(verifications, "10000");

    const sentAt = await triesWithin(deps, 25 * MINUTE_MS);

    expect(sentAt).toEqual([0, 5, 35, 155]);
    expect(new Set(receiver.requests.map((each) => /vendorToken=\w+/.exec(each)?.[0])).size).toBe(
      1,
    );
  });

  test("is dropped if no retry succeeds before the session ends", async () => {
    answers = ["500 No"];
    const { verifications, deps } = open();
    const { token } = await verifications.begin(USER, callbackUrl());
    personPasses("group-1");
    await comeBack(verifications, "10000");

    expect(await triesWithin(deps, 3 * HOUR_MS)).toEqual([0, 5, 35, 155, 755]);
    // Who passed is not lost for that.
    expect(await verifications.result(USER, token)).toMatchObject({ id: "group-1" });
  });

  test("is not sent after its client fetched the group", async () => {
    answers = ["500 No"];
    const { verifications, deps } = open();
    const { token } = await verifications.begin(USER, callbackUrl());
    personPasses("group-1");
    await comeBack(verifications, "10000");
    await processCallbacks(deps, NEVER);
    await verifications.result(USER, token);

    expect(await triesWithin(deps, HOUR_MS)).toEqual([]);
  });

  test("is sent once, for any number of browser returns", async () => {
    const { verifications, deps } = open();
    await verifications.begin(USER, callbackUrl());
    personPasses("group-1");
    for (let tries = 0; tries < 3; tries++) await comeBack(verifications, "10000");
    await triesWithin(deps, MINUTE_MS);
    for (let tries = 0; tries < 3; tries++) await comeBack(verifications, "10000");
    await triesWithin(deps, MINUTE_MS);

    expect(receiver.requests).toHaveLength(1);
    expect((await storage.assets.stockOf(USER)).groups).toBe(1);
  });

  test("never goes to an address that became a private one", async () => {
    const { verifications, deps } = open({ ports: [443] });
    await verifications.begin(USER, "https://public.example/hook");
    personPasses("group-1");
    await comeBack(verifications, "10000");

    expect(await triesWithin(deps, HOUR_MS)).toEqual([]);
    expect(receiver.connections).toBe(0);
  });
});

describe("[B4.9-d] a result", () => {
  test("that was fetched is unchanged for a day, for its owner only", async () => {
    const { verifications } = open();
    const { token } = await verifications.begin(USER, callbackUrl());
    personPasses("group-1");
    const first = await verifications.result(USER, token);

    clock.pass(23 * HOUR_MS);
    expect(await verifications.result(USER, token)).toEqual(first);
    expect(await refusal(verifications.result(2, token))).toBe(
      "VendorToken must be the token of one of your sessions",
    );
    clock.pass(2 * HOUR_MS);
    expect(await refusal(verifications.result(USER, token))).toBe(
      "VendorToken must be the token of one of your sessions",
    );
    expect(vendor.asked("GetVisualValidateResult")).toHaveLength(1);
    expect((await storage.assets.stockOf(USER)).groups).toBe(1);
  });

  test("expires after half an hour, and its vendor is not polled after that", async () => {
    const { verifications, deps } = open();
    const { token } = await verifications.begin(USER, callbackUrl());
    clock.pass(30 * MINUTE_MS);
    personPasses("group-1");
    await comeBack(verifications, "10000");
    await triesWithin(deps, HOUR_MS);

    expect(await refusal(verifications.result(USER, token))).toBe("ValidateExpired");
    expect(vendor.asked("GetVisualValidateResult")).toEqual([]);
    expect(receiver.requests).toEqual([]);
  });

  test("requested ten times at once is one group, and the vendor's single answer is not lost", async () => {
    const { verifications } = open();
    const { token } = await verifications.begin(USER, callbackUrl());
    personPasses("group-1");

    const all = await Promise.allSettled(
      Array.from({ length: 10 }, () => verifications.result(USER, token)),
    );
    expect(all.some(({ status }) => status === "fulfilled")).toBe(true);
    expect(await verifications.result(USER, token)).toMatchObject({ id: "group-1" });
    expect((await storage.assets.stockOf(USER)).groups).toBe(1);
  });

  test("of a person known to the vendor is the existing group", async () => {
    const { verifications } = open();
    const one = await verifications.begin(USER, callbackUrl());
    personPasses("group-1");
    await verifications.result(USER, one.token);
    const two = await verifications.begin(USER, callbackUrl());
    personPasses("group-1");

    expect(await verifications.result(USER, two.token)).toMatchObject({ id: "group-1" });
    expect((await storage.assets.stockOf(USER)).groups).toBe(1);
  });

  test("of a person whose group belongs to another user is refused", async () => {
    const { verifications } = open();
    const one = await verifications.begin(USER, callbackUrl());
    personPasses("group-1");
    await verifications.result(USER, one.token);
    const two = await verifications.begin(2, callbackUrl());
    personPasses("group-1");

    expect(await refusal(verifications.result(2, two.token))).toBe("ValidateNotReady");
    expect((await storage.assets.stockOf(2)).groups).toBe(0);
  });
});

describe("the start of a verification", () => {
  test.each(["http://127.0.0.1/hook", "https://127.0.0.1:1/hook", "https://10.0.0.1/hook", "hook"])(
    "is refused with the callback URL %s, before the vendor is asked",
    async (url) => {
      const { verifications } = open();

      expect(await refusal(verifications.begin(USER, url))).toBe(
        "'CallbackURL' must be a public URL that the gateway may call.",
      );
      expect(vendor.asked("CreateVisualValidateSession")).toEqual([]);
      expect(await storage.identitySessions.countOpen(USER, clock.now())).toBe(0);
    },
  );

  test("is refused if no channel verifies persons", async () => {
    const { deps } = open();
    const verifications = new Verifications({ ...deps, listChannels: () => [] });

    const error = await errorOf(verifications.begin(USER, callbackUrl()));
    expect(error).toMatchObject({
      code: "invalid_request",
      message: "No channel of this gateway verifies persons.",
      details: { Code: "UnsupportedAction" },
    });
  });

  test("is refused if the gateway has no public URL, before the vendor is asked", async () => {
    const { deps } = open();
    const verifications = new Verifications({ ...deps, returnUrlFor: () => undefined });

    expect(await refusal(verifications.begin(USER, callbackUrl()))).toBe("UnsupportedAction");
    expect(vendor.asked("CreateVisualValidateSession")).toEqual([]);
  });

  test("is refused to a user with 100 unfinished ones, until these expire", async () => {
    const store = storage.identitySessions;
    const countOpen: typeof store.countOpen = async (...of) => 98 + (await store.countOpen(...of));
    const { verifications } = open({ sessions: { ...store, countOpen } });
    for (let times = 98; times < 100; times++) await verifications.begin(USER, callbackUrl());

    const error = await errorOf(verifications.begin(USER, callbackUrl()));
    expect(error).toMatchObject({
      code: "invalid_request",
      message: "A user may have at most 100 unfinished verifications.",
      details: { Code: "QuotaExceeded" },
    });
    expect(vendor.asked("CreateVisualValidateSession")).toHaveLength(2);

    clock.pass(30 * MINUTE_MS);
    const { token } = await verifications.begin(USER, callbackUrl());
    expect(await refusal(verifications.result(USER, token))).toBe("ValidateNotReady");
  });
});

describe("the browser's return", () => {
  test.each(["", "short", `${"a".repeat(32)}b`, `${"a".repeat(31)}/`])(
    "with the malformed word '%s' is not looked up",
    async (word) => {
      const sought: string[] = [];
      const { verifications } = open({
        sessions: {
          ...storage.identitySessions,
          findByReturn: async (digest) => void sought.push(digest),
        },
      });
      await comeBack(verifications, "10006", word);

      expect(sought).toEqual([]);
    },
  );

  test("is recorded at most 20 times", async () => {
    const { verifications, deps } = open();
    await verifications.begin(USER, callbackUrl());
    for (let times = 0; times < 25; times++) await comeBack(verifications, "10006");

    expect(await sessionOf(deps)).toMatchObject({ returns: 20 });
  });

  test("is ignored from the millisecond at which the session expires", async () => {
    const { verifications, deps } = open();
    await verifications.begin(USER, callbackUrl());
    const word = returnWord();
    clock.pass(30 * MINUTE_MS - 1);
    await comeBack(verifications, "10006", word);
    clock.pass(1);
    await comeBack(verifications, "10006", word);

    expect(await sessionOf(deps)).toMatchObject({ returns: 1 });
  });

  test("plans a poll at once, or two seconds after the last poll", async () => {
    const { verifications, deps } = open();
    const { token } = await verifications.begin(USER, callbackUrl());
    await comeBack(verifications, "10000");
    expect(await sessionOf(deps)).toMatchObject({ askAt: clock.now() });

    const askedAt = clock.now();
    expect(await refusal(verifications.result(USER, token))).toBe("ValidateNotReady");
    clock.pass(SECOND_MS);
    await comeBack(verifications, "10000");
    expect(await sessionOf(deps)).toMatchObject({ askAt: askedAt + 2 * SECOND_MS });
  });

  test("does not change the schedule of a running poll", async () => {
    const { verifications, deps } = open();
    await verifications.begin(USER, callbackUrl());
    const before = await sessionOf(deps);
    const askAt = clock.now() + MINUTE_MS;
    await deps.sessions.change(before, { state: "asking", askedAt: clock.now(), askAt });
    await comeBack(verifications, "10000");

    expect(await sessionOf(deps)).toMatchObject({ state: "asking", returns: 1, askAt });
  });

  test("is tried again if another process changes the session, five times in all", async () => {
    let tries = 0;
    const { verifications } = open({
      sessions: { ...storage.identitySessions, change: async () => void tries++ },
    });
    await verifications.begin(USER, callbackUrl());

    expect(await errorOf(comeBack(verifications, "10006"))).toMatchObject({
      code: "internal",
      message: "The session changed too often during this request. Retry.",
    });
    expect(tries).toBe(5);
  });
});

describe("a request for a result", () => {
  test("polls the vendor again after two seconds, and not before", async () => {
    const { verifications } = open();
    const { token } = await verifications.begin(USER, callbackUrl());
    const askedAfter = async (ms: number): Promise<number> => {
      clock.pass(ms);
      expect(await refusal(verifications.result(USER, token))).toBe("ValidateNotReady");
      return vendor.asked("GetVisualValidateResult").length;
    };

    expect(await askedAfter(0)).toBe(1);
    expect(await askedAfter(1_999)).toBe(1);
    expect(await askedAfter(1)).toBe(2);
  });

  test("is refused from the millisecond at which the session expires, and leaves it unchanged", async () => {
    const { verifications, deps } = open();
    const { token } = await verifications.begin(USER, callbackUrl());
    personPasses("group-1");
    const before = await sessionOf(deps);
    clock.pass(30 * MINUTE_MS);

    expect(await refusal(verifications.result(USER, token))).toBe("ValidateExpired");
    expect(await sessionOf(deps)).toEqual(before);
    expect(vendor.asked("GetVisualValidateResult")).toEqual([]);
  });

  test("returns the time of the next attempt while the verification is unfinished", async () => {
    const { verifications } = open();
    const { token } = await verifications.begin(USER, callbackUrl());

    expect(await errorOf(verifications.result(USER, token))).toMatchObject({
      code: "still_running",
      message: "The verification is not finished.",
      details: { Code: "ValidateNotReady" },
      retryAfterMs: 2_000,
    });
  });

  test("returns the result code of a person who was not verified", async () => {
    const { verifications } = open();
    const { token } = await verifications.begin(USER, callbackUrl());
    await comeBack(verifications, "10006");

    expect(await errorOf(verifications.result(USER, token))).toMatchObject({
      code: "invalid_request",
      message: "The person was not verified (result code 10006). Start a new session.",
      details: { Code: "ValidateDenied" },
    });
  });

  test("finds the group until a day after it was first fetched, and not later", async () => {
    const { verifications } = open();
    const { token } = await verifications.begin(USER, callbackUrl());
    personPasses("group-1");
    await verifications.result(USER, token);

    clock.pass(24 * HOUR_MS - 1);
    expect(await verifications.result(USER, token)).toMatchObject({ id: "group-1" });
    clock.pass(1);
    expect(await errorOf(verifications.result(USER, token))).toMatchObject({
      param: "VendorToken",
      message: "VendorToken must be the token of one of your sessions",
    });
  });

  test("finds a group that was never fetched until a day after the session's end", async () => {
    const { verifications, deps } = open();
    const { token } = await verifications.begin(USER, callbackUrl());
    personPasses("group-1");
    await comeBack(verifications, "10000");
    await processCallbacks(deps, NEVER);
    // Keeps the first fetch from being recorded.
    const unrecorded = open({
      sessions: { ...storage.identitySessions, change: async (session) => session },
    });

    clock.pass(24 * HOUR_MS + 30 * MINUTE_MS - 1);
    expect(await unrecorded.verifications.result(USER, token)).toMatchObject({ id: "group-1" });
    clock.pass(1);
    expect(await refusal(verifications.result(USER, token))).toBe(
      "VendorToken must be the token of one of your sessions",
    );
  });

  test("fails if the group of a passed verification was removed", async () => {
    const { verifications, deps } = open();
    const { token } = await verifications.begin(USER, callbackUrl());
    personPasses("group-1");
    await comeBack(verifications, "10000");
    await processCallbacks(deps, NEVER);
    const assets: AssetStore = { ...storage.assets, findGroup: async () => undefined };

    const without = new Verifications({ ...deps, assets });
    expect(await errorOf(without.result(USER, token))).toMatchObject({
      code: "internal",
      message: "The group of this verification does not exist.",
    });
  });

  test("is possible until a session is deleted, two days after its end", () => {
    expect(FORGOTTEN_MS).toBe(48 * HOUR_MS);
  });

  test("deletes the secrets of a session whose group was fetched", async () => {
    const { verifications, deps } = open();
    const { token } = await verifications.begin(USER, callbackUrl());
    personPasses("group-1");
    expect(await sessionOf(deps)).not.toMatchObject({ sealed: "" });
    await verifications.result(USER, token);

    expect(await sessionOf(deps)).toMatchObject({ sealed: "", fetchedAt: clock.now() });
  });
});

test("a slow webhook receiver does not delay other requests", async () => {
  const { verifications, deps } = open();
  const answer = Promise.withResolvers<number>();
  const told: string[] = [];
  const words = new Map<string, string>();
  for (const path of ["?slow", "?quick", "?later"]) {
    await verifications.begin(USER, callbackUrl(path));
    words.set(path, returnWord());
  }
  const refused = (path: string): Promise<void> =>
    comeBack(verifications, "10006", words.get(path));
  await refused("?slow");
  await refused("?quick");
  const get = async (url: string): Promise<number> => {
    if (url.includes("?slow")) return await answer.promise;
    if (url.includes("?quick")) await refused("?later");
    told.push(url);
    return 204;
  };

  const attending = processCallbacks({ ...deps, links: { get } }, NEVER);
  await waitFor(() => told.some((url) => url.includes("?later")), 5_000).finally(() => {
    answer.resolve(204);
  });
  await attending;
});

describe("[C98] a gateway that dies", () => {
  /** The vendor tells once; at each step the process may end, before or after what it did. */
  const STEPS = Array.from({ length: 24 }, (_, at) => at);

  test.each(STEPS)("at step %i leaves one group behind, which its client gets", async (step) => {
    const { verifications } = open();
    const { token } = await verifications.begin(USER, callbackUrl());
    personPasses("group-1");
    vendor.persons.set("group-1", new Date(clock.now() + SECOND_MS).toISOString());
    vendor.persons.set("group-old", new Date(clock.now() - HOUR_MS).toISOString());

    const dying = open({ sessions: dyingAt(step) });
    await comeBack(dying.verifications, "10000").catch(ignore);
    await processCallbacks(dying.deps, NEVER).catch(ignore);
    await dying.verifications.result(USER, token).catch(ignore);

    const next = open();
    await comeBack(next.verifications, "10000");
    await triesWithin(next.deps, 5 * MINUTE_MS);

    expect(await next.verifications.result(USER, token)).toMatchObject({ id: "group-1" });
    expect((await storage.assets.stockOf(USER)).groups).toBe(1);
  });

  test.each([[["group-1", "group-2"]], [["group-1"]]])(
    "assigns no group that could belong to another user: %j",
    async (known) => {
      const { verifications, deps } = open({ egress: losing(egress) });
      const one = await verifications.begin(USER, callbackUrl());
      personPasses("group-1");
      const two = await verifications.begin(2, callbackUrl());
      personPasses("group-2");
      for (const each of known) {
        vendor.persons.set(each, new Date(clock.now() + SECOND_MS).toISOString());
      }
      for (const [user, { token }] of [
        [USER, one],
        [2, two],
      ] as const) {
        await verifications.result(user, token).catch(ignore);
      }
      const next = open();
      await triesWithin(deps, MINUTE_MS);
      clock.pass(10 * SECOND_MS);

      expect(await refusal(next.verifications.result(USER, one.token))).toBe("ValidateNotReady");
      expect(await refusal(next.verifications.result(2, two.token))).toBe("ValidateNotReady");
      expect((await storage.assets.stockOf(USER)).groups).toBe(0);
      expect(vendor.asked("GetVisualValidateResult").length).toBeGreaterThanOrEqual(4);
    },
  );
});

class ManualClock implements Clock {
  #passed = 0;

  now(): number {
    return START + this.#passed;
  }

  monotonic(): number {
    return this.#passed;
  }

  pass(ms: number): void {
    this.#passed += ms;
  }
}

interface OpenOptions {
  readonly sessions?: IdentitySessionStore;
  readonly egress?: Egress;
  readonly ports?: readonly number[];
}

function open({ sessions, egress: other, ports }: OpenOptions = {}) {
  const channel: Channel = {
    name: "ark",
    provider: "ark",
    baseUrl: `${vendor.vendor.url}/api/v3`,
    credentials: [credential(`model-key|${PAIR.id}|${PAIR.secret}`)],
    models: { kind: "discover" },
    options: { assets_url: `${vendor.vendor.url}/`, project: "films" },
    priority: 0,
    weight: 1,
    maxConcurrent: 10,
    isSimulated: false,
  };
  const deps: VerificationDeps & CallbackDeps = {
    egress: other ?? egress,
    listChannels: () => [channel],
    sessions: sessions ?? storage.identitySessions,
    assets: storage.assets,
    clock,
    seal: openSeal(PEPPER, "verifications"),
    digest: (word) => digestOf(word, PEPPER),
    returnUrlFor: (word) => `https://gate.example/callbacks/verify/${word}`,
    links: openCallerLinks(() => ({
      allow: ["127.0.0.1"],
      ports: [...(ports ?? [receiver.port])],
      ca: authority,
      // The name's owner may let it lead anywhere.
      resolve: async () => ["10.0.0.1"],
    })),
    secrets: storage.noticeSecrets,
    onError: ignore,
  };
  return { deps, verifications: new Verifications(deps) };
}

function callbackUrl(query = ""): string {
  return `https://127.0.0.1:${receiver.port}/hook${query}`;
}

/** The one who was asked last. */
function personPasses(groupId: string): void {
  const last = [...vendor.sessions.values()].at(-1);
  if (last === undefined) throw new Error("Nobody was asked.");
  last.groupId = groupId;
}

function returnWord(): string {
  const asked = vendor.asked("CreateVisualValidateSession").at(-1);
  return (textOf(asked?.["CallbackURL"]) ?? "").replace(/^.*\//, "");
}

async function comeBack(
  verifications: Verifications,
  resultCode: string,
  word = returnWord(),
): Promise<void> {
  const told: VerificationOutcome = {
    resultCode,
    algorithmBaseRespCode: "0",
    reqMeasureInfoValue: "1",
    verifyType: "real_time",
  };
  await verifications.heard(word, told);
}

/** In seconds from now, while time passes. */
async function triesWithin(deps: CallbackDeps, ms: number): Promise<readonly number[]> {
  const startedAt = clock.now();
  const tries: number[] = [];
  let before = receiver.requests.length;
  while (clock.now() - startedAt <= ms) {
    await processCallbacks(deps, NEVER);
    for (; before < receiver.requests.length; before++) {
      tries.push((clock.now() - startedAt) / SECOND_MS);
    }
    clock.pass(SECOND_MS);
    if (clock.now() - startedAt > 1_000 * SECOND_MS) clock.pass(MINUTE_MS);
  }
  return tries;
}

async function refusal(promise: Promise<unknown>): Promise<unknown> {
  const { details, message } = await errorOf(promise);
  return details?.["Code"] ?? message;
}

async function errorOf(promise: Promise<unknown>): Promise<GatewayError> {
  const cause = await promise.then(
    () => new Error("It was not refused."),
    (reason: unknown) => reason,
  );
  return GatewayError.from(cause);
}

/** The session that was started last. */
async function sessionOf({ sessions }: VerificationDeps): Promise<IdentitySession> {
  const found = await sessions.findByReturn(digestOf(returnWord(), PEPPER));
  if (found === undefined) throw new Error("There is no session.");
  return found;
}

/** Half of the steps end a process before what it is about to write, the others after. */
function dyingAt(step: number): IdentitySessionStore {
  const store = storage.identitySessions;
  let left = Math.floor(step / 2);
  const isBefore = step % 2 === 0;
  let isDead = false;
  const mortal =
    <Given extends readonly unknown[], T>(act: (...given: Given) => Promise<T>) =>
    async (...given: Given): Promise<T> => {
      const isNow = left-- === 0;
      if (isDead || (isNow && isBefore)) {
        isDead = true;
        throw new Error("dead");
      }
      const done = await act(...given);
      isDead ||= isNow;
      if (isDead) throw new Error("dead");
      return done;
    };
  return {
    ...store,
    findByReturn: mortal(store.findByReturn),
    findByToken: mortal(store.findByToken),
    change: mortal(store.change),
    pass: mortal(store.pass),
    lease: mortal(store.lease),
  };
}

/** Whatever is answered is never heard. */
function losing(real: Egress): Egress {
  return {
    ...real,
    async send(request) {
      const { pathname, searchParams } = request.url;
      const sent = await real.send(request);
      if (searchParams.get("Action") !== "GetVisualValidateResult") return sent;
      sent.close();
      throw new GatewayError("upstream_failed", `The connection broke at ${pathname}.`);
    },
  };
}

function ignore(): void {}

import { describe, expect, test } from "bun:test";
import type { AssetGroup } from "#core/asset.ts";
import { GatewayError, type FaultCode } from "#core/error.ts";
import type {
  IdentityChange,
  IdentitySession,
  VerificationOutcome,
} from "#core/identity-session.ts";
import { openSeal } from "#lib/seal.ts";
import { assetLibrary, libraryChannel, type LibraryAnswer } from "#test/asset-library.ts";
import { memorySessions } from "#test/memory-sessions.ts";
import { PEPPER, reasonOf } from "#test/storage/contract-place.ts";
import { askVendor } from "./poll-session.ts";
import { sealSecrets } from "./session-secrets.ts";

const NOW = Date.UTC(2026, 0, 1);
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const SEAL = openSeal(PEPPER, "verifications");
const SECRETS = { token: "vt_1", upstreamToken: "byted-1", callbackUrl: "https://a.example/" };
const CHANNEL = libraryChannel();
const LABEL = CHANNEL.credentials[0]?.label ?? "";
const SESSION: IdentitySession = {
  id: "session-1",
  userId: 1,
  channel: "ark",
  account: LABEL,
  tokenDigest: "digest",
  returnDigest: "other-digest",
  sealed: sealSecrets(SECRETS, "session-1", SEAL),
  state: "open",
  createdAt: NOW - MINUTE_MS,
  endsAt: NOW + 29 * MINUTE_MS,
  asks: 0,
  returns: 0,
  version: 1,
};
const PASSED: VerificationOutcome = {
  resultCode: "10000",
  algorithmBaseRespCode: "0",
  reqMeasureInfoValue: "1",
  verifyType: "real_time",
};
const NOT_READY: LibraryAnswer = { status: 404, failure: "ValidateNotReady" };
const GONE: LibraryAnswer = { status: 404, failure: "ResourceNotFound.Session" };
const GROUP: LibraryAnswer = { result: { GroupId: "group-1" } };
const GROUP_HERE: AssetGroup = {
  id: "group-here",
  userId: 1,
  place: { channel: "ark", account: LABEL, upstreamId: "group-1" },
  kind: "identity",
  name: "Verified person",
  description: "",
  createdAt: NOW,
  updatedAt: NOW,
};

interface Scene {
  /** What the vendor says of the session; what happens meanwhile goes into a function. */
  readonly read?: LibraryAnswer | FaultCode | (() => LibraryAnswer);
  /** Groups of persons at the vendor, by id, with the time they were made at. */
  readonly persons?: Readonly<Record<string, number>>;
  readonly unresolved?: readonly string[];
  readonly groups?: AssetGroup[];
  readonly now?: number;
  readonly hasNoChannel?: true;
  /** Other processes change the session before each write of a result. */
  readonly isBusy?: true;
}

function scene(
  more: Partial<IdentitySession> = {},
  {
    read = NOT_READY,
    persons = {},
    unresolved = ["session-1"],
    groups = [],
    now = NOW,
    hasNoChannel,
    isBusy,
  }: Scene = {},
) {
  const session = { ...SESSION, ...more };
  const sessions = memorySessions(session, groups);
  const library = assetLibrary(({ action }) => {
    if (action === "ListAssetGroups") {
      const Items = Object.entries(persons).map(([Id, at]) => ({
        Id,
        CreateTime: new Date(at).toISOString(),
      }));
      return { result: { Items } };
    }
    if (typeof read === "string") throw new GatewayError(read, "No.");
    return typeof read === "function" ? read() : read;
  });
  const since: number[] = [];
  let tries = 0;
  const deps = {
    egress: library.egress,
    listChannels: () => (hasNoChannel === true ? [] : [CHANNEL]),
    clock: { now: () => now, monotonic: () => now },
    seal: SEAL,
    sessions: {
      ...sessions.store,
      async change(from: IdentitySession, change: IdentityChange) {
        if (isBusy === true && from.state === "asking") {
          tries++;
          sessions.change({ returns: tries });
        }
        return await sessions.store.change(from, change);
      },
      async listUnresolved(_channel: string, from: number) {
        since.push(from);
        return unresolved;
      },
    },
    assets: {
      findGroupAt: async (channel: string, upstreamId: string) =>
        groups.find(({ place }) => place?.channel === channel && place.upstreamId === upstreamId),
    },
  };
  const ask = () => askVendor(session, deps as never);
  return { ask, session, sessions, library, groups, since, tries: () => tries };
}

/** The session after one poll. */
async function after(more: Partial<IdentitySession>, options: Scene = {}): Promise<unknown> {
  const { ask, sessions } = scene(more, options);
  const told = await ask();
  expect(told).toEqual(sessions.now());
  return told;
}

describe("a poll of a verification", () => {
  test("is recorded before the upstream call, since the vendor may return the result only once", async () => {
    const recorded: unknown[] = [];
    const { ask, sessions, library } = scene(
      { asks: 2 },
      {
        read() {
          recorded.push(sessions.now());
          return NOT_READY;
        },
      },
    );
    await ask();

    expect(recorded).toEqual([
      expect.objectContaining({
        state: "asking",
        asks: 3,
        askedAt: NOW,
        askAt: NOW + MINUTE_MS,
      }),
    ]);
    expect(library.asked[0]?.body["BytedToken"]).toBe("byted-1");
  });

  test.each<[string, Partial<IdentitySession>, Scene]>([
    ["whose secrets were deleted", { sealed: "" }, {}],
    ["whose channel is gone", {}, { hasNoChannel: true }],
    ["that has expired", {}, { now: SESSION.endsAt }],
  ])("%s is the last one, and makes no upstream call", async (_, more, options) => {
    const { ask, library, sessions } = scene({ ...more, askAt: NOW }, options);

    expect(await ask()).not.toHaveProperty("askAt");
    expect(sessions.now()).toMatchObject({ state: "open", asks: 0 });
    expect(library.asked).toEqual([]);
  });

  test("is possible until the last millisecond", async () => {
    const { ask, library } = scene({}, { now: SESSION.endsAt - 1 });
    await ask();

    expect(library.asked).toHaveLength(1);
  });

  test("is left to the process that has begun one less than a minute ago", async () => {
    const askedBefore = (ms: number) => scene({ state: "asking", askedAt: NOW - ms });
    const recent = askedBefore(MINUTE_MS - 1);
    const old = askedBefore(MINUTE_MS);

    expect(await recent.ask()).toBeUndefined();
    expect(recent.sessions.changes).toEqual([]);
    await old.ask();
    expect(recent.library.asked).toEqual([]);
    expect(old.library.actions()).toContain("GetVisualValidateResult");
  });

  test("is left to another process that records one first", async () => {
    const { ask, sessions, library } = scene();
    sessions.change({ returns: 1 });

    expect(await ask()).toBeUndefined();
    expect(library.asked).toEqual([]);
  });
});

describe("a verification that has no result yet", () => {
  test("is polled again only if the person's browser reported success", async () => {
    expect(await after({ askAt: NOW })).toMatchObject({ state: "open" });
    expect(await after({ askAt: NOW })).not.toHaveProperty("askAt");
    const failed = { ...PASSED, resultCode: "10006" };
    expect(await after({ askAt: NOW, told: failed })).not.toHaveProperty("askAt");
  });

  test("is polled at growing intervals, of a minute at most", async () => {
    const pauses: unknown[] = [];
    for (const asks of [0, 1, 2, 3, 4, 5, 6, 7, 100]) {
      const told = (await after({ asks, told: PASSED })) as IdentitySession;
      pauses.push(((told.askAt ?? 0) - NOW) / SECOND_MS);
    }

    expect(pauses).toEqual([2, 3, 5, 10, 15, 30, 60, 60, 60]);
  });

  test("is not polled at its end or later", async () => {
    const ending = (ms: number) => after({ told: PASSED, endsAt: NOW + ms });

    expect(await ending(2_001)).toMatchObject({ askAt: NOW + 2_000 });
    expect(await ending(2_000)).not.toHaveProperty("askAt");
  });

  test("keeps the result that the person's browser reports during the poll", async () => {
    const { ask, sessions } = scene(
      {},
      {
        read() {
          sessions.change({ told: PASSED });
          return NOT_READY;
        },
      },
    );

    expect(await ask()).toMatchObject({ state: "open", told: PASSED, askAt: NOW + 2_000 });
  });

  test("keeps another process's changes made meanwhile", async () => {
    const { ask, sessions } = scene(
      {},
      {
        read() {
          sessions.change({ state: "passed", groupId: "group-other" });
          return NOT_READY;
        },
      },
    );

    expect(await ask()).toMatchObject({ state: "passed", groupId: "group-other" });
  });

  test("is written at most five times while others keep changing it", async () => {
    const { ask, session, tries } = scene({}, { isBusy: true });

    expect(await ask()).toMatchObject({ state: "asking", asks: session.asks + 1 });
    expect(tries()).toBe(5);
  });
});

describe("an answer that never came", () => {
  test.each<FaultCode>(["upstream_failed", "upstream_timeout"])(
    "(%s) may have been the result: the session is polled again after a minute",
    async (read) => {
      expect(await after({}, { read })).toMatchObject({ state: "unsure", askAt: NOW + MINUTE_MS });
      expect(await after({ told: PASSED }, { read })).toMatchObject({
        state: "unsure",
        askAt: NOW + 2_000,
      });
    },
  );

  test("because the vendor refused the request was no result", async () => {
    const found = await after({ askAt: NOW }, { read: "upstream_rate_limited" });

    expect(found).toMatchObject({ state: "open" });
    expect(found).not.toHaveProperty("askAt");
  });

  test("stays unknown after any other failure", async () => {
    const read = "upstream_rate_limited";
    const asking = { state: "asking", askedAt: NOW - MINUTE_MS } as const;

    for (const more of [asking, { state: "unsure" } as const]) {
      expect(await after(more, { read })).toMatchObject({
        state: "unsure",
        askAt: NOW + MINUTE_MS,
      });
    }
  });

  test("because of the gateway itself is reported, and the session stays in the state 'asking'", async () => {
    const { ask, sessions } = scene({}, { read: "internal" });

    expect(await reasonOf(ask())).toMatchObject({ code: "internal" });
    expect(sessions.now()).toMatchObject({ state: "asking" });
  });
});

describe("a result that a crashed process may have received", () => {
  const unsure = { state: "unsure" } as const;
  const persons = { "group-1": NOW - 2 * SECOND_MS };
  const found = expect.objectContaining({ state: "passed", groupId: "group-1" });

  test("is the only new group at the vendor that belongs to no session", async () => {
    const { ask, library, since } = scene(unsure, { read: GONE, persons });

    expect(await ask()).toEqual(found);
    expect(library.asked.at(-1)?.body).toMatchObject({ PageSize: 50 });
    expect(since).toEqual([SESSION.createdAt]);
  });

  test("is not searched if no earlier poll can have received it", async () => {
    const { ask, library } = scene({}, { read: GONE, persons });

    expect(await ask()).toMatchObject({ state: "open" });
    expect(library.actions()).toEqual(["GetVisualValidateResult"]);
  });

  test("is not searched if the vendor reports that the verification is under way", async () => {
    const { ask, library } = scene(unsure, { read: NOT_READY, persons });

    expect(await ask()).toMatchObject({ state: "open" });
    expect(library.actions()).toEqual(["GetVisualValidateResult"]);
  });

  test("is not searched if another session may have made the group", async () => {
    const unresolved = ["session-1", "session-2"];

    expect(await after(unsure, { read: GONE, persons, unresolved })).toMatchObject({
      state: "open",
    });
  });

  test("is not assigned if two groups could be the person's", async () => {
    const two = { ...persons, "group-2": NOW };

    expect(await after(unsure, { read: GONE, persons: two })).toMatchObject({ state: "open" });
    expect(await after(unsure, { read: GONE })).toMatchObject({ state: "open" });
  });

  test("is not a group of another session, or an older one", async () => {
    const groups = [
      { ...GROUP_HERE, place: { channel: "ark", account: LABEL, upstreamId: "group-2" } },
    ];
    const more = { ...persons, "group-2": NOW, "group-3": SESSION.createdAt - 5_001 };

    expect(await after(unsure, { read: GONE, persons: more, groups })).toEqual(found);
  });

  test("may be five seconds older, because clocks differ", async () => {
    const made = { "group-1": SESSION.createdAt - 5_000 };

    expect(await after(unsure, { read: GONE, persons: made })).toEqual(found);
  });
});

describe("a person who passed", () => {
  test("gets a group with the vendor's id, and the client is informed at once", async () => {
    const { ask, groups } = scene({ told: PASSED, askAt: NOW }, { read: GROUP });
    const session = await ask();

    expect(session).toMatchObject({
      state: "passed",
      groupId: "group-1",
      notice: { outcome: PASSED, attempts: 0, dueAt: NOW },
    });
    expect(session).not.toHaveProperty("askAt");
    expect(groups).toEqual([
      {
        id: "group-1",
        userId: 1,
        place: { channel: "ark", account: LABEL, upstreamId: "group-1" },
        kind: "identity",
        name: "Verified person",
        description: "",
        createdAt: NOW,
        updatedAt: NOW,
      },
    ]);
  });

  test("passed by the vendor's word, even if the browser reported a failure or nothing", async () => {
    const failed = { ...PASSED, resultCode: "10006" };

    expect(await after({ told: failed }, { read: GROUP })).toMatchObject({
      notice: { outcome: PASSED },
    });
    expect(await after({}, { read: GROUP })).toMatchObject({
      notice: {
        outcome: {
          resultCode: "10000",
          algorithmBaseRespCode: "",
          reqMeasureInfoValue: "",
          verifyType: "",
        },
      },
    });
  });

  test("gets a group of the polled account, if the key was replaced meanwhile", async () => {
    const { ask, groups } = scene({ account: "...gone" }, { read: GROUP });
    await ask();

    expect(groups[0]?.place?.account).toBe(LABEL);
  });

  test("gets the group that the user already has for this person", async () => {
    const groups = [GROUP_HERE];

    expect(await after({}, { read: GROUP, groups })).toMatchObject({
      state: "passed",
      groupId: "group-here",
      notice: { attempts: 0, dueAt: NOW },
    });
    expect(groups).toHaveLength(1);
  });

  test("gets no group of another user, and there is no second upstream call", async () => {
    const groups = [{ ...GROUP_HERE, userId: 2 }];
    const found = await after({ told: PASSED, askAt: NOW }, { read: GROUP, groups });

    expect(found).toMatchObject({ state: "open" });
    expect(found).not.toHaveProperty("groupId");
    expect(found).not.toHaveProperty("askAt");
  });

  test("gets a group with an id of the gateway's if the vendor's is another channel's", async () => {
    const place = { channel: "other", account: "", upstreamId: "other-1" };
    const groups = [{ ...GROUP_HERE, id: "group-1", place }];

    expect(await after({}, { read: GROUP, groups })).toMatchObject({
      state: "passed",
      groupId: expect.stringMatching(/^group-\w{24}$/),
    });
  });

  test("gets the group even if the browser changes the session at that moment", async () => {
    const { ask, sessions } = scene(
      {},
      {
        read() {
          sessions.change({ returns: 1 });
          return GROUP;
        },
      },
    );

    expect(await ask()).toMatchObject({ state: "passed", returns: 1, groupId: "group-1" });
  });
});

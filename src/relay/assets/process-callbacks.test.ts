import { describe, expect, test } from "bun:test";
import { GatewayError } from "#core/error.ts";
import type { IdentitySession, SessionNotice } from "#core/identity-session.ts";
import { openSeal } from "#lib/seal.ts";
import { isSignedWith } from "#lib/standard-webhooks.ts";
import { assetLibrary, libraryChannel } from "#test/asset-library.ts";
import { memorySessions } from "#test/memory-sessions.ts";
import { PEPPER } from "#test/storage/contract-place.ts";
import { processCallbacks } from "./process-callbacks.ts";
import { sealSecrets } from "./session-secrets.ts";

const NEVER = new AbortController().signal;
/** In the middle of a second. */
const NOW = Date.UTC(2026, 0, 1) + 999;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const SEAL = openSeal(PEPPER, "verifications");
const SECRETS = {
  token: "vt_1",
  upstreamToken: "byted-1",
  callbackUrl: "https://a.example/hook?order=7",
};
const CHANNEL = libraryChannel();
const NOTICE: SessionNotice = {
  outcome: {
    resultCode: "10006",
    algorithmBaseRespCode: "1",
    reqMeasureInfoValue: "2",
    verifyType: "real_time",
  },
  attempts: 0,
  dueAt: NOW,
};
const SESSION: IdentitySession = {
  id: "session-1",
  userId: 1,
  channel: "ark",
  account: CHANNEL.credentials[0]?.label ?? "",
  tokenDigest: "digest",
  returnDigest: "other-digest",
  sealed: sealSecrets(SECRETS, "session-1", SEAL),
  state: "open",
  createdAt: NOW - MINUTE_MS,
  endsAt: NOW + 60 * MINUTE_MS,
  asks: 0,
  returns: 0,
  notice: NOTICE,
  version: 1,
};

/** A receiver of callbacks: its status, or the reason why it cannot be called. */
type Receiver = (sessions: ReturnType<typeof memorySessions>) => number;

async function processed(
  more: Partial<IdentitySession> | IdentitySession = {},
  receive: Receiver = () => 204,
  { isBusy = false }: { readonly isBusy?: boolean } = {},
) {
  const session: IdentitySession = { ...SESSION, ...more };
  const sessions = memorySessions(session);
  const library = assetLibrary(() => ({ status: 404, failure: "ValidateNotReady" }));
  const called: { url: URL; headers: Readonly<Record<string, string>> }[] = [];
  const errors: unknown[] = [];
  const leases: unknown[][] = [];
  let tries = 0;
  const deps = {
    egress: library.egress,
    listChannels: () => [CHANNEL],
    clock: { now: () => NOW, monotonic: () => NOW },
    seal: SEAL,
    secrets: { of: async () => ["whsec_bmV3", "whsec_b2xk"] },
    onError: (cause: unknown) => void errors.push(cause),
    links: {
      async get(url: string, headers: Readonly<Record<string, string>>) {
        called.push({ url: new URL(url), headers });
        return receive(sessions);
      },
    },
    sessions: {
      ...sessions.store,
      async lease(...told: readonly unknown[]) {
        leases.push([...told]);
        return leases.length === 1 ? [session] : [];
      },
      async change(from: IdentitySession, change: object) {
        tries++;
        if (isBusy) sessions.change({ returns: tries });
        return await sessions.store.change(from, change);
      },
    },
  };
  await processCallbacks(deps as never, NEVER);
  return { session: sessions.now(), sessions, called, errors, library, leases, tries: () => tries };
}

const failing = (): never => {
  throw new GatewayError("upstream_failed", "The receiver cannot be reached.");
};

describe("the callback of a verification", () => {
  test("sends the result to the client's address, with a signature of each valid secret", async () => {
    const { called, session } = await processed();

    const [{ url, headers } = { url: new URL("none:"), headers: {} }] = called;
    expect(url.origin + url.pathname).toBe("https://a.example/hook");
    expect(Object.fromEntries(url.searchParams)).toEqual({
      order: "7",
      vendorToken: "vt_1",
      resultCode: "10006",
      algorithmBaseRespCode: "1",
      reqMeasureInfoValue: "2",
      verify_type: "real_time",
    });
    const timestamp = (NOW - 999) / SECOND_MS;
    const { "webhook-signature": signatures = "", ...more } = headers as Record<string, string>;
    expect(more).toEqual({
      "webhook-id": "session-1.10006",
      "webhook-timestamp": String(timestamp),
    });
    const message = { id: "session-1.10006", timestamp, body: url.search };
    for (const secret of ["whsec_bmV3", "whsec_b2xk"]) {
      expect(isSignedWith(secret, message, signatures, timestamp)).toBe(true);
    }
    expect(session).not.toHaveProperty("notice");
    expect(called).toHaveLength(1);
  });

  test.each([200, 204, 299, 410])("ends with the status %i of the receiver", async (status) => {
    const { session } = await processed({}, () => status);

    expect(session).not.toHaveProperty("notice");
  });

  test.each([199, 300, 404, 500])("is sent again after the status %i", async (status) => {
    const { session } = await processed({}, () => status);

    expect(session.notice).toEqual({ ...NOTICE, attempts: 1, dueAt: NOW + 5 * SECOND_MS });
  });

  test("is sent again after 5, 30, 120 and 600 seconds, and then no more", async () => {
    const pauses: unknown[] = [];
    for (const attempts of [0, 1, 2, 3, 4]) {
      const { session } = await processed({ notice: { ...NOTICE, attempts } }, failing);
      const { notice } = session;
      pauses.push(notice && [notice.attempts, (notice.dueAt - NOW) / SECOND_MS]);
    }

    expect(pauses).toEqual([[1, 5], [2, 30], [3, 120], [4, 600], undefined]);
  });

  test("is not sent again at the session's end or later", async () => {
    const ending = async (ms: number) =>
      (await processed({ endsAt: NOW + ms }, failing)).session.notice;

    expect(await ending(5_001)).toMatchObject({ attempts: 1 });
    expect(await ending(5_000)).toBeUndefined();
  });

  test.each<[string, Partial<IdentitySession>]>([
    ["has expired", { endsAt: NOW }],
    ["was fetched, and its secrets deleted", { sealed: "" }],
  ])("of a session that %s is dropped", async (_, more) => {
    const { session, called } = await processed(more);

    expect(session).not.toHaveProperty("notice");
    expect(called).toEqual([]);
  });

  test("is sent when it is due, and not before", async () => {
    const early = await processed({ notice: { ...NOTICE, dueAt: NOW + 1 } });
    const { notice: _, ...without } = SESSION;
    const none = await processed({ ...without, notice: undefined } as never);

    for (const { called, tries } of [early, none]) {
      expect(called).toEqual([]);
      expect(tries()).toBe(0);
    }
  });

  test("is reported to the operator if the gateway itself fails, and stays due", async () => {
    const { session, errors } = await processed({}, () => {
      throw new Error("A bug.");
    });

    expect(errors).toHaveLength(1);
    expect(session.notice).toEqual(NOTICE);
  });
});

describe("a session that changes during its callback", () => {
  test("is marked nevertheless, so that the callback is not sent twice", async () => {
    const { session, tries } = await processed({}, (sessions) => {
      sessions.change({ returns: 1 });
      return 204;
    });

    expect(tries()).toBe(2);
    expect(session).toMatchObject({ returns: 1 });
    expect(session).not.toHaveProperty("notice");
  });

  test("is marked in at most five attempts", async () => {
    const { session, tries } = await processed({}, () => 204, { isBusy: true });

    expect(tries()).toBe(5);
    expect(session).toMatchObject({ notice: NOTICE });
  });

  test("keeps a callback of a newer result", async () => {
    const newer = { ...NOTICE, outcome: { ...NOTICE.outcome, resultCode: "10000" } };
    const { session } = await processed({}, (sessions) => {
      sessions.change({ notice: newer });
      return 204;
    });

    expect(session).toMatchObject({ notice: newer });
  });

  test("is left alone if its callback was ended meanwhile, or if it was deleted", async () => {
    const ended = await processed({}, (sessions) => {
      sessions.change({ notice: null });
      return 500;
    });
    const deleted = await processed({}, (sessions) => {
      sessions.remove();
      return 204;
    });

    for (const { tries, errors } of [ended, deleted]) {
      expect(tries()).toBe(1);
      expect(errors).toEqual([]);
    }
  });
});

describe("a session whose poll is due", () => {
  test("is polled first, and its callback is sent with the next lease", async () => {
    const { library, called, session } = await processed({ askAt: NOW });

    expect(library.actions()).toEqual(["GetVisualValidateResult"]);
    expect(called).toEqual([]);
    expect(session).toMatchObject({ asks: 1, notice: NOTICE });
  });

  test("is not polled before that", async () => {
    const { library, called } = await processed({ askAt: NOW + 1 });

    expect(library.asked).toEqual([]);
    expect(called).toHaveLength(1);
  });
});

test("sessions are leased for a minute, at most four for each user", async () => {
  const { leases } = await processed();

  expect(leases[0]).toEqual([MINUTE_MS, 4, []]);
});

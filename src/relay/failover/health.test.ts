import { describe, expect, test } from "bun:test";
import { credential, type Credential } from "#core/channel.ts";
import { GatewayError } from "#core/error.ts";
import type { OwnRequest } from "./cooldowns.ts";
import { Health } from "./health.ts";
import { aChannel } from "#test/a-channel.ts";

function setup(credentials = 1) {
  let now = 1_000;
  const clock = { now: () => now, monotonic: () => now };
  const channel = aChannel({
    credentials: Array.from({ length: credentials }, (_, i) => credential(`secret-number-${i}`)),
    maxConcurrent: 100,
  });
  const doubts: Credential[] = [];
  const health = new Health(clock, (_, each) => void doubts.push(each));
  const to = { channel, upstreamModel: "m" };
  const [first, second] = channel.credentials;
  const call = (error?: GatewayError, at = to): void => health.enter(at, first).leave(error);
  const cool = (error: GatewayError, by = ANN, each = first): void => {
    if (each !== undefined) health.cool(to, each, error, by);
  };
  const wait = (ms: number): void => void (now += ms);
  const accept = (kind: OwnRequest = "models") =>
    health.witness(channel, first, kind, async () => "answer");
  /** Refuses one of the gateway's own requests. */
  const own = async (error: GatewayError): Promise<void> => {
    const request = health.witness(channel, first, "models", () => Promise.reject(error));
    await request.catch((cause: unknown) => expect(cause).toBe(error));
  };
  return { channel, to, health, call, cool, first, second, wait, doubts, accept, own };
}

const ANN = { id: 1, userId: 1 };
const BEN = { id: 2, userId: 2 };
/** Another key of Ann's. */
const ANN_TOO = { id: 3, userId: 1 };
const NO_VALUES: ReadonlySet<Credential> = new Set();

const gone = new GatewayError("upstream_unreachable", "");
const broken = new GatewayError("upstream_failed", "");
const limited = (retryAfterMs?: number): GatewayError =>
  new GatewayError("upstream_rate_limited", "", retryAfterMs === undefined ? {} : { retryAfterMs });

describe("a channel", () => {
  test("with five failures in a row has its circuit opened", () => {
    const { to, health, call } = setup();

    for (let i = 0; i < 4; i++) call(broken);
    expect(health.mayTry(to)).toBe(true);

    call(broken);
    expect(health.mayTry(to)).toBe(false);
  });

  test("with half of its many calls failed has its circuit opened, but not twice in a row", () => {
    const { channel, health, call } = setup();

    for (let i = 0; i < 10; i++) {
      call();
      call(broken);
    }

    expect(health.state(channel)).toBe("open");
  });

  test("with old failures only keeps its circuit closed", () => {
    const { to, health, call, wait } = setup();

    for (let i = 0; i < 9; i++) {
      call();
      call(broken);
    }
    wait(20_000);
    call();
    call(broken);

    expect(health.mayTry(to)).toBe(true);
  });

  test("is probed by one call after its cooldown, and used by all if that one succeeds", () => {
    const { to, health, call, wait } = setup();
    for (let i = 0; i < 5; i++) call(broken);
    wait(5_001);

    expect(health.mayTry(to)).toBe(true);
    const probe = health.enter(to);
    expect(health.mayTry(to)).toBe(false);

    probe.leave();
    expect(health.mayTry(to)).toBe(true);
  });

  test("is probed by another call if the first one takes very long", () => {
    const { to, health, call, wait } = setup();
    for (let i = 0; i < 5; i++) call(broken);
    wait(5_001);
    health.enter(to);
    wait(4_000);
    expect(health.mayTry(to)).toBe(false);

    wait(1_001);
    expect(health.mayTry(to)).toBe(true);
  });

  test("is probed again if the client of the probe disconnects", () => {
    const { to, health, call, wait } = setup();
    for (let i = 0; i < 5; i++) call(broken);
    wait(5_001);

    health.enter(to).leave(new GatewayError("canceled", ""));

    expect(health.mayTry(to)).toBe(true);
    expect(health.state(to.channel)).toBe("half-open");
  });

  test("counts a call once, at its end", () => {
    const { to, health } = setup();

    for (let i = 0; i < 5; i++) {
      const visit = health.enter(to);
      expect(health.mayTry(to)).toBe(true);
      visit.leave(broken);
      visit.leave();
    }

    expect(health.mayTry(to)).toBe(false);
    expect(health.inFlight(to.channel)).toBe(0);
  });

  test("that failed stays open although earlier calls succeed", () => {
    const { to, health, call } = setup();
    const long = [health.enter(to), health.enter(to)];
    for (let i = 0; i < 5; i++) call(broken);

    for (const each of long) each.leave();

    expect(health.mayTry(to)).toBe(false);
  });

  test("that fails for one model serves the others", () => {
    const { to, channel, health, call } = setup();
    for (let i = 0; i < 50; i++) call(broken);

    expect(health.mayTry(to)).toBe(false);
    expect(health.mayTry({ channel, upstreamModel: "another" })).toBe(true);
    expect(health.state(channel)).toBe("open");
  });

  test("that is unreachable is skipped for all its models", () => {
    const { channel, health, call } = setup();
    for (let i = 0; i < 5; i++) call(gone, { channel, upstreamModel: `m${i}` });

    expect(health.mayTry({ channel, upstreamModel: "another" })).toBe(false);
  });

  test("that responds at all is reachable, and a client's disconnect says nothing about it", () => {
    const refusing = setup();
    for (let i = 0; i < 4; i++) refusing.call(gone);
    const vendor = { status: 400, code: "", message: "no" };
    refusing.call(new GatewayError("upstream_rejected", "", { vendor }));
    refusing.call(gone);
    expect(refusing.health.mayTry(refusing.to)).toBe(true);

    const silent = setup();
    for (let i = 0; i < 4; i++) silent.call(gone);
    silent.call(new GatewayError("canceled", ""));
    silent.call(gone);
    expect(silent.health.mayTry(silent.to)).toBe(false);
  });

  test("that failed is still used by a call without another channel", () => {
    const { to, health, call } = setup();
    for (let i = 0; i < 5; i++) call(broken);

    expect(health.mayTryAnyway(to, ANN)).toBe(true);
  });

  test("has its circuit opened again if the probe fails", () => {
    const { to, health, call, wait } = setup();
    for (let i = 0; i < 5; i++) call(broken);
    wait(5_001);
    call(broken);

    expect(health.mayTry(to)).toBe(false);
    expect(health.waitMs([to])).toBeGreaterThan(4_000);
  });

  test("without a credential reports how long its circuit stays open", () => {
    const { to, health, call } = setup(0);
    for (let i = 0; i < 5; i++) call(broken);

    expect(health.waitMs([to])).toBe(5_000);
  });

  test("is not blamed for errors of its clients", () => {
    const { channel, health, call } = setup();

    for (let i = 0; i < 50; i++) call(new GatewayError("upstream_rejected", ""));
    for (let i = 0; i < 50; i++) call(new GatewayError("canceled", ""));

    expect(health.state(channel)).toBe("closed");
  });

  test("accepts no more concurrent calls than its limit", () => {
    const { channel, to, health } = setup();

    const visits = Array.from({ length: channel.maxConcurrent }, () => health.enter(to));
    expect(health.mayTry(to)).toBe(false);
    expect(health.mayTryAnyway(to, ANN)).toBe(false);

    visits[0]?.leave();
    expect(health.mayTry(to)).toBe(true);
  });
});

describe("the state of a channel", () => {
  test("is empty before its first call", () => {
    const { channel, health } = setup();

    expect(health.state(channel)).toBe("closed");
    expect(health.inFlight(channel)).toBe(0);
  });

  test("includes the number of running calls", () => {
    const { channel, to, health } = setup();
    const visit = health.enter(to);
    health.enter(to);
    visit.leave();

    expect(health.inFlight(channel)).toBe(1);
  });

  test("is reset by an operator, with its circuits and its cooldowns", () => {
    const { channel, to, health, call, cool } = setup();
    for (let i = 0; i < 5; i++) call(gone);
    for (let i = 0; i < 5; i++) call(broken, { channel, upstreamModel: "another" });
    cool(limited(8_000));

    health.forgetAll();

    expect(health.mayTry(to)).toBe(true);
    expect(health.mayTry({ channel, upstreamModel: "another" })).toBe(true);
    expect(health.state(channel)).toBe("closed");
  });

  test("is reset if the channel's address changes, and not otherwise", () => {
    const { channel, to, health, call } = setup();
    for (let i = 0; i < 5; i++) call(gone);
    for (let i = 0; i < 5; i++) call(broken);

    health.retain([channel]);
    expect(health.mayTry(to)).toBe(false);
    const moved = { ...channel, baseUrl: "https://elsewhere.example/v1" };
    health.retain([moved]);

    expect(health.mayTry({ ...to, channel: moved })).toBe(true);
  });

  test("ignores calls that were planned for the old address", () => {
    const { channel, to, health, call } = setup();
    const moved = { ...channel, baseUrl: "https://elsewhere.example/v1" };
    health.mayTry(to);
    health.retain([moved]);

    for (let i = 0; i < 5; i++) call(gone);
    expect(health.state(moved)).toBe("closed");
    for (let i = 0; i < 5; i++) call(gone, { ...to, channel: moved });
    expect(health.state(moved)).toBe("open");
  });

  test("is removed with the channel, after its last call", () => {
    const { channel, to, health, call } = setup();
    const other = { ...channel, name: "another" };
    for (let i = 0; i < 5; i++) call(broken);
    for (let i = 0; i < 5; i++) call(broken, { ...to, channel: other });
    const visit = health.enter(to);

    health.retain([other]);
    expect(health.inFlight(channel)).toBe(1);
    expect(health.state(channel)).toBe("open");
    visit.leave(new GatewayError("canceled", ""));
    health.retain([other]);

    expect(health.state(channel)).toBe("closed");
    expect(health.state(other)).toBe("open");
  });

  test("is kept for a thousand models, and the oldest is evicted", () => {
    const { channel, to, health, call } = setup();
    for (let i = 0; i < 5; i++) call(broken);
    for (let i = 1; i < 1_000; i++) call(undefined, { channel, upstreamModel: `model ${i}` });
    expect(health.mayTry(to)).toBe(false);

    call(undefined, { channel, upstreamModel: "one more" });

    expect(health.mayTry(to)).toBe(true);
  });
});

describe("credentials", () => {
  test("that were tried are not tried again by the same call", () => {
    const { to, health, first, second } = setup(2);
    if (first === undefined || second === undefined) throw new Error("There are two.");

    expect(health.pick(to, new Set([first]))).toBe(second);
    expect(health.pick(to, new Set([first, second]))).toBeUndefined();
    expect(health.pickAnyway(to, new Set([first, second]), ANN)).toBeUndefined();
  });

  test("in cooldown make a client wait for the first available one, on any channel", () => {
    const { channel, to, health, cool, second } = setup(2);
    cool(limited(20_000));
    cool(limited(8_000), ANN, second);
    const other = { ...channel, name: "another" };
    for (const each of channel.credentials) {
      health.cool({ ...to, channel: other }, each, limited(15_000), ANN);
    }

    expect(health.waitMs([to, { ...to, channel: other }])).toBe(8_000);
    expect(health.waitMs([{ ...to, channel: other }, to])).toBe(8_000);
  });

  test("stay in cooldown if the next call fails", () => {
    const { to, health, call, cool, wait } = setup();
    cool(limited(8_000));
    wait(1);
    call(broken);

    expect(health.mayTry(to)).toBe(false);
  });

  test("stay in cooldown if a call that began in the same millisecond is answered", () => {
    const { to, health, call, cool } = setup();
    cool(limited(8_000));
    call();

    expect(health.mayTry(to)).toBe(false);
  });

  test("that succeed right after their cooldown need a second user's refusal again", () => {
    const { to, health, call, cool, wait } = setup();
    cool(limited(8_000));
    cool(limited(8_000), BEN);
    wait(8_000);
    call();

    cool(limited(8_000), BEN);

    expect(health.mayTryAnyway(to, ANN)).toBe(true);
  });

  test("are blocked for a hundred keys separately, and for the next one alone", () => {
    const { to, health, cool } = setup();
    const keys = Array.from({ length: 101 }, (_, id) => ({ id, userId: 1 }));
    const last = { id: 100, userId: 1 };
    for (const key of keys.slice(0, 100)) cool(limited(8_000), key);
    expect(health.mayTryAnyway(to, { id: 0, userId: 1 })).toBe(false);

    cool(limited(8_000), last);

    expect(health.mayTryAnyway(to, { id: 0, userId: 1 })).toBe(true);
    expect(health.mayTryAnyway(to, last)).toBe(false);
  });

  test("are used in turn", () => {
    const { channel, to, health } = setup(3);
    const picked = Array.from({ length: 6 }, () => {
      const each = health.pick(to, new Set());
      health.turn(channel);
      return each;
    });

    expect(new Set(picked).size).toBe(3);
    expect(picked.slice(0, 3)).toEqual(picked.slice(3));
  });

  test("are not used for as long as the vendor requested", () => {
    const { to, health, cool, first, second, wait } = setup(2);
    cool(limited(10_000));

    expect(health.pick(to, NO_VALUES)).toBe(second);
    wait(10_001);
    expect(health.pick(to, NO_VALUES)).toBe(first);
  });

  test("in cooldown for one model serve the others", () => {
    const { channel, to, health, cool } = setup();
    cool(limited(8_000));

    expect(health.mayTry(to)).toBe(false);
    expect(health.mayTry({ channel, upstreamModel: "another" })).toBe(true);
  });

  test("that are all in cooldown make the channel unavailable, with the time to retry", () => {
    const { channel, to, health, cool } = setup(2);
    for (const each of channel.credentials) cool(limited(8_000), ANN, each);

    expect(health.mayTry(to)).toBe(false);
    expect(health.waitMs([to])).toBe(8_000);
  });

  test("limited for one user are another user's last resort", () => {
    const { to, health, cool, first } = setup();
    cool(limited(8_000));

    expect(health.mayTryAnyway(to, ANN)).toBe(false);
    expect(health.pickAnyway(to, NO_VALUES, BEN)).toBe(first);
    expect(health.waitMs([to], ANN)).toBe(8_000);
    expect(health.waitMs([to], BEN)).toBe(1_000);
  });

  test("limited for two users are in cooldown for all users", () => {
    const { to, health, cool } = setup();
    cool(limited(8_000));
    cool(limited(8_000), BEN);

    expect(health.mayTryAnyway(to, { id: 9, userId: 9 })).toBe(false);
  });

  test("are blocked for other users for a minute at most", () => {
    const { to, health, cool } = setup();
    cool(limited(3_600_000));
    cool(limited(3_600_000), BEN);

    expect(health.waitMs([to])).toBe(60_000);
  });

  test("that answered another user meanwhile are available again", () => {
    const { to, health, call, cool, wait } = setup();
    cool(limited(8_000));
    wait(1);
    call();

    expect(health.mayTry(to)).toBe(true);
  });

  test("stay in cooldown if a call from before the limit succeeds", () => {
    const { to, first, health, cool, wait } = setup();
    const early = health.enter(to, first);
    wait(1);
    cool(limited(8_000));
    early.leave();

    expect(health.mayTry(to)).toBe(false);
  });

  test("of a refused account are skipped for all users, for a minute", () => {
    const { to, health, cool, wait } = setup();
    cool(new GatewayError("upstream_auth", ""));

    expect(health.mayTryAnyway(to, BEN)).toBe(false);
    expect(health.cooldownCause(to, BEN)?.code).toBe("upstream_auth");
    wait(60_000);
    expect(health.mayTry(to)).toBe(true);
    expect(health.cooldownCause(to, BEN)).toBeUndefined();
  });

  describe.each(["upstream_refused", "upstream_denied"] as const)(
    "credentials that are refused with %s",
    (code) => {
      const refused = new GatewayError(code, "");

      test("are skipped if a second user gets the same", () => {
        const { to, health, cool } = setup();
        cool(refused);
        expect(health.mayTry(to)).toBe(true);

        cool(refused, BEN);
        expect(health.mayTry(to)).toBe(false);
        expect(health.mayTryAnyway(to, ANN)).toBe(false);
      });

      test("stay in use although one user gets it again and again, with any key", () => {
        const { to, health, cool } = setup();
        for (let i = 0; i < 10; i++) cool(refused, i % 2 === 0 ? ANN : ANN_TOO);

        expect(health.mayTry(to)).toBe(true);
      });

      test("are skipped if the vendor refuses the gateway's own request, too, before or after", async () => {
        for (const isBefore of [true, false]) {
          const { to, health, cool, own, accept } = setup();
          await accept();
          if (isBefore) await own(refused);
          cool(refused);
          if (!isBefore) await own(refused);

          expect(health.mayTryAnyway(to, ANN)).toBe(false);
        }
      });

      test("stay in use for all if the gateway's own requests are accepted or fail otherwise", async () => {
        const { to, health, cool, own, accept } = setup();
        cool(refused);
        await accept();
        await own(broken);

        expect(health.mayTry(to)).toBe(true);
      });

      test("stay in use if no call was refused within a minute of the gateway's own refusal", async () => {
        const { to, health, cool, own, accept, wait } = setup();
        await accept();
        cool(refused);
        wait(60_001);
        await own(refused);
        expect(health.mayTry(to)).toBe(true);

        wait(60_001);
        cool(refused);
        expect(health.mayTry(to)).toBe(true);
      });

      test("stay in use if calls are answered although the gateway's own requests are refused", async () => {
        const { to, health, call, cool, own, accept, wait } = setup();
        await accept();
        await own(refused);
        wait(1);
        call();
        cool(refused);
        await own(refused);
        expect(health.mayTry(to)).toBe(true);

        await accept();
        await own(refused);
        expect(health.mayTry(to)).toBe(false);
      });

      test("are skipped if the gateway's own request is refused exactly a minute away", async () => {
        for (const isBefore of [true, false]) {
          const { to, health, cool, own, accept, wait } = setup();
          await accept();
          if (isBefore) await own(refused);
          else cool(refused);
          wait(60_000);
          if (isBefore) cool(refused);
          else await own(refused);

          expect(health.mayTry(to)).toBe(false);
        }
      });

      test("stay in use if the gateway's own request was accepted since, but not if another one was", async () => {
        const { to, health, cool, own, accept } = setup();
        await accept();
        await own(refused);
        await accept();
        cool(refused);
        expect(health.mayTry(to)).toBe(true);

        await own(refused);
        health.forgetAll();
        await accept();
        await own(refused);
        await accept("balance");
        cool(refused);
        expect(health.mayTry(to)).toBe(false);
      });

      test("are skipped although a call that began before the own refusal is answered", async () => {
        const { to, health, cool, first, own, accept, wait } = setup();
        await accept();
        const early = health.enter(to, first);
        wait(1);
        await own(refused);
        early.leave();
        cool(refused);

        expect(health.mayTry(to)).toBe(false);
      });

      test("stay in use if the calls met a rate limit only", async () => {
        const { to, health, cool, own, accept, wait } = setup();
        await accept();
        cool(limited(1_000));
        await own(refused);
        wait(1_000);

        expect(health.mayTry(to)).toBe(true);
      });

      test("raise a doubt until a second witness agrees", async () => {
        const { health, doubts, cool, own, accept } = setup();
        await accept();
        cool(refused);
        cool(limited(1_000));
        cool(refused);
        expect(doubts).toHaveLength(2);

        await own(refused);
        cool(refused);
        expect(doubts).toHaveLength(2);
        health.forgetAll();
      });

      test("stay in use if a call succeeded between two refusals", () => {
        const { to, health, call, cool, wait } = setup();
        cool(refused);
        wait(1);
        call();
        cool(refused, BEN);

        expect(health.mayTry(to)).toBe(true);
      });

      test("are skipped if the second user gets it within a minute", () => {
        const { to, health, cool, wait } = setup();
        cool(refused);
        wait(60_000);
        cool(refused, BEN);

        expect(health.mayTry(to)).toBe(false);
      });

      test("stay in use if the second user gets it much later", () => {
        const { to, health, cool, wait } = setup();
        cool(refused);
        wait(60_001);
        cool(refused, BEN);

        expect(health.mayTry(to)).toBe(true);
      });

      test("for another reason by a second user, stay in use", () => {
        const { to, health, cool } = setup();
        cool(refused);
        cool(
          new GatewayError(code === "upstream_denied" ? "upstream_refused" : "upstream_denied", ""),
          BEN,
        );

        expect(health.mayTry(to)).toBe(true);
      });
    },
  );
});

describe("a refusal of the gateway's own request that was never accepted", () => {
  const denied = (reason: string): GatewayError =>
    new GatewayError("upstream_denied", "", { vendor: { status: 401, reason } });
  const refused = new GatewayError("upstream_refused", "", { vendor: { status: 403 } });

  test.each<[string, GatewayError, boolean]>([
    ["with words about the account", new GatewayError("upstream_auth", ""), false],
    ["with the status of an unknown key", denied("No."), false],
    ["because the key lacks a scope", denied("Missing scopes: api.model.read"), true],
    ["because it is forbidden", refused, true],
  ])("%s", async (_, error, mayTry) => {
    const { to, health, cool, own } = setup();
    cool(new GatewayError("upstream_refused", ""));
    await own(error);

    expect(health.mayTry(to)).toBe(mayTry);
  });
});

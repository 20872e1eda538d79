import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { RateReservation, RateLimiter, RateLimits, Verdict } from "#core/limits.ts";
import { SEED, times } from "#test/seed.ts";

/** A limiter whose time stands still until a test moves it. */
interface LimiterPlace extends AsyncDisposable {
  readonly limiter: RateLimiter;
  pass(ms: number): Promise<void>;
}

const MINUTE_MS = 60_000;
let count = 0;

/** Nobody that any other test knows. */
function newId(): string {
  return `key:${++count}`;
}

function claimOn(id: string, limits: RateLimits, tokens = 1): RateReservation {
  return { id: `call-${++count}`, bounds: [{ id, limits, tokens }] };
}

/** What every limiter has to be; `open` is given one to itself by each test. */
export function describeLimiter(name: string, open: () => Promise<LimiterPlace>): void {
  describe(`limits ${name}`, () => {
    test("the requests of a minute may arrive together, and the next one gets a time to retry", async () => {
      await using place = await open();
      const id = newId();
      const ask = async (): Promise<Verdict> =>
        await place.limiter.take(claimOn(id, { requestsPerMinute: 3 }));

      const first = [await ask(), await ask(), await ask()];
      const fourth = await ask();
      await place.pass(19_999);
      const early = await ask();
      await place.pass(1);
      const onTime = await ask();
      const next = await ask();

      expect(first.map(({ refusal }) => refusal)).toEqual([undefined, undefined, undefined]);
      expect(first.map(({ statuses }) => statuses[0]?.requests?.remaining)).toEqual([2, 1, 0]);
      expect(fourth.refusal).toMatchObject({ by: "requests" });
      expect(fourth.refusal?.retryAfterMs).toBeCloseTo(20_000, 1);
      expect(early.refusal?.retryAfterMs).toBeCloseTo(1, 1);
      expect(onTime.refusal).toBeUndefined();
      expect(next.refusal).toMatchObject({ by: "requests" });
    });

    test("a look at the limits tells the decision, and takes nothing", async () => {
      await using place = await open();
      const [id, limits] = [newId(), { requestsPerMinute: 1, concurrency: 1 }];
      const bounds = [{ id, limits, tokens: 0 }];

      const before = [await place.limiter.peek(bounds), await place.limiter.peek(bounds)];
      const taken = await place.limiter.take({ id: "call", bounds });
      const after = await place.limiter.peek(bounds);

      expect(before.map(({ refusal }) => refusal)).toEqual([undefined, undefined]);
      expect(taken.refusal).toBeUndefined();
      expect(after.refusal).toMatchObject({ by: "requests", bound: { id } });
    });

    test("an idle bucket holds at most one minute's worth", async () => {
      await using place = await open();
      const id = newId();
      await place.limiter.take(claimOn(id, { requestsPerMinute: 4 }));
      await place.pass(10 * MINUTE_MS);

      const admitted = await admittedOf(place.limiter, 10, id, { requestsPerMinute: 4 }, 1);

      expect(admitted).toHaveLength(4);
    });

    test("fifty concurrent calls are admitted up to the tokens of a minute, by their estimates", async () => {
      await using place = await open();
      const limits = { tokensPerMinute: 100 };
      expect(await admittedOf(place.limiter, 50, newId(), limits, 30)).toHaveLength(3);
      expect(await admittedOf(place.limiter, 50, newId(), limits, 100)).toHaveLength(1);
      expect(await admittedOf(place.limiter, 50, newId(), limits, 1)).toHaveLength(50);
    });

    test("reserved tokens that were not used are released at the end of the call", async () => {
      await using place = await open();
      const [id, limits] = [newId(), { tokensPerMinute: 100 }];
      const reservation = claimOn(id, limits, 90);
      await place.limiter.take(reservation);
      const before = await place.limiter.take(claimOn(id, limits, 80));

      place.limiter.correct(reservation, 20);
      const after = await place.limiter.take(claimOn(id, limits, 80));

      expect(before.refusal).toMatchObject({ by: "tokens" });
      expect(after.refusal).toBeUndefined();
      expect(after.statuses[0]?.tokens).toMatchObject({ limit: 100, remaining: 0 });
    });

    test("tokens used beyond the estimate are subtracted from the following minutes", async () => {
      await using place = await open();
      const [id, limits] = [newId(), { tokensPerMinute: 100 }];
      const reservation = claimOn(id, limits, 10);
      await place.limiter.take(reservation);

      place.limiter.correct(reservation, 250);
      const next = await place.limiter.take(claimOn(id, limits, 10));

      // 150 more than the minute had, and the ten of this call.
      expect(next.refusal?.retryAfterMs).toBeCloseTo(96_000, 1);
      expect(next.statuses[0]?.tokens?.remaining).toBe(0);
    });

    test("a release after the bucket refilled creates no extra credit", async () => {
      await using place = await open();
      const [id, limits] = [newId(), { tokensPerMinute: 100 }];
      const reservation = claimOn(id, limits, 100);
      await place.limiter.take(reservation);
      await place.pass(MINUTE_MS);

      place.limiter.correct(reservation, 0);

      expect(await admittedOf(place.limiter, 50, id, limits, 10)).toHaveLength(10);
    });

    test("no user is blocked for more than an hour by the reported usage of one call", async () => {
      await using place = await open();
      const [id, limits] = [newId(), { tokensPerMinute: 100 }];
      const reservation = claimOn(id, limits, 1);
      await place.limiter.take(reservation);

      place.limiter.correct(reservation, 100_000_000);
      const next = await place.limiter.take(claimOn(id, limits, 1));
      await place.pass(60 * MINUTE_MS);

      expect(next.refusal?.retryAfterMs).toBeLessThanOrEqual(60 * MINUTE_MS);
      expect((await place.limiter.take(claimOn(id, limits, 1))).refusal).toBeUndefined();
    });

    test("a call larger than a minute's limit is refused without a time to retry", async () => {
      await using place = await open();
      const verdict = await place.limiter.take(claimOn(newId(), { tokensPerMinute: 100 }, 101));

      expect(verdict.refusal).toMatchObject({ by: "tokens" });
      expect(verdict.refusal).not.toHaveProperty("retryAfterMs");
    });

    test("a call refused by one limit takes nothing from the others", async () => {
      await using place = await open();
      const [key, user] = [newId(), newId()];
      const limits = { requestsPerMinute: 2, tokensPerMinute: 100, concurrency: 2 };
      const both = (): RateReservation => ({
        id: `call-${++count}`,
        bounds: [
          { id: key, limits, tokens: 10 },
          { id: user, limits: { requestsPerMinute: 1 }, tokens: 0 },
        ],
      });

      const verdicts = [];
      for (let i = 0; i < 5; i++) verdicts.push(await place.limiter.take(both()));
      const alone = await place.limiter.take(claimOn(key, limits, 90));

      expect(verdicts.map(({ refusal }) => refusal?.bound.id)).toEqual([
        undefined,
        user,
        user,
        user,
        user,
      ]);
      expect(alone.refusal).toBeUndefined();
    });

    test("five of fifty concurrent calls run, and a repeated release frees one slot", async () => {
      await using place = await open();
      const [id, limits] = [newId(), { concurrency: 5 }];

      const running = await admittedOf(place.limiter, 50, id, limits, 1);
      expect(running).toHaveLength(5);
      for (const reservation of running.slice(0, 2)) {
        place.limiter.release(reservation);
        place.limiter.release(reservation);
      }
      const more = await admittedOf(place.limiter, 50, id, limits, 1);
      expect(more).toHaveLength(2);
      const refused = await place.limiter.take(claimOn(id, limits));
      expect(refused.refusal).toMatchObject({ by: "concurrency", retryAfterMs: 1_000 });

      for (const reservation of [...running, ...more]) place.limiter.release(reservation);
      expect(await admittedOf(place.limiter, 50, id, limits, 1)).toHaveLength(5);
    });

    test("a later reservation of a call, and its release, keep the call's concurrency slot", async () => {
      await using place = await open();
      const [id, limits] = [newId(), { concurrency: 1 }];
      const first = claimOn(id, limits);
      const later = { ...claimOn(newId(), { requestsPerMinute: 9 }), id: first.id };
      await place.limiter.take(first);
      await place.limiter.take(later);

      place.limiter.correct(later, 0);
      place.limiter.release(later);

      expect(await admittedOf(place.limiter, 5, id, limits, 1)).toHaveLength(0);
      place.limiter.release(first);
      expect(await admittedOf(place.limiter, 5, id, limits, 1)).toHaveLength(1);
    });

    test("a refused client gets the longest wait of all limits", async () => {
      await using place = await open();
      const id = newId();
      const limits = { requestsPerMinute: 60, tokensPerMinute: 60, concurrency: 1 };
      await place.limiter.take(claimOn(id, limits, 50));

      const { refusal } = await place.limiter.take(claimOn(id, limits, 50));

      expect(refusal).toMatchObject({ by: "tokens" });
      expect(refusal?.retryAfterMs).toBeCloseTo(40_000, 1);
    });

    test("the limiter decides like a continuously refilled bucket", async () => {
      await using place = await open();
      await fc.assert(
        fc.asyncProperty(
          fc.integer({ min: 1, max: 90 }),
          fc.integer({ min: 1, max: 90 }),
          fc.array(STEP, { minLength: 1, maxLength: 40 }),
          async (requestsPerMinute, tokensPerMinute, steps) => {
            const id = newId();
            const requests = new Bucket(requestsPerMinute);
            const tokens = new Bucket(tokensPerMinute);
            for (const { waitMs, reserve, use } of steps) {
              await place.pass(waitMs);
              requests.pass(waitMs);
              tokens.pass(waitMs);
              const reservation = claimOn(id, { requestsPerMinute, tokensPerMinute }, reserve);
              const { refusal, statuses } = await place.limiter.take(reservation);

              const isAdmitted = requests.has(1) && tokens.has(reserve);
              expect(refusal === undefined).toBe(isAdmitted);
              if (isAdmitted) {
                requests.take(1);
                tokens.take(reserve);
              }
              expect(statuses[0]?.requests?.remaining).toBe(requests.left);
              expect(statuses[0]?.tokens?.remaining).toBe(tokens.left);
              if (!isAdmitted || use === undefined) continue;
              place.limiter.correct(reservation, use);
              tokens.take(use - reserve);
            }
          },
        ),
        { seed: SEED, numRuns: times(60, 2_000) },
      );
    }, 60_000);
  });
}

const STEP = fc.record({
  waitMs: fc.oneof(fc.integer({ min: 0, max: 500 }), fc.integer({ min: 0, max: 90_000 })),
  reserve: fc.integer({ min: 1, max: 100 }),
  use: fc.option(fc.integer({ min: 0, max: 300 }), { nil: undefined }),
});

async function admittedOf(
  limiter: RateLimiter,
  calls: number,
  id: string,
  limits: RateLimits,
  tokens: number,
): Promise<RateReservation[]> {
  const claims = Array.from({ length: calls }, () => claimOn(id, limits, tokens));
  const verdicts = await Promise.all(claims.map(async (reservation) => limiter.take(reservation)));
  return claims.filter((_, index) => verdicts[index]?.refusal === undefined);
}

/** In drops of a minute's sixty-thousandth, so that all is whole numbers. */
class Bucket {
  readonly #limit: number;
  #drops: number;

  constructor(limit: number) {
    this.#limit = limit;
    this.#drops = limit * MINUTE_MS;
  }

  get left(): number {
    return Math.max(0, Math.floor(this.#drops / MINUTE_MS));
  }

  has(amount: number): boolean {
    return this.#drops >= amount * MINUTE_MS;
  }

  pass(ms: number): void {
    this.#drops = Math.min(this.#limit * MINUTE_MS, this.#drops + ms * this.#limit);
  }

  /** An hour's debt is the most that there is. */
  take(amount: number): void {
    this.pass(0);
    const least = -59 * this.#limit * MINUTE_MS;
    const full = this.#limit * MINUTE_MS;
    this.#drops = Math.min(full, Math.max(least, this.#drops - amount * MINUTE_MS));
  }
}

import { describe, expect, test } from "bun:test";
import { prefixOf } from "#storage/counters/shared.ts";
import { loadPepper } from "#storage/secrets/secrets.ts";
import { askWith, SLOW_MONOTONIC } from "#test/accounts.ts";
import { KEY, openSimulated } from "#test/harness.ts";
import {
  areCountersReachable,
  COUNTERS,
  openScratchCounters,
  type ScratchCounters,
} from "#test/scratch-counters.ts";
import { waitFor } from "#test/wait.ts";

const BODY = { model: "gpt-4o-mini", max_tokens: 20, messages: [{ role: "user", content: "hi" }] };

type Opened = Awaited<ReturnType<typeof openSimulated>>;

function openGateway(secret: string, url: string, limits: string): Promise<Opened> {
  return openSimulated({
    channel: "models: [gpt-4o-mini]",
    yaml: `keys:\n  - { name: limited, key: ${KEY}, limits: { ${limits} } }`,
    env: { SLUICE_SECRET: secret, REDIS_URL: url },
    // On a busy machine the server may take longer than a gateway waits for it.
    clock: { now: () => Date.now(), monotonic: SLOW_MONOTONIC },
  });
}

async function statusOf(opened: Opened, more: object = {}): Promise<number> {
  const answer = await opened.post("/v1/chat/completions", { ...BODY, ...more });
  await answer.text();
  return answer.status;
}

const newSecret = (): string => `secret of this test ${crypto.randomUUID()}`;

/** On a busy machine hashing a few takes longer than the first wait, which so is not over. */
async function lastGuessIsAhead({ keys, send }: ScratchCounters): Promise<void> {
  for (const key of await keys()) {
    if (!key.includes("{logins}") || (await send("TYPE", key)) !== "hash") continue;
    await send("HSET", key, "at", String(Date.now() + 60_000));
  }
}

describe.if(areCountersReachable)("gateways that share a counter server", () => {
  test("share the limits of a key, separate from gateways with another secret", async () => {
    const [secret, strange] = [newSecret(), newSecret()];
    await using _left = await openScratchCounters(prefixOf(loadPepper("", secret)));
    await using _strange = await openScratchCounters(prefixOf(loadPepper("", strange)));
    await using one = await openGateway(secret, COUNTERS, "rpm: 3, tpm: 100000");
    await using two = await openGateway(secret, COUNTERS, "rpm: 3, tpm: 100000");
    await using other = await openGateway(strange, COUNTERS, "rpm: 3, tpm: 100000");

    const statuses = [];
    for (const opened of [one, two, one, two, one]) statuses.push(await statusOf(opened));

    expect(statuses).toEqual([200, 200, 200, 429, 429]);
    expect(await statusOf(other)).toBe(200);
  });

  test("share the delay of failed logins", async () => {
    const secret = newSecret();
    await using left = await openScratchCounters(prefixOf(loadPepper("", secret)));
    await using one = await openGateway(secret, COUNTERS, "rpm: 3");
    await using two = await openGateway(secret, COUNTERS, "rpm: 3");
    const guess = { username: "root", password: "not the password at all" };

    const statuses = [];
    for (const { url } of [one, two, one, two, one, two, one]) {
      statuses.push((await askWith(url)("POST", "/api/user/login", guess)).status);
      await lastGuessIsAhead(left);
    }

    expect(statuses).toEqual([401, 401, 401, 401, 401, 429, 429]);
  });

  test("admit as many concurrent streams as one gateway, and release all slots", async () => {
    const secret = newSecret();
    await using left = await openScratchCounters(prefixOf(loadPepper("", secret)));
    await using one = await openGateway(secret, COUNTERS, "concurrency: 5");
    await using two = await openGateway(secret, COUNTERS, "concurrency: 5");
    const slow = {
      stream: true,
      messages: [{ role: "user", content: "Count to 30 [[fault:slow between_ms=15]]" }],
    };

    for (let round = 0; round < 2; round++) {
      const statuses = await Promise.all(
        Array.from({ length: 50 }, (_, i) => statusOf(i % 2 === 0 ? one : two, slow)),
      );
      expect(statuses.filter((status) => status === 200)).toHaveLength(5);
      // What is given back is not waited for.
      await waitFor(async () => !(await left.keys()).some((key) => key.endsWith(":places")));
    }
  });
});

test("a gateway without its counter server still serves, and applies limits alone", async () => {
  await using opened = await openGateway(newSecret(), "redis://127.0.0.1:1", "rpm: 2");

  const statuses = [];
  for (let i = 0; i < 3; i++) statuses.push(await statusOf(opened));

  expect(statuses).toEqual([200, 200, 429]);
});

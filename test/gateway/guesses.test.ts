import { expect, test } from "bun:test";
import { FREE_TRIES } from "#core/login-limits.ts";
import { systemClock } from "#lib/clock.ts";
import { asRoot, askWith, openWithRoot, PASSWORD, SLOW_MONOTONIC } from "#test/accounts.ts";

test("failed logins by name and by address are counted together, in any spelling", async () => {
  await using opened = await openWithRoot({
    clock: { ...systemClock, monotonic: SLOW_MONOTONIC },
  });
  const root = await asRoot(opened.url);
  const email = "ada@example.com";
  await root("POST", "/api/user", { username: "ada", email, password: PASSWORD });
  const nobody = askWith(opened.url);
  const guess = async (login: object): Promise<number> => {
    const fields = { ...login, password: "a wrong one, surely" };
    return (await nobody("POST", "/api/user/login", fields)).status;
  };

  const spellings = [
    { username: "ada" },
    { email },
    { email: " ADA@example.COM " },
    { username: "Ada" },
  ];
  const statuses: number[] = [];
  for (let each = 0; each <= FREE_TRIES; each++) {
    statuses.push(await guess(spellings[each % spellings.length] ?? {}));
  }

  expect(statuses).toEqual([...Array<number>(FREE_TRIES).fill(401), 429]);
  expect(await guess({ email })).toBe(429);
  expect(await guess({ username: "ada" })).toBe(429);
  expect(await guess({ username: "somebody-else" })).toBe(401);
});

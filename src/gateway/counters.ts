import type { RateLimiter } from "#core/limits.ts";
import type { LoginLimiter } from "#core/login-limits.ts";
import type { ReasoningHomes } from "#core/reasoning-home.ts";
import { InProcessHomes } from "#storage/counters/in-process-homes.ts";
import { InProcessLogins } from "#storage/counters/in-process-logins.ts";
import { InProcessLimiter } from "#storage/counters/in-process.ts";
import { SharedHomes } from "#storage/counters/shared-homes.ts";
import { SharedLogins } from "#storage/counters/shared-logins.ts";
import { prefixOf, SharedLimiter } from "#storage/counters/shared.ts";
import { digestOf } from "#storage/secrets/secrets.ts";
import type { Infrastructure } from "./infrastructure.ts";

type Needs = Pick<Infrastructure, "config" | "log" | "clock" | "pepper" | "deadlines">;

/** Opens the rate limiter: in this process, or on a server that several gateways share. */
export async function openLimiter(
  needs: Needs,
  opened: AsyncDisposableStack,
): Promise<RateLimiter> {
  const local = new InProcessLimiter(needs.clock);
  const server = serverFor("rate limits", needs);
  return server === undefined ? local : opened.use(await SharedLimiter.open({ ...server, local }));
}

/**
 * Opens the store of accounts that answered conversations, in this process or
 * on a shared server.
 */
export async function openHomes(
  needs: Needs,
  opened: AsyncDisposableStack,
): Promise<ReasoningHomes> {
  const local = new InProcessHomes(needs.clock);
  const server = serverFor("accounts of conversations", needs);
  return server === undefined ? local : opened.use(await SharedHomes.open({ ...server, local }));
}

/** Opens the login limiter, in this process or on a shared server. */
export async function openLogins(
  needs: Needs,
  opened: AsyncDisposableStack,
): Promise<LoginLimiter> {
  const local = new InProcessLogins(needs.clock);
  const server = serverFor("logins", needs);
  const digest = (name: string): string => digestOf(`login limits:${name}`, needs.pepper);
  return server === undefined
    ? local
    : opened.use(await SharedLogins.open({ ...server, local, digest }));
}

function serverFor(what: string, { config, log, pepper, deadlines }: Needs) {
  const url = config.settings.redisUrl?.open();
  if (url === undefined) return undefined;
  return {
    url,
    prefix: prefixOf(pepper),
    deadlines,
    onDown: (err: unknown) =>
      log.warn({ err, counters: what }, "Valkey or Redis unreachable: counting in this process"),
    onUp: () => log.info({ counters: what }, "Valkey or Redis reachable again"),
  };
}

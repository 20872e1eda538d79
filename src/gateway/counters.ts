import type { RateLimiter } from "#core/limits.ts";
import type { LoginLimiter } from "#core/login-limits.ts";
import type { ReasoningHomes } from "#core/reasoning-home.ts";
import type { SharedReasoning } from "#core/shared-reasoning.ts";
import { openSeal } from "#lib/seal.ts";
import { InProcessHomes } from "#storage/counters/in-process-homes.ts";
import { InProcessLogins } from "#storage/counters/in-process-logins.ts";
import { InProcessLimiter } from "#storage/counters/in-process.ts";
import { SharedHomes } from "#storage/counters/shared-homes.ts";
import { RemoteReasoning } from "#storage/counters/shared-reasoning.ts";
import { SharedLogins } from "#storage/counters/shared-logins.ts";
import { prefixOf, SharedLimiter } from "#storage/counters/shared.ts";
import { digestOf } from "#storage/secrets/secrets.ts";
import type { Infrastructure } from "./infrastructure.ts";

type Needs = Pick<Infrastructure, "config" | "log" | "clock" | "pepper" | "deadlines">;

/** Opens the rate limiter: in this process, or on a server that several gateways share. */
export function openLimiter(needs: Needs, opened: AsyncDisposableStack): Promise<RateLimiter> {
  const local: RateLimiter = new InProcessLimiter(needs.clock);
  const open = (server: Server) => SharedLimiter.open({ ...server, local });
  return sharedOr(local, open, serverFor("rate limits", needs), opened);
}

/** Opens the store of accounts that answered conversations. */
export function openHomes(needs: Needs, opened: AsyncDisposableStack): Promise<ReasoningHomes> {
  const local: ReasoningHomes = new InProcessHomes(needs.clock);
  const open = (server: Server) => SharedHomes.open({ ...server, local });
  return sharedOr(local, open, serverFor("accounts of conversations", needs), opened);
}

/** Opens the store of reasoning that gateways share; undefined if there is no server for it. */
export async function openSharedReasoning(
  needs: Needs,
  opened: AsyncDisposableStack,
): Promise<SharedReasoning | undefined> {
  const server = serverFor("reasoning of conversations", needs);
  if (server === undefined) return undefined;
  const digest = (name: string): string => digestOf(`reasoning:${name}`, needs.pepper);
  const seal = openSeal(needs.pepper, "sluice: shared reasoning");
  return opened.use(await RemoteReasoning.open({ ...server, digest, seal }));
}

/** Opens the login limiter. */
export function openLogins(needs: Needs, opened: AsyncDisposableStack): Promise<LoginLimiter> {
  const local: LoginLimiter = new InProcessLogins(needs.clock);
  const digest = (name: string): string => digestOf(`login limits:${name}`, needs.pepper);
  const open = (server: Server) => SharedLogins.open({ ...server, local, digest });
  return sharedOr(local, open, serverFor("logins", needs), opened);
}

/** The counters on the shared server, or those of this process if none is configured. */
async function sharedOr<T>(
  local: T,
  open: (server: Server) => Promise<T & Disposable>,
  server: Server | undefined,
  opened: AsyncDisposableStack,
): Promise<T> {
  return server === undefined ? local : opened.use(await open(server));
}

type Server = NonNullable<ReturnType<typeof serverFor>>;

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

import { lookup, Resolver } from "node:dns/promises";

/** All IPv4 and IPv6 addresses of a name. */
export type ResolveHost = (host: string, signal: AbortSignal) => Promise<readonly string[]>;

/**
 * Shorter than the guard's own limit, so that a missing answer for one address
 * family does not lose the other.
 */
const TIMEOUT_MS = 1_800;

/**
 * Queries the name servers directly. A name from an untrusted URL must not use
 * the hosts file, and a slow zone must not block a thread of the system's
 * resolver.
 */
export function hostResolver(servers?: readonly string[]): ResolveHost {
  return async (host, signal) => {
    const dns = new Resolver({ timeout: 1_000, tries: 2 });
    if (servers !== undefined) dns.setServers(servers);
    const cancel = () => dns.cancel();
    const timer = setTimeout(cancel, TIMEOUT_MS);
    signal.addEventListener("abort", cancel, { once: true });
    try {
      const answers = await Promise.allSettled([dns.resolve4(host), dns.resolve6(host)]);
      return answers.flatMap((answer) => (answer.status === "fulfilled" ? answer.value : []));
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", cancel);
    }
  };
}

/** Resolves like this machine, including the hosts file: for names that the operator configured. */
export const resolveAsSystem = async (host: string): Promise<readonly string[]> => {
  const found = await lookup(host, { all: true });
  return found.map(({ address }) => address);
};

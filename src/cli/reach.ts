import { ConfigError } from "#config/mistakes.ts";
import type { Config } from "#config.ts";
import { hostUrl } from "#lib/host-url.ts";
import { connectToServer, Refused, type ApiClient } from "./client.ts";

interface ReachInput {
  readonly env: Readonly<Record<string, string | undefined>>;
  loadConfig(): Config;
  /** Opens the database without a server, as root. */
  openOffline(config: Config): Promise<ApiClient>;
}

/**
 * Connects to the gateway of `SLUICE_URL`, or else to the gateway of the local
 * configuration; if that does not run, opens its database.
 */
export async function openApiClient({
  env,
  loadConfig,
  openOffline,
}: ReachInput): Promise<ApiClient> {
  try {
    const named = env["SLUICE_URL"];
    const config = named === undefined ? loadConfig() : undefined;
    const url = named ?? urlOf(config?.settings);
    const server = await connectToServer(url, env["SLUICE_TOKEN"]);
    if (server !== undefined) return server;
    if (config === undefined) throw new Refused(`No gateway answers at ${url}.`);
    return await openOffline(config);
  } catch (cause) {
    if (cause instanceof Refused) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Refused(
      cause instanceof ConfigError ? why : `Cannot open the gateway or its database: ${why}`,
      {
        cause,
      },
    );
  }
}

export function urlOf(settings: Config["settings"] | undefined): string {
  const { host = "127.0.0.1", port = 8080 } = settings ?? {};
  const isAny = host === "0.0.0.0" || host === "::";
  return hostUrl(isAny ? "127.0.0.1" : host, port);
}

import { credential, type Channel, type ChannelOptions } from "#core/channel.ts";
import { PROVIDERS } from "#providers/index.ts";

const DEFAULT_CHANNEL = { models: { kind: "discover" }, priority: 0, weight: 1 } as const;

/** A channel for each vendor whose API key variable is set, without further configuration. */
export function channelsFromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  maxConcurrent: number,
): readonly Channel[] {
  return PROVIDERS.flatMap((provider) => {
    const given = provider.keyVariable === undefined ? undefined : env[provider.keyVariable];
    // Secrets from files often end with a line break, which is not part of them.
    const secret = given?.trim() ?? "";
    if (secret === "" || provider.baseUrl === undefined) return [];
    return {
      ...DEFAULT_CHANNEL,
      name: provider.id,
      provider: provider.id,
      baseUrl: provider.baseUrl,
      credentials: [credential(secret)],
      maxConcurrent,
      isSimulated: false,
    };
  });
}

/** The address of a simulated vendor, and its credential. */
export interface SimulatedVendor {
  readonly baseUrl: string;
  readonly secret: string;
  readonly options?: ChannelOptions;
}

/** The built-in simulator, as one channel per simulated vendor. */
export function simulatedChannels(
  vendors: Readonly<Record<string, SimulatedVendor>>,
  maxConcurrent: number,
): readonly Channel[] {
  return Object.entries(vendors).map(([provider, { secret, ...at }]) => ({
    ...DEFAULT_CHANNEL,
    ...at,
    name: `simulated-${provider}`,
    provider,
    credentials: [credential(secret)],
    maxConcurrent,
    isSimulated: true,
  }));
}

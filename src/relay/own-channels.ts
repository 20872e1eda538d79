import { credential, type Channel } from "#core/channel.ts";
import { PROVIDERS } from "#providers/index.ts";

const PLAIN = { models: { kind: "discover" }, priority: 0, weight: 1 } as const;

/** A channel for each vendor whose well-known variable is set, with nothing else to configure. */
export function channelsFromEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  maxConcurrent: number,
): readonly Channel[] {
  return PROVIDERS.flatMap((provider) => {
    const given = provider.keyVariable === undefined ? undefined : env[provider.keyVariable];
    // Mounted secrets and files of variables often end in a line break, which is no part of it.
    const secret = given?.trim() ?? "";
    if (secret === "" || provider.baseUrl === undefined) return [];
    return {
      ...PLAIN,
      name: provider.id,
      provider: provider.id,
      baseUrl: provider.baseUrl,
      credentials: [credential(secret)],
      maxConcurrent,
      isSimulated: false,
    };
  });
}

/** The built-in simulator, as a channel for each vendor that it plays. */
export function simulatedChannels(
  baseUrls: Readonly<Record<string, string>>,
  /** Taken by all of them; those whose requests are signed take no other. */
  secret: string,
  maxConcurrent: number,
): readonly Channel[] {
  return Object.entries(baseUrls).map(([provider, baseUrl]) => ({
    ...PLAIN,
    name: `simulated-${provider}`,
    provider,
    baseUrl,
    credentials: [credential(secret)],
    maxConcurrent,
    isSimulated: true,
  }));
}

import type { Channel } from "#core/channel.ts";

/** A channel without a credential, which asks its upstream for its models. */
export function aChannel(change: Partial<Channel> = {}): Channel {
  return {
    name: "one",
    provider: "openai",
    baseUrl: "https://vendor.example/v1",
    credentials: [],
    models: { kind: "discover" },
    priority: 0,
    weight: 1,
    maxConcurrent: 1,
    isSimulated: false,
    ...change,
  };
}

import { startSandbox, type Sandbox } from "@sluice/sandbox/server.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";
import { channelOf, UPSTREAMS } from "#test/matrix/upstreams.ts";

/** An upstream of each wire format, one that only speaks chats, and one behind an adapter. */
const PLACES: readonly { id: string; model: string; yaml: (sandboxUrl: string) => string }[] = [
  ...UPSTREAMS.map((upstream) => ({
    id: upstream.id,
    model: upstream.model,
    yaml: (url: string) => channelOf(upstream, url),
  })),
  {
    id: "a vendor that only speaks chats",
    model: "qwen-plus",
    yaml: (url) => `channels:
  - { name: one, provider: dashscope, base_url: "${url}/dashscope/compatible-mode/v1", api_key: k, models: [qwen-plus] }`,
  },
  {
    id: "an adapter",
    model: "claude-sonnet-4-5-20250929",
    yaml: (url) => `channels:
  - name: one
    provider: ai-sdk
    base_url: ${url}/anthropic/v1
    api_key: k
    options: { package: "@ai-sdk/anthropic" }
    models: [claude-sonnet-4-5-20250929]`,
  },
];

export const UPSTREAM_IDS = PLACES.map(({ id }) => id);

export interface Place extends AsyncDisposable {
  readonly model: string;
  readonly sandbox: Sandbox;
  readonly gateway: TestGateway;
}

export async function openPlace(
  id: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Place> {
  const place = PLACES.find((each) => each.id === id);
  if (place === undefined) throw new Error(`There is no upstream '${id}'.`);
  const sandbox = await startSandbox();
  const gateway = await openTestGateway({ yaml: place.yaml(sandbox.url), env });
  return {
    model: place.model,
    sandbox,
    gateway,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]();
      await sandbox.stop();
    },
  };
}

import type { Clock } from "#lib/clock.ts";
import { startSandbox } from "@sluice/sandbox/server.ts";
import { openTestGateway, type TestGateway } from "#test/harness.ts";

/** A channel for each simulated vendor that the clients' steps need, and the models they name. */
const CHANNELS = [
  {
    provider: "openai",
    path: "/openai/v1",
    models: [
      "gpt-4o-mini",
      "gpt-5-mini",
      "gpt-image-1",
      "dall-e-3",
      "text-embedding-3-small",
      "sora-2",
    ],
  },
  {
    provider: "anthropic",
    path: "/anthropic/v1",
    models: ["claude-sonnet-4-5-20250929", "claude-haiku-4-5-20251001"],
  },
  {
    provider: "gemini",
    path: "/gemini/v1beta",
    models: [
      "gemini-2.5-flash",
      "gemini-2.5-flash-image",
      "gemini-embedding-001",
      "imagen-4.0-generate-001",
      "veo-3.1-generate-preview",
    ],
  },
  {
    provider: "ark",
    path: "/ark/api/v3",
    models: [
      "doubao-seed-1-6-250615",
      "doubao-seedream-4-0-250828",
      "doubao-seedance-1-0-pro-250528",
    ],
  },
] as const;

/** A gateway in front of the simulators, whose videos are made at once. */
export async function openClientsGateway(
  env: Readonly<Record<string, string>> = {},
  clock?: Clock,
): Promise<TestGateway> {
  const sandbox = await startSandbox({ tasks: { queuedMs: 0, runningMs: 0 } });
  const channels = CHANNELS.map(
    ({ provider, path, models }) =>
      `  - { name: ${provider}, provider: ${provider}, base_url: "${sandbox.url}${path}", ` +
      `api_key: upstream-secret-of-the-operator, models: [${models.join(", ")}] }`,
  );
  const opened = await openTestGateway({
    yaml: `channels:\n${channels.join("\n")}\n`,
    env,
    ...(clock === undefined ? {} : { clock }),
  });
  return {
    ...opened,
    async [Symbol.asyncDispose]() {
      await opened[Symbol.asyncDispose]();
      await sandbox.stop();
    },
  };
}

import { readingPrompt, type Agent } from "#test/agents/agent.ts";

/**
 * Brings a client of its own making. The other styles are left out: which of
 * OpenAI's two it speaks depends on the model's name, and the native one goes
 * nowhere but to its vendor.
 */
export const continueCli: Agent = {
  id: "continue",
  style: "messages",
  release: { package: "@continuedev/cli", version: "1.5.47", programs: [".bin/cn"] },
  launch: ({ url, key, model, home, file }) => ({
    args: ["--config", `${home}/config.yaml`, "--auto", "--print", readingPrompt(file)],
    env: {
      CONTINUE_METRICS_ENABLED: "0",
      CONTINUE_CLI_ENABLE_TELEMETRY: "0",
      CONTINUE_CLI_AUTO_UPDATED: "true",
    },
    files: {
      "config.yaml": `name: gateway
version: 1.0.0
schema: v1
models:
  - name: gateway
    provider: anthropic
    model: ${model}
    apiBase: ${url}/v1/
    apiKey: ${key}
    roles: [chat]
`,
    },
  }),
};

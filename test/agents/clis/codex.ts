import { commandPrompt, type Agent } from "#test/agents/agent.ts";

/** Speaks nothing but responses, and has no tool for files but a shell. */
export const codex: Agent = {
  id: "codex",
  style: "responses",
  release: { package: "@openai/codex", version: "0.169.0", programs: [".bin/codex"] },
  launch: ({ url, key, model, file }) => ({
    args: [
      "exec",
      "--skip-git-repo-check",
      "--dangerously-bypass-approvals-and-sandbox",
      commandPrompt(file),
    ],
    env: { GATEWAY_KEY: key },
    files: {
      ".codex/config.toml": `model = "${model}"
model_provider = "gateway"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.gateway]
name = "gateway"
base_url = "${url}/v1"
env_key = "GATEWAY_KEY"
wire_api = "responses"
`,
    },
  }),
};

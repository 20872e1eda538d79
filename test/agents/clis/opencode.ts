import { readingPrompt, type Agent } from "#test/agents/agent.ts";

/** Each style is another of the provider packages that are built into it. */
export const opencode: readonly Agent[] = [
  withProvider("@ai-sdk/openai-compatible", "chat", "/v1"),
  withProvider("@ai-sdk/openai", "responses", "/v1"),
  withProvider("@ai-sdk/anthropic", "messages", "/v1"),
  withProvider("@ai-sdk/google", "gemini", "/v1beta"),
];

function withProvider(npm: string, style: string, path: string): Agent {
  return {
    id: `opencode ${style}`,
    style,
    release: { package: "opencode-ai", version: "1.18.33", programs: programs() },
    launch: ({ url, key, model, file }) => ({
      args: ["run", "--model", `gateway/${model}`, readingPrompt(file)],
      env: {
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
      },
      files: {
        ".config/opencode/opencode.json": JSON.stringify({
          autoupdate: false,
          share: "disabled",
          permission: "allow",
          provider: {
            gateway: {
              npm,
              name: "gateway",
              options: { baseURL: url + path, apiKey: key },
              models: { [model]: { name: model } },
            },
          },
        }),
      },
    }),
  };
}

/** Its command is put in place by an install script; the platform's package holds the same program. */
function programs(): readonly string[] {
  const platform = `opencode-${process.platform}-${process.arch}`;
  const variants = ["", "-baseline", "-musl", "-baseline-musl"];
  return variants.map((variant) => `${platform}${variant}/bin/opencode`);
}

import { readingPrompt, type Agent } from "#test/agents/agent.ts";

export const pi: readonly Agent[] = [
  withApi("openai-completions", "chat", "/v1"),
  withApi("openai-responses", "responses", "/v1"),
  withApi("anthropic-messages", "messages", ""),
  withApi("google-generative-ai", "gemini", "/v1beta"),
];

function withApi(api: string, style: string, path: string): Agent {
  return {
    id: `pi ${style}`,
    style,
    release: {
      package: "@mariozechner/pi-coding-agent",
      version: "0.73.1",
      programs: [".bin/pi"],
    },
    launch: ({ url, key, model, file }) => ({
      args: ["--print", "--no-session", "--model", `gateway/${model}`, readingPrompt(file)],
      env: { PI_OFFLINE: "1", PI_TELEMETRY: "0", GATEWAY_KEY: key },
      files: {
        ".pi/agent/models.json": JSON.stringify({
          providers: {
            gateway: {
              baseUrl: url + path,
              api,
              apiKey: "GATEWAY_KEY",
              models: [{ id: model }],
            },
          },
        }),
      },
    }),
  };
}

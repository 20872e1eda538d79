import { readingPrompt, type Agent, type Task } from "#test/agents/agent.ts";

/** One program that speaks all four styles; its name for each. */
export const qwenCode: readonly Agent[] = [
  inMode("openai", "chat", ({ url, key }) => ({
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: key,
  })),
  inMode("openai-responses", "responses", ({ url, key }) => ({
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: key,
  })),
  inMode("anthropic", "messages", ({ url, key, model }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: key,
    ANTHROPIC_MODEL: model,
  })),
  inMode("gemini", "gemini", ({ url, key }) => ({
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: key,
  })),
];

function inMode(
  mode: string,
  style: string,
  env: (task: Task) => Readonly<Record<string, string>>,
): Agent {
  return {
    id: `qwen-code ${style}`,
    style,
    release: { package: "@qwen-code/qwen-code", version: "0.24.4", programs: [".bin/qwen"] },
    launch: (task) => ({
      args: ["--auth-type", mode, "--model", task.model, "--yolo", readingPrompt(task.file)],
      env: {
        ...env(task),
        QWEN_USAGE_STATISTICS_ENABLED: "false",
        QWEN_TELEMETRY_ENABLED: "false",
        QWEN_CODE_SUPPRESS_YOLO_WARNING: "1",
      },
      files: { ".qwen/settings.json": JSON.stringify(SETTINGS) },
    }),
  };
}

const SETTINGS = {
  telemetry: { enabled: false },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false },
};

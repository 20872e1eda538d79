import { readingPrompt, type Agent } from "#test/agents/agent.ts";

/** Speaks nothing but the native style. */
export const geminiCli: Agent = {
  id: "gemini-cli",
  style: "gemini",
  release: { package: "@google/gemini-cli", version: "0.61.0", programs: [".bin/gemini"] },
  launch: ({ url, key, model, file }) => ({
    args: ["--model", model, "--yolo", "--skip-trust", "--prompt", readingPrompt(file)],
    env: { GEMINI_API_KEY: key, GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_NO_RELAUNCH: "true" },
    files: { ".gemini/settings.json": JSON.stringify(SETTINGS) },
  }),
};

const SETTINGS = {
  security: { auth: { selectedType: "gemini-api-key" } },
  telemetry: { enabled: false },
  privacy: { usageStatisticsEnabled: false },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
};

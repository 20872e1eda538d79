import type { Agent } from "./agent.ts";
import { codex } from "./clis/codex.ts";
import { continueCli } from "./clis/continue.ts";
import { geminiCli } from "./clis/gemini-cli.ts";
import { opencode } from "./clis/opencode.ts";
import { pi } from "./clis/pi.ts";
import { qwenCode } from "./clis/qwen-code.ts";

export const AGENTS: readonly Agent[] = [
  codex,
  geminiCli,
  ...qwenCode,
  ...opencode,
  ...pi,
  continueCli,
];

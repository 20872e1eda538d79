import { anthropic } from "./anthropic.ts";
import { ark } from "./ark.ts";
import { dashscope } from "./dashscope.ts";
import { deepseek } from "./deepseek.ts";
import { gemini } from "./gemini.ts";
import { jina } from "./jina.ts";
import { jimeng } from "./jimeng.ts";
import { kling } from "./kling.ts";
import { minimax } from "./minimax.ts";
import { moonshot } from "./moonshot.ts";
import { openai } from "./openai.ts";
import { openrouter } from "./openrouter.ts";
import { siliconflow } from "./siliconflow.ts";
import type { VendorFactory } from "./vendor.ts";
import { vidu } from "./vidu.ts";
import { zhipu } from "./zhipu.ts";

/** Every vendor that is simulated, each under its own prefix. */
export const VENDORS: readonly VendorFactory[] = [
  openai,
  anthropic,
  gemini,
  dashscope,
  ark,
  jina,
  kling,
  vidu,
  minimax,
  jimeng,
  deepseek,
  moonshot,
  zhipu,
  siliconflow,
  openrouter,
];

import { aiSdk } from "./ai-sdk.ts";
import { anthropic } from "./anthropic.ts";
import { ark } from "./ark.ts";
import { azureOpenai } from "./azure-openai.ts";
import { bedrock } from "./bedrock.ts";
import { cohere } from "./cohere.ts";
import { dashscope } from "./dashscope.ts";
import { deepseek } from "./deepseek.ts";
import { fireworks } from "./fireworks.ts";
import { gemini } from "./gemini.ts";
import { groq } from "./groq.ts";
import { huggingface } from "./huggingface.ts";
import { jina } from "./jina.ts";
import { jimeng } from "./jimeng.ts";
import { kling } from "./kling.ts";
import { lmStudio } from "./lm-studio.ts";
import { minimax } from "./minimax.ts";
import { mistral } from "./mistral.ts";
import { moonshot } from "./moonshot.ts";
import { ollama } from "./ollama.ts";
import { openaiCompatible } from "./openai-compatible.ts";
import { openai } from "./openai.ts";
import { openrouter } from "./openrouter.ts";
import type { Provider } from "./provider.ts";
import { siliconflow } from "./siliconflow.ts";
import { tei } from "./tei.ts";
import { together } from "./together.ts";
import { vertex } from "./vertex.ts";
import { vidu } from "./vidu.ts";
import { vllm } from "./vllm.ts";
import { voyage } from "./voyage.ts";
import { xai } from "./xai.ts";
import { zhipu } from "./zhipu.ts";

/** The moderation model if the client names none, which the format allows. */
export { USUAL_MODERATOR } from "./openai.ts";

/** All known vendors, in the order in which they are listed. */
export const PROVIDERS: readonly Provider[] = [
  openai,
  anthropic,
  gemini,
  deepseek,
  groq,
  mistral,
  xai,
  together,
  fireworks,
  openrouter,
  huggingface,
  moonshot,
  zhipu,
  dashscope,
  ark,
  siliconflow,
  cohere,
  jina,
  voyage,
  kling,
  jimeng,
  vidu,
  minimax,
  azureOpenai,
  bedrock,
  vertex,
  ollama,
  vllm,
  tei,
  lmStudio,
  openaiCompatible,
  aiSdk,
];

const BY_ID: ReadonlyMap<string, Provider> = new Map(PROVIDERS.map((each) => [each.id, each]));

export function findProvider(id: string): Provider | undefined {
  return BY_ID.get(id);
}

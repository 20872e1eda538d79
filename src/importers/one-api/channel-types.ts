/** new-api and one-hub began as copies of one-api, and number their later vendors otherwise. */
export type Program = "new-api" | "one-api" | "one-hub";

export interface ChannelType {
  readonly vendor: string;
  readonly provider?: string;
  /** The address that the program has for the vendor, if it is not the provider's own. */
  readonly base?: string;
  /** Path that is added to the address, such as `/v1`. */
  readonly path?: string;
  /** Reads the address and the credentials in its own way. */
  readonly form?: "azure" | "aws" | "vertex" | "cloudflare" | "whole-url" | "gemini";
  /** The reason why it has no channel here. */
  readonly why?: string;
}

const OWN_PROTOCOL = "Sluice does not speak the protocol of this vendor.";
const NOT_A_MODEL = "It is no vendor of models that Sluice knows.";

function compatible(vendor: string, base?: string, path = "/v1"): ChannelType {
  return { vendor, provider: "openai-compatible", path, ...(base === undefined ? {} : { base }) };
}

const CHINESE_MOONSHOT = "https://api.moonshot.cn";
const CHINESE_MINIMAX = "https://api.minimax.chat";

/** By `type` of both programs; the constants of their sources in February 2025 and August 2026. */
const COMMON: Readonly<Record<number, ChannelType>> = {
  1: { vendor: "OpenAI", provider: "openai", path: "/v1" },
  3: { vendor: "Azure OpenAI", provider: "azure-openai", path: "/openai/v1", form: "azure" },
  5: compatible("OpenAI-SB", "https://api.openai-sb.com"),
  6: compatible("OpenAIMax", "https://api.openaimax.com"),
  7: compatible("OhMyGPT", "https://api.ohmygpt.com"),
  9: compatible("AILS", "https://api.caipacity.com"),
  10: compatible("AIProxy", "https://api.aiproxy.io"),
  11: { vendor: "PaLM", why: "Google has ended this service." },
  12: compatible("API2GPT", "https://api.api2gpt.com"),
  13: compatible("AIGC2D", "https://api.aigc2d.com"),
  14: { vendor: "Anthropic", provider: "anthropic", path: "/v1" },
  15: { vendor: "Baidu", why: OWN_PROTOCOL },
  16: { vendor: "Zhipu", provider: "zhipu", path: "/api/paas/v4" },
  17: { vendor: "Ali (DashScope)", provider: "dashscope", path: "/compatible-mode/v1" },
  18: { vendor: "Xunfei", why: OWN_PROTOCOL },
  20: { vendor: "OpenRouter", provider: "openrouter", path: "/v1" },
  21: { vendor: "AIProxy library", why: NOT_A_MODEL },
  22: compatible("FastGPT", "https://fastgpt.run/api/openapi"),
  23: { vendor: "Tencent", why: OWN_PROTOCOL },
  24: { vendor: "Gemini", provider: "gemini", path: "/v1beta", form: "gemini" },
  25: { vendor: "Moonshot", provider: "moonshot", base: CHINESE_MOONSHOT, path: "/v1" },
  31: compatible("Lingyi Wanwu", "https://api.lingyiwanwu.com"),
  33: { vendor: "AWS Bedrock", provider: "bedrock", form: "aws" },
};

const NEW_API: Readonly<Record<number, ChannelType>> = {
  2: { vendor: "Midjourney", why: OWN_PROTOCOL },
  4: { vendor: "Ollama", provider: "ollama", path: "/v1" },
  5: { vendor: "Midjourney Plus", why: OWN_PROTOCOL },
  8: { vendor: "Custom", provider: "openai-compatible", form: "whole-url" },
  19: compatible("360", "https://api.360.cn"),
  26: { vendor: "Zhipu v4", provider: "zhipu", path: "/api/paas/v4" },
  27: compatible("Perplexity", "https://api.perplexity.ai", ""),
  34: { vendor: "Cohere", provider: "cohere", path: "/v2" },
  35: { vendor: "MiniMax", provider: "minimax", base: CHINESE_MINIMAX, path: "" },
  36: { vendor: "Suno", why: OWN_PROTOCOL },
  37: { vendor: "Dify", why: OWN_PROTOCOL },
  38: { vendor: "Jina", provider: "jina", path: "/v1" },
  39: { vendor: "Cloudflare", provider: "openai-compatible", form: "cloudflare" },
  40: { vendor: "SiliconFlow", provider: "siliconflow", path: "/v1" },
  41: { vendor: "Vertex AI", provider: "vertex", form: "vertex" },
  42: { vendor: "Mistral", provider: "mistral", path: "/v1" },
  43: { vendor: "DeepSeek", provider: "deepseek", path: "/v1" },
  44: compatible("MokaAI", "https://api.moka.ai"),
  45: { vendor: "VolcEngine (Doubao)", provider: "ark", path: "/api/v3" },
  46: compatible("Baidu v2", "https://qianfan.baidubce.com", "/v2"),
  47: compatible("Xinference"),
  48: { vendor: "xAI", provider: "xai", path: "/v1" },
  49: { vendor: "Coze", why: OWN_PROTOCOL },
  50: { vendor: "Kling", provider: "kling", base: "https://api.klingai.com", path: "" },
  51: { vendor: "Jimeng", provider: "jimeng", path: "" },
  52: { vendor: "Vidu", provider: "vidu", base: "https://api.vidu.cn", path: "" },
  53: compatible("Submodel", "https://llm.submodel.ai"),
  54: { vendor: "Doubao video", provider: "ark", path: "/api/v3" },
  55: { vendor: "Sora", provider: "openai", path: "/v1" },
  56: { vendor: "Replicate", why: OWN_PROTOCOL },
  57: { vendor: "Codex", why: "It uses a login of ChatGPT, which Sluice does not do." },
};

const ONE_API: Readonly<Record<number, ChannelType>> = {
  2: compatible("API2D", "https://oa.api2d.net"),
  4: compatible("CloseAI", "https://api.closeai-proxy.xyz"),
  8: compatible("Custom"),
  19: compatible("360", "https://ai.360.cn"),
  26: compatible("Baichuan", "https://api.baichuan-ai.com"),
  27: { vendor: "MiniMax", provider: "minimax", base: CHINESE_MINIMAX, path: "" },
  28: { vendor: "Mistral", provider: "mistral", path: "/v1" },
  29: { vendor: "Groq", provider: "groq", path: "/v1" },
  30: { vendor: "Ollama", provider: "ollama", path: "/v1" },
  32: compatible("StepFun", "https://api.stepfun.com"),
  34: { vendor: "Coze", why: OWN_PROTOCOL },
  35: { vendor: "Cohere", provider: "cohere", path: "/v2" },
  36: { vendor: "DeepSeek", provider: "deepseek", path: "/v1" },
  37: { vendor: "Cloudflare", provider: "openai-compatible", form: "cloudflare" },
  38: { vendor: "DeepL", why: NOT_A_MODEL },
  39: { vendor: "Together AI", provider: "together", path: "/v1" },
  40: { vendor: "Doubao", provider: "ark", path: "/api/v3" },
  41: compatible("Novita", "https://api.novita.ai/v3/openai", ""),
  42: { vendor: "Vertex AI", provider: "vertex", form: "vertex" },
  43: { vendor: "Proxy", why: "It forwards whole requests, which no channel here does." },
  44: { vendor: "SiliconFlow", provider: "siliconflow", path: "/v1" },
  45: { vendor: "xAI", provider: "xai", path: "/v1" },
  46: { vendor: "Replicate", why: OWN_PROTOCOL },
  47: compatible("Baidu v2", "https://qianfan.baidubce.com", "/v2"),
  48: compatible("Xunfei v2", "https://spark-api-open.xf-yun.com"),
  49: { vendor: "Ali Bailian", provider: "dashscope", path: "/compatible-mode/v1" },
  50: compatible("OpenAI compatible"),
  51: compatible(
    "Gemini, OpenAI compatible",
    "https://generativelanguage.googleapis.com/v1beta/openai",
    "",
  ),
};

/** The constants and addresses of its source in February 2026. No number is that of `COMMON`. */
const ONE_HUB: Readonly<Record<number, ChannelType>> = {
  1: { vendor: "OpenAI", provider: "openai", path: "/v1" },
  3: { vendor: "Azure OpenAI", provider: "azure-openai", path: "/openai/v1", form: "azure" },
  8: compatible("Custom"),
  11: { vendor: "PaLM", why: "Google has ended this service." },
  14: { vendor: "Anthropic", provider: "anthropic", path: "/v1" },
  15: { vendor: "Baidu", why: OWN_PROTOCOL },
  16: { vendor: "Zhipu", provider: "zhipu", path: "" },
  17: { vendor: "Ali (DashScope)", provider: "dashscope", path: "/compatible-mode/v1" },
  18: { vendor: "Xunfei", why: OWN_PROTOCOL },
  19: compatible("360"),
  20: { vendor: "OpenRouter", provider: "openrouter", path: "/v1" },
  23: { vendor: "Tencent", why: OWN_PROTOCOL },
  24: { vendor: "Azure Speech", why: NOT_A_MODEL },
  25: { vendor: "Gemini", provider: "gemini", path: "/v1beta", form: "gemini" },
  26: compatible("Baichuan", "https://api.baichuan-ai.com"),
  27: { vendor: "MiniMax", provider: "minimax", base: CHINESE_MINIMAX, path: "" },
  28: { vendor: "DeepSeek", provider: "deepseek", path: "/v1" },
  29: { vendor: "Moonshot", provider: "moonshot", base: CHINESE_MOONSHOT, path: "/v1" },
  30: { vendor: "Mistral", provider: "mistral", path: "/v1" },
  31: { vendor: "Groq", provider: "groq", path: "/v1" },
  32: { vendor: "AWS Bedrock", provider: "bedrock", form: "aws" },
  33: compatible("Lingyi Wanwu", "https://api.lingyiwanwu.com"),
  34: { vendor: "Midjourney", why: OWN_PROTOCOL },
  35: { vendor: "Cloudflare", provider: "openai-compatible", form: "cloudflare" },
  36: { vendor: "Cohere", provider: "cohere", path: "/v2" },
  37: { vendor: "Stability AI", why: OWN_PROTOCOL },
  38: { vendor: "Coze", why: OWN_PROTOCOL },
  39: { vendor: "Ollama", provider: "ollama", base: "https://ollama.com", path: "/v1" },
  40: { vendor: "Tencent Hunyuan", why: OWN_PROTOCOL },
  41: { vendor: "Suno", why: OWN_PROTOCOL },
  42: { vendor: "Vertex AI", provider: "vertex", form: "vertex" },
  43: compatible("Llama"),
  44: { vendor: "Ideogram", why: OWN_PROTOCOL },
  45: { vendor: "SiliconFlow", provider: "siliconflow", path: "/v1" },
  46: { vendor: "Flux", why: OWN_PROTOCOL },
  47: { vendor: "Jina", provider: "jina", path: "/v1" },
  48: { vendor: "Rerank", why: "It names no vendor. Create a channel of a provider with rerank." },
  49: compatible("GitHub Models", "https://models.inference.ai.azure.com", ""),
  51: { vendor: "Recraft", why: OWN_PROTOCOL },
  52: { vendor: "Replicate", why: OWN_PROTOCOL },
  53: { vendor: "Kling", provider: "kling", base: "https://api.klingai.com", path: "" },
  54: { vendor: "Azure Databricks", why: OWN_PROTOCOL },
  55: { vendor: "Azure OpenAI v1", provider: "azure-openai", path: "/openai/v1", form: "azure" },
  56: { vendor: "xAI", provider: "xai", path: "/v1" },
};

/** Undefined for a type that the program's known version does not have. */
export function channelTypeOf(program: Program, type: number): ChannelType | undefined {
  if (program === "one-hub") return ONE_HUB[type];
  const own = program === "new-api" ? NEW_API : ONE_API;
  return own[type] ?? COMMON[type];
}

/** Words that new-api takes for an address. */
export const SPECIAL_BASES: Readonly<Record<string, string>> = {
  "glm-coding-plan": "https://open.bigmodel.cn/api/coding/paas/v4",
  "glm-coding-plan-international": "https://api.z.ai/api/coding/paas/v4",
  "kimi-coding-plan": "https://api.kimi.com/coding/v1",
  "doubao-coding-plan": "https://ark.cn-beijing.volces.com/api/coding/v3",
};

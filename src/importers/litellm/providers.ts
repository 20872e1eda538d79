/** How a provider of LiteLLM is reached here. */
export interface LitellmProvider {
  readonly provider: string;
  /** Its address, if that is not the provider's own here. */
  readonly base?: string;
  /** Path that is added to an address without a version. */
  readonly path?: string;
  readonly form?: "azure" | "bedrock" | "vertex";
}

function compatible(base?: string): LitellmProvider {
  return { provider: "openai-compatible", ...(base === undefined ? {} : { base }) };
}

const AZURE: LitellmProvider = { provider: "azure-openai", form: "azure" };
const BEDROCK: LitellmProvider = { provider: "bedrock", form: "bedrock" };
const VERTEX: LitellmProvider = { provider: "vertex", form: "vertex" };
const OLLAMA: LitellmProvider = { provider: "ollama", path: "/v1" };

/** By the word before the slash of `litellm_params.model`. */
const PROVIDERS: Readonly<Record<string, LitellmProvider>> = {
  openai: { provider: "openai" },
  "text-completion-openai": { provider: "openai" },
  azure: AZURE,
  azure_text: AZURE,
  azure_ai: compatible(),
  anthropic: { provider: "anthropic", path: "/v1" },
  anthropic_text: { provider: "anthropic", path: "/v1" },
  gemini: { provider: "gemini" },
  vertex_ai: VERTEX,
  vertex_ai_beta: VERTEX,
  bedrock: BEDROCK,
  bedrock_converse: BEDROCK,
  mistral: { provider: "mistral" },
  codestral: compatible("https://codestral.mistral.ai/v1"),
  hosted_vllm: { provider: "vllm" },
  vllm: { provider: "vllm" },
  ollama: OLLAMA,
  ollama_chat: OLLAMA,
  lm_studio: { provider: "lm-studio" },
  openrouter: { provider: "openrouter" },
  groq: { provider: "groq" },
  deepseek: { provider: "deepseek" },
  xai: { provider: "xai" },
  cohere: { provider: "cohere" },
  cohere_chat: { provider: "cohere" },
  together_ai: { provider: "together" },
  fireworks_ai: { provider: "fireworks" },
  huggingface: { provider: "huggingface" },
  moonshot: { provider: "moonshot" },
  dashscope: { provider: "dashscope" },
  volcengine: { provider: "ark" },
  minimax: { provider: "minimax" },
  zai: { provider: "zhipu" },
  jina_ai: { provider: "jina" },
  voyage: { provider: "voyage" },
  perplexity: compatible("https://api.perplexity.ai"),
  nvidia_nim: compatible("https://integrate.api.nvidia.com/v1"),
  cerebras: compatible("https://api.cerebras.ai/v1"),
  sambanova: compatible("https://api.sambanova.ai/v1"),
  deepinfra: compatible("https://api.deepinfra.com/v1/openai"),
  novita: compatible("https://api.novita.ai/v3/openai"),
  nebius: compatible("https://api.studio.nebius.ai/v1"),
  github: compatible("https://models.inference.ai.azure.com"),
  hyperbolic: compatible("https://api.hyperbolic.xyz/v1"),
  siliconflow: { provider: "siliconflow" },
  xinference: compatible(),
  custom_openai: compatible(),
  openai_like: compatible(),
  litellm_proxy: compatible(),
  llamafile: compatible(),
  infinity: compatible(),
};

/** Names that LiteLLM assigns to a provider without a prefix. */
const BARE: readonly (readonly [RegExp, string])[] = [
  [
    /^(?:gpt-|o[1-9]|chatgpt-|text-embedding-|dall-e|whisper|tts-|omni-moderation|codex-|ft:gpt|sora)/,
    "openai",
  ],
  [/^claude/, "anthropic"],
  [/^(?:command|embed-|rerank-)/, "cohere"],
  [/^(?:gemini|imagen|veo)/, "vertex_ai"],
  [/^(?:anthropic|amazon|meta|cohere|ai21|mistral)\.|^(?:us|eu|apac)\./, "bedrock"],
  [/^(?:mistral|codestral|magistral|ministral|open-mi)/, "mistral"],
];

interface Resolved extends LitellmProvider {
  readonly id: string;
  /** The vendor's name of the model. */
  readonly model: string;
}

/** The provider and the vendor's name of a model of LiteLLM; undefined if Sluice does not reach it. */
export function resolveProvider(
  model: string,
  custom: string | undefined,
  hasBase: boolean,
): Resolved | undefined {
  const slash = model.indexOf("/");
  const prefix = model.slice(0, Math.max(slash, 0));
  const known = Object.hasOwn(PROVIDERS, prefix) ? PROVIDERS[prefix] : undefined;
  if (known !== undefined && (custom === undefined || custom === prefix)) {
    return { ...known, id: prefix, model: model.slice(slash + 1) };
  }
  const id = custom ?? BARE.find(([names]) => names.test(model))?.[1];
  if (id !== undefined && Object.hasOwn(PROVIDERS, id)) {
    const found = PROVIDERS[id];
    return found && { ...found, id, model };
  }
  return hasBase && id === undefined ? { ...compatible(), id: prefix, model } : undefined;
}

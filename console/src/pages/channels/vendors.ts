export interface Vendor {
  readonly id: string;
  readonly name: string;
  /** It has no address of its own. */
  readonly needsAddress?: true;
  readonly needsKey?: false;
  /** Names of `options` that it requires, as JSON to fill in. */
  readonly options?: string;
}

/** The vendors that the gateway knows, the most used first. A test compares it with theirs. */
export const VENDORS: readonly Vendor[] = [
  { id: "openai", name: "OpenAI" },
  { id: "anthropic", name: "Anthropic" },
  { id: "gemini", name: "Gemini" },
  { id: "openrouter", name: "OpenRouter" },
  { id: "deepseek", name: "DeepSeek" },
  { id: "dashscope", name: "DashScope (Qwen)" },
  { id: "ark", name: "Ark (Doubao)" },
  { id: "zhipu", name: "Zhipu (GLM)" },
  { id: "moonshot", name: "Moonshot (Kimi)" },
  { id: "minimax", name: "MiniMax" },
  { id: "siliconflow", name: "SiliconFlow" },
  { id: "azure-openai", name: "Azure OpenAI", needsAddress: true },
  { id: "bedrock", name: "Amazon Bedrock", options: '{ "region": "" }' },
  { id: "vertex", name: "Vertex AI", options: '{ "project": "" }' },
  { id: "mistral", name: "Mistral" },
  { id: "xai", name: "xAI (Grok)" },
  { id: "groq", name: "Groq" },
  { id: "together", name: "Together" },
  { id: "fireworks", name: "Fireworks" },
  { id: "huggingface", name: "Hugging Face" },
  { id: "cohere", name: "Cohere" },
  { id: "voyage", name: "Voyage" },
  { id: "jina", name: "Jina" },
  { id: "kling", name: "Kling" },
  { id: "vidu", name: "Vidu" },
  { id: "jimeng", name: "Jimeng" },
  { id: "openai-compatible", name: "OpenAI-compatible", needsAddress: true, needsKey: false },
  { id: "ollama", name: "Ollama", needsKey: false },
  { id: "vllm", name: "vLLM", needsKey: false },
  { id: "lm-studio", name: "LM Studio", needsKey: false },
  { id: "tei", name: "Text Embeddings Inference", needsKey: false },
  { id: "ai-sdk", name: "AI SDK package", needsKey: false, options: '{ "package": "" }' },
];

/** Ids of providers that are the same in each public file, and ours. */
export const COMMON_PROVIDERS: readonly (readonly [theirs: string, ours: string])[] = [
  ["google", "gemini"],
  ["moonshotai", "moonshot"],
  ...["openai", "anthropic", "deepseek", "mistral", "minimax", "cohere", "groq", "openrouter"].map(
    (id) => [id, id] as const,
  ),
];

/** Names of operations in OpenTelemetry's conventions, by the style of the request. */
const OPERATIONS: Readonly<Record<string, string>> = {
  chat: "chat",
  messages: "chat",
  responses: "chat",
  gemini: "generate_content",
  completions: "text_completion",
  embeddings: "embeddings",
  "texts-embeddings": "embeddings",
  "gemini-embeddings": "embeddings",
};

const INFERENCE = new Set(["chat", "generate_content", "text_completion"]);

/** The value of `gen_ai.operation.name`; operations without a convention have the style's name. */
export function operationOf(style: string): string {
  return OPERATIONS[style] ?? style;
}

/** Whether a model generates an answer from messages; other operations have metrics of their own. */
export function isInference(operation: string): boolean {
  return INFERENCE.has(operation);
}

/** Names of OpenTelemetry's conventions for generative AI that differ from a provider's id. */
const NAMES: Readonly<Record<string, string>> = {
  gemini: "gcp.gemini",
  vertex: "gcp.vertex_ai",
  bedrock: "aws.bedrock",
  "azure-openai": "azure.ai.openai",
  mistral: "mistral_ai",
  moonshot: "moonshot_ai",
  xai: "x_ai",
};

/** The value of `gen_ai.provider.name`. */
export function telemetryNameOf(provider: string): string {
  return NAMES[provider] ?? provider;
}

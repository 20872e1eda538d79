/**
 * The vendor documents two long words that make its models refuse, or think
 * what nobody may read, so that callers can try it. Their beginnings will do.
 */
export function isRefusalAsked(text: string): boolean {
  return text.includes("ANTHROPIC_MAGIC_STRING_TRIGGER_REFUSAL_");
}

export function isRedactionAsked(text: string): boolean {
  return text.includes("ANTHROPIC_MAGIC_STRING_TRIGGER_REDACTED_THINKING_");
}

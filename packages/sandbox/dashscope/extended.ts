/** What a model makes of a prompt that it may make longer. */
export function extended(prompt: string): string {
  return `${prompt} The light is soft, and every detail is sharp.`;
}

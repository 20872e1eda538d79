/** The prompt after the model extended it. */
export function extended(prompt: string): string {
  return `${prompt} The light is soft, and every detail is sharp.`;
}

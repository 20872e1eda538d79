const HARMLESS =
  /^(?:audio\/[\w.+-]+|text\/plain|text\/vtt|application\/json|text\/event-stream)(?:\s*;\s*[\w-]+=[\w."-]+)*$/i;

/**
 * The upstream's content type if browsers do not execute it; otherwise `application/octet-stream`.
 */
export function safeContentType(said: string | undefined): string {
  const type = said?.trim() ?? "";
  return HARMLESS.test(type) ? type : "application/octet-stream";
}

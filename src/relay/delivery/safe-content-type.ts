const HARMLESS =
  /^(?:audio\/[\w.+-]+|text\/plain|text\/vtt|application\/json|text\/event-stream)(?:\s*;\s*[\w-]+=[\w."-]+)*$/i;

/** An upstream's word for what it sends, where no browser would run it; otherwise mere bytes. */
export function safeContentType(said: string | undefined): string {
  const type = said?.trim() ?? "";
  return HARMLESS.test(type) ? type : "application/octet-stream";
}

/** Endpoint families. A key can be restricted to some of them. */
export const FAMILIES = [
  "text",
  "embeddings",
  "rerank",
  "images",
  "audio",
  "videos",
  "assets",
] as const;

export type Family = (typeof FAMILIES)[number];

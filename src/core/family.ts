/** What kinds of endpoints there are. A key may be kept to some of them. */
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

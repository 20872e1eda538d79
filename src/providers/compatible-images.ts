import type { ImageDialect } from "#styles/image/openai/dialect.ts";
import { images } from "#styles/image/openai/index.ts";
import type { ImageEndpoint } from "./provider.ts";

const ENDPOINT = {
  style: images,
  maxInputs: 10,
  // Given pictures go as files.
  pictures: { inlines: true, types: ["image/png", "image/jpeg", "image/webp"] },
} as const;

/** Servers of the common format: what they do not know they ignore, or refuse in their own words. */
export const COMPATIBLE_IMAGES: readonly ImageEndpoint[] = [
  { ...ENDPOINT, path: "/images/generations", answers: ({ task }) => task === "generate" },
  { ...ENDPOINT, path: "/images/edits", answers: ({ task }) => task === "edit" },
  { ...ENDPOINT, path: "/images/variations", answers: ({ task }) => task === "vary" },
];

/** A vendor that makes pictures out of words, in a dialect of the format. */
export function generatesLike(dialect: ImageDialect): ImageEndpoint {
  return {
    ...ENDPOINT,
    path: "/images/generations",
    answers: ({ task }) => task !== "vary",
    dialect: { ...dialect },
  };
}

import type { ImageDialect } from "#styles/image/openai/dialect.ts";
import { images } from "#styles/image/openai/index.ts";
import type { ImageEndpoint } from "./provider.ts";

const ENDPOINT = {
  style: images,
  maxInputs: 10,
  // Input images are sent as files.
  pictures: { inlines: true, types: ["image/png", "image/jpeg", "image/webp"] },
} as const;

/** Servers of the common format ignore unknown members or refuse them with their own error. */
export const COMPATIBLE_IMAGES: readonly ImageEndpoint[] = [
  { ...ENDPOINT, path: "/images/generations", answers: ({ task }) => task === "generate" },
  { ...ENDPOINT, path: "/images/edits", answers: ({ task }) => task === "edit" },
  { ...ENDPOINT, path: "/images/variations", answers: ({ task }) => task === "vary" },
];

/** A vendor that generates images from text, in a dialect of the format. */
export function generatesLike(dialect: ImageDialect): ImageEndpoint {
  return {
    ...ENDPOINT,
    path: "/images/generations",
    answers: ({ task }) => task !== "vary",
    dialect: { ...dialect },
  };
}

import { draw, type Drawing } from "./engine/drawing.ts";
import type { ResultFiles } from "./engine/result-files.ts";

/**
 * Links to pictures, for as long as the vendor keeps them. What is kept is
 * what to paint, and painting waits for whoever follows the link.
 */
export interface PictureLinks {
  /** The origin is where the caller reaches the sandbox. */
  keep(drawing: Drawing, origin: string): string;
}

export function pictureLinks(
  files: ResultFiles,
  now: () => number,
  validSeconds = DAY_SECONDS,
): PictureLinks {
  return {
    keep(drawing, origin) {
      const kept = { ...drawing, prompt: beginningOf(drawing.prompt) };
      return files.publish({
        origin,
        name: `${crypto.randomUUID()}.png`,
        publishedAt: now(),
        validSeconds,
        contentType: "image/png",
        make: () => draw(kept),
      });
    },
  };
}

const DAY_SECONDS = 24 * 3_600;

/** As much as can be shown, as a copy: a part of a text would keep all of it. */
function beginningOf(prompt: string): string {
  return Buffer.from(prompt.slice(0, MAX_CHARACTERS)).toString();
}

const MAX_CHARACTERS = 2_000;

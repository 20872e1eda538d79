import { withCaptions } from "./captions.ts";
import { paint } from "./picture.ts";

/** A picture that is yet to be painted: what takes no room until somebody looks at it. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly prompt: string;
  /** How many pictures it was made from. */
  readonly given: number;
  readonly isMarked: boolean;
  /** Without anything behind the words. */
  readonly isClear?: boolean;
}

/** A PNG file that shows the prompt; the captions add facts about it. */
export function draw(drawing: Drawing): Uint8Array {
  const { width, height, prompt, given, isMarked, isClear = false } = drawing;
  const from = `FROM ${given} IMAGE${given === 1 ? "" : "S"}`;
  return withCaptions(paint(width, height, prompt, isClear ? "transparent" : "opaque"), [
    ...(given === 0 ? [] : [{ text: from, corner: "upper left" as const }]),
    ...(isMarked ? [{ text: "AI GENERATED", corner: "lower right" as const }] : []),
  ]);
}

import type { Lengths } from "#styles/video/allowed.ts";

/** Options of a model, and their members. */
export interface WanDialect {
  /**
   * The input: text only, a first frame, first and last frame, links to references, or one list of
   * all, which `any` may leave empty.
   */
  readonly from: "words" | "picture" | "frames" | "references" | "list" | "any";
  /** The size parameter: pixels, a resolution, or a resolution and a ratio. */
  readonly framedBy: "size" | "resolution" | "resolution and ratio";
  readonly lengths?: Lengths;
  readonly usualLength: number;
  /** Sent if the client sets none, because the vendor's default is more expensive. */
  readonly usualResolution: string;
  /** Whether audio can be switched off; otherwise it is always on or never. */
  readonly sound: "on request" | "always" | "never";
  /** Supports an audio file of the client. */
  readonly takesSound?: boolean;
  /** Maximum length of prompts; the vendor truncates longer ones silently. */
  readonly promptChars: number;
  /** The role of an input video in a list: to extend, to reference, or to edit. */
  readonly videoAs?: "first_clip" | "reference_video" | "video";
  /** Audio in a list is a voice of the element before it. */
  readonly hearsVoices?: true;
  /** Own members, by position. */
  readonly takes?: { readonly input?: readonly string[]; readonly parameters?: readonly string[] };
}

/** The dialect that no model refuses. */
export const DEFAULT_DIALECT: WanDialect = {
  from: "words",
  framedBy: "size",
  usualLength: 5,
  usualResolution: "720p",
  sound: "never",
  promptChars: 800,
};

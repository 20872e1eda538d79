import type { Lengths } from "#styles/video/allowed.ts";

/** What a model can be told, and in which members. */
export interface WanDialect {
  /**
   * What it makes a video of, and how it is given that: words alone, a picture,
   * a first and a last one, links to what is referred to, or one list of all,
   * which `any` may leave empty.
   */
  readonly from: "words" | "picture" | "frames" | "references" | "list" | "any";
  /** How large: as a size in pixels, by a resolution, or by a resolution and a ratio. */
  readonly framedBy: "size" | "resolution" | "resolution and ratio";
  readonly lengths?: Lengths;
  readonly usualLength: number;
  /** Sent if the caller names none, since the vendor's default is a dearer one. */
  readonly usualResolution: string;
  /** Whether it can be told to be silent; else it always is, or never. */
  readonly sound: "on request" | "always" | "never";
  /** A sound of the caller's can go with it. */
  readonly takesSound?: boolean;
  /** Of prompts; what is longer would be cut without a word. */
  readonly promptChars: number;
  /** What a given video is for in a list: to go on from, to refer to, or to change. */
  readonly videoAs?: "first_clip" | "reference_video" | "video";
  /** Sounds in a list are voices, each of what stands before it. */
  readonly hearsVoices?: true;
  /** Members of its own, by where they stand. */
  readonly takes?: { readonly input?: readonly string[]; readonly parameters?: readonly string[] };
}

/** What no model refuses. */
export const DEFAULT_DIALECT: WanDialect = {
  from: "words",
  framedBy: "size",
  usualLength: 5,
  usualResolution: "720p",
  sound: "never",
  promptChars: 800,
};

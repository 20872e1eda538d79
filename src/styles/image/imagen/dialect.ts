/** What an interface of the format can be told. */
export interface ImagenDialect {
  readonly sizes: readonly string[];
  /** What it calls a picture's size. */
  readonly sizeMember: "imageSize" | "sampleImageSize";
  /** It also knows of seeds, of what is not to be shown, of watermarks, of prompts written anew and of formats. */
  readonly takesMore?: true;
}

export const DEFAULT_DIALECT: ImagenDialect = { sizes: [], sizeMember: "imageSize" };

/** Options of an API of this format. */
export interface ImagenDialect {
  readonly sizes: readonly string[];
  /** The member for the size of an image. */
  readonly sizeMember: "imageSize" | "sampleImageSize";
  /** Also supports seeds, negative prompts, watermarks, prompt rewriting and formats. */
  readonly takesMore?: true;
}

export const DEFAULT_DIALECT: ImagenDialect = { sizes: [], sizeMember: "imageSize" };

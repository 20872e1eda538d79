import { z } from "zod";

/** The counted units of one call, or of a sum of calls, as the management API shows them. */
export const USAGE_COUNTS = {
  input_tokens: z.int(),
  cached_input_tokens: z.int(),
  cache_write_tokens: z.int(),
  audio_input_tokens: z.int(),
  output_tokens: z.int(),
  reasoning_tokens: z.int(),
  audio_output_tokens: z.int(),
  image_input_tokens: z.int(),
  image_output_tokens: z.int(),
  images: z.int(),
  reference_images: z.int(),
  media_seconds: z.number(),
  characters: z.int(),
  searches: z.int(),
};

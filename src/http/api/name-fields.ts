import { z } from "zod";
import { MODEL_PATTERN } from "#core/key.ts";

/** What people tell things apart by must look different where it is. */
export const NAME = z
  .string()
  .min(1)
  .max(100)
  .refine((given) => given.trim() === given && !/\p{C}/u.test(given), {
    error: "must not have white space around it, or invisible characters",
  });

const MAX_MODELS = 1_000;

export const MODELS = textsOf({
  item: z.string().min(1).max(201),
  max: MAX_MODELS,
  isGood: (item) => MODEL_PATTERN.test(item),
  what: "a model's name",
  description: "Names of models; a trailing * matches any ending. Null for all.",
});

/** `what`: each of the texts must be, to complete "is not". */
export function textsOf({
  item,
  max,
  isGood,
  what,
  description,
}: {
  readonly item: z.ZodString;
  readonly max: number;
  isGood(text: string): boolean;
  readonly what: string;
  readonly description: string;
}) {
  const checked = item.refine(isGood, { error: `is not ${what}` });
  return z.array(checked).min(1).max(max).describe(description).nullish();
}

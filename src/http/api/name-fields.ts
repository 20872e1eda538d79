import { z } from "zod";
import { MODEL_PATTERN } from "#core/key.ts";
import { readDisplayName } from "#core/name.ts";

/** A name in any script. Names that look the same are the same, because all are normalised. */
export const NAME = z
  .string()
  .min(1)
  .max(512)
  .transform((given, context) => {
    const name = readDisplayName(given);
    if (name === undefined) {
      context.addIssue(
        "must have 1 to 100 visible characters, no white space around it, and no control characters",
      );
    }
    return name ?? given;
  })
  .meta({ description: "1 to 100 visible characters of any script." });

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

import type { ModelDraft } from "#core/stored-routing.ts";
import { defined } from "#lib/values.ts";
import { modelName } from "../names.ts";
import { wholeNumber } from "../parsers.ts";
import { ALWAYS, fields } from "./fields.ts";
import { PACE } from "./limits.ts";
import { checkPrice, PRICE_FIELDS, priceOf } from "./price.ts";
import type { z } from "zod";

const tokens = wholeNumber(1, 100_000_000);

export const MODEL_FIELDS = {
  ...PRICE_FIELDS,
  context: tokens.schema.describe("Tokens that the model can hold in total.").optional(),
  max_output: tokens.schema.describe("Tokens that it can write at most.").optional(),
  like: modelName.schema
    .describe("Id of a model in the catalogue: this one has its abilities and its refusals.")
    .optional(),
  limits: PACE.describe(
    "`{ rpm, tpm }` of all clients together. Names that lead to one entry share them.",
  ).optional(),
};

/** An entry of `models`. */
export const MODEL = fields(MODEL_FIELDS).superRefine(checkPrice, ALWAYS).transform(modelOf);

type GivenModel = z.output<z.ZodObject<typeof MODEL_FIELDS>>;

export function modelOf({ context, max_output, like, limits, ...price }: GivenModel): ModelDraft {
  return defined({
    rates: priceOf(price),
    contextTokens: context,
    maxOutputTokens: max_output,
    like,
    limits,
  });
}

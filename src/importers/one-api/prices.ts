import type { JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { writeRate, writeUnitPrice } from "../amounts.ts";
import type { ImportDraft } from "../draft.ts";
import type { Program } from "./channel-types.ts";
import { completionRatio } from "./completion-ratios.ts";
import type { Options } from "./options.ts";
import { readTieredPrice } from "./tiered-price.ts";

const PER_MILLION = 1_000_000;
/** new-api's factor for a write to Claude's cache, if no option has one. */
const CLAUDE_CACHE_WRITE = 1.25;
const IMAGE_MODEL =
  /dall-e|gpt-image|imagen|flux|seedream|stable-diffusion|sdxl|kolors|cogview|wanx|-image/i;

/** Prices of the models that channels serve. Others have no use here. */
export function readPrices(
  program: Program,
  options: Options,
  served: readonly string[],
  draft: ImportDraft,
): void {
  const ratios = options.numbers("ModelRatio");
  const completions = options.numbers("CompletionRatio") ?? new Map<string, number>();
  const fixed = options.numbers("ModelPrice") ?? new Map<string, number>();
  const tiered = options.object("billing_setting.billing_mode") ?? {};
  const terms = options.object("billing_setting.billing_expr") ?? {};
  const withoutRatio: string[] = [];
  for (const model of served) {
    const priced = (fields: JsonObject, changes: readonly string[] = []): void => {
      draft.models.push({
        ref: model,
        name: model,
        changes,
        fields: { ...fields, source: `${program}, imported` },
      });
    };
    if (tiered[model] === "tiered_expr") {
      const price = readTieredPrice(textOf(terms[model]) ?? "");
      if (price !== undefined) priced(price);
      else draft.leave(`price of ${model}`, "Its expression has no form that Sluice knows.");
      continue;
    }
    const perCall = fixed.get(model);
    if (perCall !== undefined) {
      if (IMAGE_MODEL.test(model)) {
        priced({ image: writeUnitPrice(perCall) }, [
          `There, a call costs $${perCall}; here, each of its pictures does.`,
        ]);
      } else {
        draft.leave(
          `price of ${model}`,
          `It is $${perCall} for each call, and Sluice has no price of this kind. Set one for tokens: sluice models set ${model} --input ... --output ...`,
        );
      }
      continue;
    }
    const ratio = ratios?.get(model);
    if (ratio === undefined) {
      withoutRatio.push(model);
      continue;
    }
    const input = (ratio * PER_MILLION) / options.unitsPerDollar;
    priced({
      input: writeRate(input),
      output: writeRate(input * completionRatio(program, model, completions)),
      ...cachePrices(program, options, model, input),
    });
  }
  if (withoutRatio.length > 0) {
    draft.leave(
      `prices of ${withoutRatio.join(", ")}`,
      `${program === "one-hub" ? "The list of prices has none" : "The options have no ratio"} for them. Here they cost what the catalogue says, or count as unpriced.`,
    );
  }
}

function cachePrices(program: Program, options: Options, model: string, input: number): JsonObject {
  if (program === "one-api") return {};
  const read = options.numbers("CacheRatio")?.get(model);
  const given = options.numbers("CreateCacheRatio")?.get(model);
  const write = given ?? (model.includes("claude") ? CLAUDE_CACHE_WRITE : undefined);
  return {
    ...(read === undefined ? {} : { cached_input: writeRate(input * read) }),
    ...(write === undefined ? {} : { cache_write: writeRate(input * write) }),
    ...audioPrices(options, model, input),
  };
}

function audioPrices(options: Options, model: string, input: number): JsonObject {
  const audio = options.numbers("AudioRatio")?.get(model);
  const spoken = options.numbers("AudioCompletionRatio")?.get(model);
  const image = options.numbers("ImageRatio")?.get(model);
  return {
    ...(audio === undefined ? {} : { audio_input: writeRate(input * audio) }),
    ...(audio === undefined || spoken === undefined
      ? {}
      : { audio_output: writeRate(input * audio * spoken) }),
    ...(image === undefined ? {} : { image_input: writeRate(input * image) }),
  };
}

import type { Field } from "../value-picker.ts";
import type { JsonObject } from "@sluice/sandbox/json.ts";
import type { Context } from "./context.ts";
import { matchesSchema } from "./matches.ts";

/** The prompt's number, the default, or the first that the bounds allow. */
export function generateNumber(schema: JsonObject, field: Field, context: Context): number {
  const fits = (value: number) => matchesSchema(value, schema, context.root, context.checks);
  const fromPrompt = context.picker.number(field, fits);
  if (fromPrompt !== undefined) return fromPrompt;

  const { default: preset } = schema;
  if (typeof preset === "number" && fits(preset)) return preset;
  return candidates(schema, context).find(fits) ?? 0;
}

function candidates(schema: JsonObject, { random }: Context): readonly number[] {
  const low = bound(schema, "minimum", "exclusiveMinimum");
  const high = bound(schema, "maximum", "exclusiveMaximum");
  const step = typeof schema["multipleOf"] === "number" ? schema["multipleOf"] : undefined;
  const from = low ?? (high === undefined || high >= 1 ? 1 : high - 100);
  const to = high ?? from + 100;

  const onSteps =
    step === undefined
      ? []
      : [0, 1, 2, 3].map((count) =>
          Number(((Math.ceil(from / step) + count) * step).toPrecision(12)),
        );
  const whole = random.between(
    Math.ceil(from),
    Math.max(Math.ceil(from), Math.min(Math.floor(to), Math.ceil(from) + 99)),
  );
  return [
    ...onSteps,
    whole,
    from,
    to,
    Math.ceil(from),
    Math.ceil(from) + 1,
    Math.floor(to),
    Math.floor(to) - 1,
    (from + to) / 2,
  ];
}

function bound(schema: JsonObject, plain: string, exclusive: string): number | undefined {
  const values = [schema[plain], schema[exclusive]].filter((value) => typeof value === "number");
  if (values.length === 0) return undefined;
  return plain === "minimum" ? Math.max(...values) : Math.min(...values);
}

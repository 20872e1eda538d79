import { expect } from "bun:test";
import fc from "fast-check";
import type { Json, JsonObject } from "#lib/json.ts";
import { disagreement } from "./json-schema.ts";
import { SEED, times } from "./seed.ts";

/** A value of any kind of JSON, which most fields refuse. */
export const ANY_KIND: fc.Arbitrary<unknown> = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true }),
  fc.string(),
  fc.boolean(),
  fc.constant(null),
  fc.constant([]),
  fc.constant({}),
);

/**
 * Fails if the documented schema and the check of requests disagree on a body. One field changes at
 * a time, since a second mistake would hide a disagreement about the first.
 */
export function expectAgreement(
  schema: Json,
  isAccepted: (body: Json) => boolean,
  valid: JsonObject,
  fields: Readonly<Record<string, fc.Arbitrary<unknown>>>,
): void {
  const bodies = Object.entries(fields).map(([name, value]) =>
    value.map((one) => ({ ...valid, [name]: one })),
  );
  fc.assert(
    fc.property(fc.oneof(...bodies), (body) => {
      const json: Json = JSON.parse(JSON.stringify(body));
      const isValid = disagreement(json, schema, () => false) === undefined;
      expect({ body: json, isValid: isAccepted(json) }).toEqual({ body: json, isValid });
    }),
    { seed: SEED, numRuns: times(1_000, 50_000) },
  );
}

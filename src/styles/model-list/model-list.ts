import type { GatewayError } from "#core/error.ts";
import type { ModelTraits } from "#core/model.ts";
import type { Price } from "#core/money.ts";
import type { JsonObject } from "#lib/json.ts";

/** A model as callers may see it. */
export interface ShownModel {
  readonly id: string;
  readonly owner: string;
  /** Unix seconds, if they are known. */
  readonly createdAt: number | undefined;
  readonly traits: ModelTraits;
  /** What its caller is charged, if it has a price. */
  readonly price: Price | undefined;
}

/** One way to write a list of models down. */
export interface ModelListStyle {
  readonly id: string;
  list(models: readonly ShownModel[], page: Page): JsonObject;
  /** `now`: Unix ms. */
  one(model: ShownModel, now: number): JsonObject;
  buildError(error: GatewayError): JsonObject;
}

/** Which part of a list is asked for; every style has its own words for it. */
export interface Page {
  readonly query: URLSearchParams;
  /** Unix ms. */
  readonly now: number;
}

import type { GatewayError } from "#core/error.ts";
import type { ModelTraits } from "#core/model.ts";
import type { Price } from "#core/money.ts";
import type { JsonObject } from "#lib/json.ts";

/** A model as clients may see it. */
export interface ShownModel {
  readonly id: string;
  readonly owner: string;
  /** Unix seconds, if they are known. */
  readonly createdAt: number | undefined;
  readonly traits: ModelTraits;
  /** The client's price, if the model has one. */
  readonly price: Price | undefined;
}

/** One format of a model list. */
export interface ModelListStyle {
  readonly id: string;
  list(models: readonly ShownModel[], page: Page): JsonObject;
  /** `now`: Unix ms. */
  one(model: ShownModel, now: number): JsonObject;
  buildError(error: GatewayError): JsonObject;
}

/** The requested part of a list; each style has its own parameters. */
export interface Page {
  readonly query: URLSearchParams;
  /** Unix ms. */
  readonly now: number;
}

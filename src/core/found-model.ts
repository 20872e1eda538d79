import type { ModelTraits } from "./model.ts";

/** A model in an upstream's model list. */
export interface FoundModel {
  readonly id: string;
  /** Unix seconds, if the list contains it. */
  readonly createdAt?: number;
  /** The traits that the list contains. */
  readonly traits?: ModelTraits;
}

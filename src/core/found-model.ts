import type { ModelTraits } from "./model.ts";

/** A model as its upstream's list tells of it. */
export interface FoundModel {
  readonly id: string;
  /** Unix seconds, if the list says it. */
  readonly createdAt?: number;
  /** As far as the list tells of any. */
  readonly traits?: ModelTraits;
}

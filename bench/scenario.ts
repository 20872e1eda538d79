import type { Site, Target, TargetId, Variant } from "./targets/target.ts";

/** One way of using a gateway, the same for every target. */
export interface Scenario {
  readonly id: string;
  readonly title: string;
  readonly rounds: number;
  /** How the targets are started for it. */
  readonly variant: Variant;
  readonly figures: readonly Figure[];
  /** False if the scenario has no meaning for this target. */
  includes(id: TargetId): boolean;
  /** One round against one target. `isFirst`: the target has not been warmed up yet. */
  measure(target: Target, site: BenchSite, isFirst: boolean): Promise<Sample>;
}

/** A row of the table. */
export interface Figure {
  readonly id: string;
  readonly title: string;
  /** Adds a row that sets the figure against nginx's: divided by it, or minus it. */
  readonly beside?: "ratio" | "difference";
  /** What Sluice's figure, or its relation to nginx's if that is shown, must at most be. */
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** One round of one scenario against one target. */
export interface Sample {
  /** By the id of the figure; one that could not be taken is left out. */
  readonly figures: Readonly<Record<string, number>>;
  /** What went wrong, and how often. */
  readonly failures: Readonly<Record<string, number>>;
}

export interface BenchSite extends Site {
  readonly upstreamPid: number;
}

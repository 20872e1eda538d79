import { MINUTE_MS, type ChannelMinuteStore } from "#core/channel-minute.ts";
import type { Clock } from "#lib/clock.ts";
import type { Channels } from "../routing/channels.ts";

/** A model over the last 24 hours, without the names of its channels. */
export interface ShownModel {
  readonly model: string;
  readonly state: "up" | "degraded" | "down" | "unknown";
  /**
   * Share of the minutes with attempts in which some channel of the model
   * answered; undefined without attempts.
   */
  readonly available: number | undefined;
  /** The same by hour, oldest first. */
  readonly hours: readonly (number | undefined)[];
}

interface Deps {
  readonly minutes: Pick<ChannelMinuteStore, "read">;
  readonly table: Pick<Channels, "models" | "isListed">;
  readonly clock: Clock;
}

export const HOURS = 24;
const HOUR_MS = 60 * MINUTE_MS;
/** Visitors within this time get the same. */
const KEPT_MS = 15_000;
const RECENT_MINUTES = 5;
const DEGRADED = 0.99;
const MAX_MODELS = 2_000;
const END_OF_TIME = Number.MAX_SAFE_INTEGER;

/** Attempts and answers of a channel in each minute. */
type Minutes = ReadonlyMap<number, { readonly answered: boolean }>;

/** Health of the listed models, from the minutes of their channels. */
export class ModelHealth {
  readonly #deps: Deps;
  #kept: { readonly until: number; readonly models: Promise<readonly ShownModel[]> } | undefined;

  constructor(deps: Deps) {
    this.#deps = deps;
  }

  /** Sorted by name. */
  list(): Promise<readonly ShownModel[]> {
    const now = this.#deps.clock.now();
    if (this.#kept !== undefined && this.#kept.until > now) return this.#kept.models;
    const models = this.#read(now);
    this.#kept = { until: now + KEPT_MS, models };
    models.catch(() => (this.#kept = undefined));
    return models;
  }

  async #read(now: number): Promise<readonly ShownModel[]> {
    const { table, minutes } = this.#deps;
    const from = Math.floor(now / HOUR_MS) * HOUR_MS - (HOURS - 1) * HOUR_MS;
    const listed = [...table.models].filter(([name]) => table.isListed(name)).slice(0, MAX_MODELS);
    const ofChannels = new Map<string, Minutes>();
    const ofGroups = new Map<string, Omit<ShownModel, "model">>();
    const shown: ShownModel[] = [];
    for (const [model, candidates] of listed) {
      const channels = [...new Set(candidates.map(({ channel }) => channel.name))].toSorted();
      const group = JSON.stringify(channels);
      for (const name of channels) {
        if (ofChannels.has(name)) continue;
        const read = await minutes.read(name, from, END_OF_TIME);
        ofChannels.set(
          name,
          new Map(
            read
              .filter(({ attempts }) => attempts > 0)
              .map((each) => [each.minute, { answered: each.attempts > each.failed }]),
          ),
        );
      }
      // Models with the same channels have the same health.
      const health =
        ofGroups.get(group) ??
        healthOf(
          channels.flatMap((name) => ofChannels.get(name) ?? []),
          from,
          now,
        );
      ofGroups.set(group, health);
      shown.push({ model, ...health });
    }
    return shown.toSorted((one, other) => (one.model < other.model ? -1 : 1));
  }
}

/** A minute is good if any channel answered in it. */
function healthOf(
  channels: readonly Minutes[],
  from: number,
  now: number,
): Omit<ShownModel, "model"> {
  const good = new Map<number, boolean>();
  for (const [minute, { answered }] of channels.flatMap((each) => [...each])) {
    good.set(minute, answered || good.get(minute) === true);
  }
  const shareOf = (start: number, end: number): number | undefined => {
    const within = [...good].filter(([minute]) => minute >= start && minute < end);
    if (within.length === 0) return undefined;
    return within.filter(([, isGood]) => isGood).length / within.length;
  };
  const hours = Array.from({ length: HOURS }, (_, hour) =>
    shareOf(from + hour * HOUR_MS, from + (hour + 1) * HOUR_MS),
  );
  const recent = shareOf(now - RECENT_MINUTES * MINUTE_MS, END_OF_TIME);
  const available = shareOf(from, END_OF_TIME);
  return { state: stateOf(recent ?? available), available, hours };
}

function stateOf(share: number | undefined): ShownModel["state"] {
  if (share === undefined) return "unknown";
  if (share === 0) return "down";
  return share < DEGRADED ? "degraded" : "up";
}

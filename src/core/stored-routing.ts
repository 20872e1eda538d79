import type { Channel, Credential, Reach } from "./channel.ts";
import type { ModelOverride } from "./model.ts";
import type { GradedRates } from "./money.ts";

/** A channel as somebody describes it. */
export interface ChannelDraft extends Omit<
  Channel,
  "baseUrl" | "maxConcurrent" | "isSimulated" | "reach"
> {
  /** The vendor's own where absent. */
  readonly baseUrl?: string;
  /** The setting for all channels where absent. */
  readonly maxConcurrent?: number;
}

/** Where a channel's calls take its credentials. */
export type Destination = Pick<ChannelDraft, "provider" | "baseUrl" | "options">;

/**
 * The same text for what leads to the same place. With some providers the
 * address follows from the options, or is known to the provider alone.
 */
export function destinationOf({ provider, baseUrl, options = {} }: Destination): string {
  const url = URL.parse(baseUrl ?? "");
  const address = url === null ? (baseUrl ?? null) : url.origin + url.pathname;
  return JSON.stringify([provider, address, Object.entries(options).sort(byName)]);
}

function byName([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : 1;
}

/** A description with what only those who store it say of it. */
export interface ChannelEntry extends ChannelDraft {
  readonly isEnabled: boolean;
  readonly reach: Reach;
}

export interface StoredChannel extends ChannelEntry {
  readonly id: number;
  /** Credentials that are there and do not open; none of the others is given then. */
  readonly sealedCredentials: number;
  /** Unix ms. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** Without credentials the stored ones stay, as long as they go where they went. */
export interface ChannelChange extends Omit<ChannelEntry, "credentials"> {
  readonly credentials?: readonly Credential[];
}

interface ChangedChannel {
  readonly channel: StoredChannel;
  /** Credentials that were let go of, since calls would have taken them somewhere else. */
  readonly dropped: number;
}

/**
 * Channels that are changed while the gateway runs. Credentials are sealed, and
 * bound to where calls take them: provider, address and options.
 */
export interface ChannelStore {
  /** By id. */
  list(): Promise<readonly StoredChannel[]>;
  find(id: number): Promise<StoredChannel | undefined>;
  /** Throws `invalid_request` where the name is taken, or there are too many. */
  create(entry: ChannelEntry): Promise<StoredChannel>;
  /** Of two at once, the second is made of what the first one left. */
  update(
    id: number,
    change: (before: StoredChannel) => ChannelChange,
  ): Promise<ChangedChannel | undefined>;
  /** False where there is none. */
  delete(id: number): Promise<boolean>;
}

/** A model as somebody describes it. */
export interface ModelDraft extends Omit<ModelOverride, "price"> {
  /** Takes the place of the catalogue's price as a whole. */
  readonly rates?: GradedRates;
}

export interface StoredModel {
  /** As callers write it. */
  readonly name: string;
  readonly override: ModelOverride;
  /** Unix ms. */
  readonly updatedAt: number;
}

/** What is said of models while the gateway runs. */
export interface ModelStore {
  /** By name. */
  list(): Promise<readonly StoredModel[]>;
  /** Takes the place of what was said before. Throws `invalid_request` where there are too many. */
  put(name: string, override: ModelOverride): Promise<void>;
  /** False where nothing was said. */
  delete(name: string): Promise<boolean>;
}

/** Moves on with every change of a stored channel, model or setting, whichever gateway made it. */
export interface RoutingVersion {
  read(): Promise<string>;
}

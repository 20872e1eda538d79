import type { Channel, Credential, Reach } from "./channel.ts";
import type { ModelOverride } from "./model.ts";
import type { GradedRates } from "./money.ts";

/** The description of a channel by an admin. */
export interface ChannelDraft extends Omit<
  Channel,
  "baseUrl" | "maxConcurrent" | "isSimulated" | "reach"
> {
  /** Defaults to the vendor's own URL. */
  readonly baseUrl?: string;
  /** Defaults to the setting for all channels. */
  readonly maxConcurrent?: number;
}

/** Where a channel sends its credentials. */
export type Destination = Pick<ChannelDraft, "provider" | "baseUrl" | "options">;

/**
 * The same text for equal destinations. With some providers the address follows
 * from the options, or only the provider knows it.
 */
export function destinationOf({ provider, baseUrl, options = {} }: Destination): string {
  const url = URL.parse(baseUrl ?? "");
  const address = url === null ? (baseUrl ?? null) : url.origin + url.pathname;
  return JSON.stringify([provider, address, Object.entries(options).sort(byName)]);
}

function byName([one]: readonly [string, string], [other]: readonly [string, string]): number {
  return one < other ? -1 : 1;
}

/** A channel description with the fields that only the database has. */
export interface ChannelEntry extends ChannelDraft {
  readonly isEnabled: boolean;
  readonly reach: Reach;
}

export interface StoredChannel extends ChannelEntry {
  readonly id: number;
  /** Counts the changes; 1 for a new channel. */
  readonly revision: number;
  /** The latest changes, oldest first. */
  readonly changes: readonly ChannelRevision[];
  /** Number of stored credentials that cannot be decrypted; if any, `credentials` is empty. */
  readonly sealedCredentials: number;
  /** Unix ms. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** One change of a stored channel. */
export interface ChannelRevision {
  /** The revision that it made. */
  readonly revision: number;
  /** Unix ms. */
  readonly at: number;
  /** Names of the changed fields, as the API calls them. */
  readonly fields: readonly string[];
}

/** Without credentials the stored ones stay, if the destination is unchanged. */
export interface ChannelChange extends Omit<ChannelEntry, "credentials"> {
  readonly credentials?: readonly Credential[];
}

interface ChangedChannel {
  readonly channel: StoredChannel;
  /** Number of credentials that were deleted because the channel's destination changed. */
  readonly dropped: number;
}

/**
 * The store of channels that admins change at run time. Credentials are
 * encrypted and bound to their destination: provider, address and options.
 */
export interface ChannelStore {
  /** Ordered by id. */
  list(): Promise<readonly StoredChannel[]>;
  find(id: number): Promise<StoredChannel | undefined>;
  /** Throws `invalid_request` if the name is taken, or if there are too many channels. */
  create(entry: ChannelEntry): Promise<StoredChannel>;
  /** Concurrent updates run one after the other: `change` gets the latest version. */
  update(
    id: number,
    change: (before: StoredChannel) => ChannelChange,
  ): Promise<ChangedChannel | undefined>;
  /** False if it does not exist. `check` may throw; it gets the latest version. */
  delete(id: number, check?: (before: StoredChannel) => void): Promise<boolean>;
}

/** The description of a model by an admin. */
export interface ModelDraft extends Omit<ModelOverride, "price"> {
  /** Replaces the catalogue's price completely. */
  readonly rates?: GradedRates;
}

export interface StoredModel {
  /** The name that clients use. */
  readonly name: string;
  readonly override: ModelOverride;
  /** Unix ms. */
  readonly updatedAt: number;
}

/** The store of model overrides that admins change at run time. */
export interface ModelStore {
  /** Ordered by name. */
  list(): Promise<readonly StoredModel[]>;
  /** Replaces the previous override. Throws `invalid_request` if there are too many. */
  put(name: string, override: ModelOverride): Promise<void>;
  /** False if the model has no override. */
  delete(name: string): Promise<boolean>;
}

/** Changes with every change of a stored channel, model or setting on any gateway. */
export interface RoutingVersion {
  read(): Promise<string>;
}

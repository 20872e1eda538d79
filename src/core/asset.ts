import type { MediaPlace } from "./kept-media.ts";

/**
 * The asset library: images, videos and audio files, in groups, that tasks can
 * refer to. A group and its assets belong to a user. They are stored either at
 * a vendor, reached through a channel, or here.
 */
export const ASSET_TYPES = ["image", "video", "audio"] as const;
export type AssetType = (typeof ASSET_TYPES)[number];

/** `identity`: assets of one verified person; only vendors can create these groups. */
export const GROUP_KINDS = ["image", "identity"] as const;
export type GroupKind = (typeof GROUP_KINDS)[number];

/** The status changes once, from `pending` to one of the others. */
export const ASSET_STATUSES = ["pending", "active", "failed"] as const;
export type AssetStatus = (typeof ASSET_STATUSES)[number];

/** Where a vendor stores an asset or group. */
export interface AssetPlace {
  readonly channel: string;
  /** Label of the credential: only the account that created it knows it. */
  readonly account: string;
  /** The vendor's id. */
  readonly upstreamId: string;
}

export interface AssetGroup {
  /** The vendor's id if it is unique here, else ours. */
  readonly id: string;
  readonly userId: number;
  /** Absent for files that are stored here. */
  readonly place?: AssetPlace;
  readonly kind: GroupKind;
  readonly name: string;
  readonly description: string;
  /** Unix ms. */
  readonly createdAt: number;
  readonly updatedAt: number;
}

export interface Asset {
  readonly id: string;
  readonly userId: number;
  readonly groupId: string;
  readonly place?: AssetPlace;
  readonly type: AssetType;
  readonly name: string;
  /** The source URL; empty for a file that its user sent. */
  readonly url: string;
  readonly status: AssetStatus;
  readonly failure?: AssetFailure;
  /** A preview link that expires. */
  readonly link?: AssetLink;
  /** The file, if it is stored here. */
  readonly file?: AssetFile;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** While it is pending: the time of the next poll and the number of polls. */
  readonly dueAt: number;
  readonly looks: number;
}

export interface AssetFailure {
  readonly code: string;
  /** Safe to show to clients. */
  readonly message: string;
}

export interface AssetLink {
  readonly url: string;
  /** Unix ms. */
  readonly endsAt: number;
}

export interface AssetFile {
  readonly store: MediaPlace;
  readonly sizeBytes: number;
  readonly mediaType: string;
  /** SHA-256 in hex. */
  readonly digest: string;
}

/** The fields of an asset that may change. The status may change only from `pending`. */
export type AssetChange = Partial<
  Pick<Asset, "status" | "failure" | "link" | "file" | "updatedAt" | "dueAt" | "looks">
>;

export interface AssetQuery {
  /** Absent for the assets of all users. */
  readonly userId?: number;
  readonly groupIds?: readonly string[];
  readonly groupKind?: GroupKind;
  readonly statuses?: readonly AssetStatus[];
  readonly type?: AssetType;
  /** Substring of the name. */
  readonly name?: string;
  readonly skip: number;
  readonly limit: number;
}

export interface AssetPage {
  /** Newest first. */
  readonly assets: readonly Asset[];
  /** Number of assets on all pages. */
  readonly total: number;
}

interface ListedGroup extends AssetGroup {
  /** Number of its assets. */
  readonly assets: number;
}

interface AssetGroupPage {
  /** Newest first. */
  readonly groups: readonly ListedGroup[];
  /** Number of groups on all pages. */
  readonly total: number;
}

/** A user's totals in the library. */
interface AssetStock {
  readonly groups: number;
  readonly assets: number;
  /** Total size of the files that are stored here. */
  readonly bytes: number;
}

/** Users and channels that already have enough polls running. */
export interface Busy {
  /** For files that are stored here. */
  readonly users: readonly number[];
  /** For files that are stored at vendors. */
  readonly channels: readonly string[];
}

/**
 * The store of the asset library. The database clock measures leases, because
 * all gateways share it.
 */
export interface AssetStore {
  /** False if its id, or its id at the vendor, is taken. */
  addGroup(group: AssetGroup): Promise<boolean>;
  /** Undefined for groups of other users. */
  findGroup(userId: number, id: string): Promise<AssetGroup | undefined>;
  listGroups(userId: number, skip: number, limit: number): Promise<AssetGroupPage>;
  /** Finds a group of any user. */
  findGroupAt(channel: string, upstreamId: string): Promise<AssetGroup | undefined>;
  renameGroup(userId: number, id: string, name: string, now: number): Promise<boolean>;
  /** False if its id, or its id at the vendor, is taken. */
  add(asset: Asset): Promise<boolean>;
  /** Undefined for assets of other users and for removed assets. */
  find(userId: number, id: string): Promise<Asset | undefined>;
  /** Finds an asset of any user, for downloads by signed link. */
  findAny(id: string): Promise<Asset | undefined>;
  list(query: AssetQuery): Promise<AssetPage>;
  stockOf(userId: number): Promise<AssetStock>;
  rename(userId: number, id: string, name: string, now: number): Promise<boolean>;
  /** Undefined if it was removed or if the status transition is not allowed. */
  change(id: string, change: AssetChange): Promise<Asset | undefined>;
  /**
   * Leases pending assets that are due and not leased, for `leaseMs`; skips
   * busy users and channels.
   */
  lease(leaseMs: number, limit: number, busy?: Busy): Promise<readonly Asset[]>;
  /** Hides an asset from all queries; false if it does not exist. */
  remove(userId: number, id: string): Promise<boolean>;
  /** Assets that were removed but not yet deleted. */
  listRemoved(limit: number): Promise<readonly Asset[]>;
  /** Deletes a removed asset. */
  forget(id: string): Promise<void>;
}

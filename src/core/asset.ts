import type { MediaPlace } from "./kept-media.ts";

/**
 * The asset library: pictures, videos and sounds that are kept for tasks to
 * refer to, in groups. A group and its assets belong to a user and are in one
 * place: with a vendor, through a channel, or here.
 */
export const ASSET_TYPES = ["image", "video", "audio"] as const;
export type AssetType = (typeof ASSET_TYPES)[number];

/** `identity`: of one person, who was verified; a vendor makes these and nobody else. */
const GROUP_KINDS = ["image", "identity"] as const;
export type GroupKind = (typeof GROUP_KINDS)[number];

/** From `pending` to one of the others, and no further. */
const ASSET_STATUSES = ["pending", "active", "failed"] as const;
export type AssetStatus = (typeof ASSET_STATUSES)[number];

/** With which vendor something is. */
export interface AssetPlace {
  readonly channel: string;
  /** By its label: only the account that it was made with knows it. */
  readonly account: string;
  /** The vendor's id. */
  readonly upstreamId: string;
}

export interface AssetGroup {
  /** The vendor's where nobody else has it, else ours. */
  readonly id: string;
  readonly userId: number;
  /** Absent for what is kept here. */
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
  /** Where it was taken from. */
  readonly url: string;
  readonly status: AssetStatus;
  readonly failure?: AssetFailure;
  /** Where it can be looked at, for a while. */
  readonly link?: AssetLink;
  /** What is kept here. */
  readonly file?: AssetFile;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** While it is pending: when to look at it again, and how often that was done. */
  readonly dueAt: number;
  readonly looks: number;
}

export interface AssetFailure {
  readonly code: string;
  /** Safe to show. */
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

/** What may become of an asset. A status follows `pending` only. */
export type AssetChange = Partial<
  Pick<Asset, "status" | "failure" | "link" | "file" | "updatedAt" | "dueAt" | "looks">
>;

export interface AssetQuery {
  readonly userId: number;
  readonly groupIds?: readonly string[];
  readonly groupKind?: GroupKind;
  readonly statuses?: readonly AssetStatus[];
  /** A part of the name. */
  readonly name?: string;
  readonly skip: number;
  readonly limit: number;
}

export interface AssetPage {
  /** The newest first. */
  readonly assets: readonly Asset[];
  /** On all pages together. */
  readonly total: number;
}

/** What a user has in the library. */
interface AssetStock {
  readonly groups: number;
  readonly assets: number;
  /** Of files that are kept here. */
  readonly bytes: number;
}

/** Of whom enough is looked at already. */
export interface Busy {
  /** For what is kept here. */
  readonly users: readonly number[];
  /** For what is with vendors. */
  readonly channels: readonly string[];
}

/** Leases are measured by the one clock that all gateways share. */
export interface AssetStore {
  /** False where its id, or what it is with its vendor, is taken. */
  addGroup(group: AssetGroup): Promise<boolean>;
  /** Undefined for groups of others. */
  findGroup(userId: number, id: string): Promise<AssetGroup | undefined>;
  /** Whoever it belongs to. */
  findGroupAt(channel: string, upstreamId: string): Promise<AssetGroup | undefined>;
  renameGroup(userId: number, id: string, name: string, now: number): Promise<boolean>;
  /** False where its id, or what it is with its vendor, is taken. */
  add(asset: Asset): Promise<boolean>;
  /** Undefined for assets of others, and for those that were removed. */
  find(userId: number, id: string): Promise<Asset | undefined>;
  /** Whoever it belongs to: for what is handed out under a signed link. */
  findAny(id: string): Promise<Asset | undefined>;
  list(query: AssetQuery): Promise<AssetPage>;
  stockOf(userId: number): Promise<AssetStock>;
  rename(userId: number, id: string, name: string, now: number): Promise<boolean>;
  /** Undefined where it is removed, or where a status would not follow. */
  change(id: string, change: AssetChange): Promise<Asset | undefined>;
  /** Pending ones that are due and in nobody's hands, for so long; none of those who are busy. */
  lease(leaseMs: number, limit: number, busy?: Busy): Promise<readonly Asset[]>;
  /** Nobody finds it any more; false where there is none. */
  remove(userId: number, id: string): Promise<boolean>;
  /** Removed ones. */
  listRemoved(limit: number): Promise<readonly Asset[]>;
  /** Deletes a removed one. */
  forget(id: string): Promise<void>;
}

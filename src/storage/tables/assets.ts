import type { Insertable, Selectable, Updateable } from "kysely";
import { z } from "zod";
import type {
  Asset,
  AssetChange,
  AssetFailure,
  AssetFile,
  AssetGroup,
  AssetLink,
  AssetPlace,
  AssetStatus,
  AssetType,
  GroupKind,
} from "#core/asset.ts";
import { defined } from "#lib/values.ts";
import { text, whole } from "./columns.ts";

export interface AssetGroupsTable extends PlaceColumns {
  id: string;
  user_id: number;
  kind: GroupKind;
  name: string;
  description: string;
  created_at: number;
  updated_at: number;
}

export interface AssetsTable extends PlaceColumns {
  id: string;
  user_id: number;
  group_id: string;
  type: AssetType;
  name: string;
  status: AssetStatus;
  /** Size of the stored file. */
  size_bytes: number;
  /** JSON of `Details`. */
  details: string;
  created_at: number;
  updated_at: number;
  due_at: number;
  looks: number;
  lease_until: number;
  removed: 0 | 1;
}

interface PlaceColumns {
  channel: string | null;
  account: string | null;
  upstream_id: string | null;
}

/** Fields that no query filters by. */
interface Details {
  readonly url: string;
  readonly failure?: AssetFailure;
  readonly link?: AssetLink;
  readonly file?: AssetFile;
}

export function groupRow(group: AssetGroup): Insertable<AssetGroupsTable> {
  return {
    id: group.id,
    user_id: group.userId,
    ...placeColumns(group.place),
    kind: group.kind,
    name: text(group.name),
    description: text(group.description),
    created_at: whole(group.createdAt),
    updated_at: whole(group.updatedAt),
  };
}

export function toGroup(row: Selectable<AssetGroupsTable>): AssetGroup {
  return {
    id: row.id,
    userId: row.user_id,
    ...defined({ place: toPlace(row) }),
    kind: row.kind,
    name: row.name,
    description: row.description,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export function assetRow(asset: Asset): Insertable<AssetsTable> {
  return {
    id: asset.id,
    user_id: asset.userId,
    group_id: asset.groupId,
    ...placeColumns(asset.place),
    type: asset.type,
    name: text(asset.name),
    created_at: whole(asset.createdAt),
    lease_until: 0,
    removed: 0,
    ...stateColumns(asset),
  };
}

/** The columns of an asset after a change. */
export function changedColumns(asset: Asset, change: AssetChange): Updateable<AssetsTable> {
  return { ...stateColumns({ ...asset, ...change }), lease_until: 0 };
}

function stateColumns(asset: Asset) {
  const { url, failure, link, file } = asset;
  const details: Details = { url, ...defined({ failure, link, file }) };
  return {
    status: asset.status,
    size_bytes: file?.sizeBytes ?? 0,
    details: JSON.stringify(details),
    updated_at: whole(asset.updatedAt),
    due_at: whole(asset.dueAt),
    looks: asset.looks,
  };
}

export function toAsset(row: Selectable<AssetsTable>): Asset {
  return {
    id: row.id,
    userId: row.user_id,
    groupId: row.group_id,
    ...defined({ place: toPlace(row) }),
    type: row.type,
    name: row.name,
    status: row.status,
    ...shape.parse(JSON.parse(row.details)),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    dueAt: row.due_at,
    looks: row.looks,
  };
}

function placeColumns(place: AssetPlace | undefined): PlaceColumns {
  const { channel = null, account = null, upstreamId = null } = place ?? {};
  return { channel, account, upstream_id: upstreamId };
}

function toPlace(row: PlaceColumns): AssetPlace | undefined {
  const { channel, account, upstream_id: upstreamId } = row;
  if (channel === null || account === null || upstreamId === null) return undefined;
  return { channel, account, upstreamId };
}

/** Only this table writes the column, so the check covers only its basic structure. */
const shape = z.custom<Details>(
  (value) => typeof value === "object" && value !== null && "url" in value,
);

import type { ResultFiles } from "@sluice/sandbox/engine/result-files.ts";
import type { JsonObject } from "@sluice/sandbox/json.ts";
import type { Asset, AssetTable } from "./asset-table.ts";
import type { Failure } from "./failures.ts";
import type { AssetGroup } from "./group-table.ts";
import { placeholder } from "./stand-in.ts";

export function groupBody({
  id,
  place,
  type,
  createdAt,
  updatedAt,
  ...words
}: AssetGroup): JsonObject {
  return {
    Id: id,
    Name: words.name,
    Title: words.title,
    Description: words.description,
    GroupType: type,
    ProjectName: place.project,
    CreateTime: writeTime(createdAt),
    UpdateTime: writeTime(updatedAt),
  };
}

/** With a link to the file, which is good for half a day. */
export function assetBody(asset: Asset, table: AssetTable, links: Links): JsonObject {
  const { id, createdAt, requested } = asset;
  const { status, since, failure } = table.stateOf(asset);
  return {
    Id: id,
    Name: requested.name,
    ...(status === "Active" ? { URL: linkTo(asset, table, links) } : {}),
    GroupId: requested.groupId,
    AssetType: requested.type,
    Status: status,
    ProjectName: requested.project,
    CreateTime: writeTime(createdAt),
    UpdateTime: writeTime(Math.max(since, requested.namedAt)),
    ...(failure === undefined ? {} : { Error: { Code: failure, Message: messageOf(failure) } }),
    Moderation: { Strategy: requested.moderation },
  };
}

interface Links {
  readonly files: ResultFiles;
  readonly validSeconds: number;
  /** Where the caller reaches the sandbox. */
  readonly origin: string;
  readonly now: number;
}

function linkTo(asset: Asset, table: AssetTable, links: Links): string {
  const { type, name } = asset.requested;
  const { file } = table.stateOf(asset);
  const other = placeholder(type, name);
  const isKept = file !== undefined && table.bytesOf(asset) !== undefined;
  return links.files.publish({
    origin: links.origin,
    name: `assets/${asset.id}`,
    publishedAt: links.now,
    validSeconds: links.validSeconds,
    contentType: isKept ? file.mediaType : other.mediaType,
    make: () => table.bytesOf(asset) ?? other.make(),
  });
}

/** "WidthTooSmall" is "width too small". */
function messageOf(failure: Failure): string {
  const words = failure.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return `The asset could not be processed: ${words.charAt(0).toLowerCase()}${words.slice(1)}.`;
}

/** "2026-01-01T00:00:00Z" */
function writeTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19)}Z`;
}

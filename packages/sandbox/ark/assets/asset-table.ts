import { ownerIn, type Place } from "../account.ts";
import { newId } from "../ids.ts";
import { keptFiles } from "@sluice/sandbox/engine/kept-files.ts";
import type { TaskSettings } from "@sluice/sandbox/engine/task-settings.ts";
import { readMarks, stateOf, taskTable, type Task } from "@sluice/sandbox/engine/tasks.ts";
import type { AssetFile, AssetType } from "./asset-file.ts";
import { FAILURES, type Failure } from "./failures.ts";
import type { AssetGroup } from "./group-table.ts";
import { openSource, type Source } from "./source.ts";

/** A picture, video or recording that videos are made with. */
export type Asset = Task<AssetWish>;

interface AssetWish {
  readonly groupId: string;
  readonly project: string;
  /** Whether the person in it was verified. */
  readonly isVerified: boolean;
  readonly type: AssetType;
  readonly moderation: Moderation;
  readonly source: Source;
  /** The failure that it simulates. */
  readonly failure: Failure | undefined;
  /** It can be given another. */
  name: string;
  namedAt: number;
}

export const MODERATIONS = ["Default", "Skip"] as const;
type Moderation = (typeof MODERATIONS)[number];

interface AssetOrder {
  readonly group: AssetGroup;
  readonly type: AssetType;
  readonly url: string;
  readonly name: string;
  readonly moderation: Moderation;
  readonly origin: string;
}

interface AssetState {
  readonly status: "Processing" | "Active" | "Failed";
  readonly since: number;
  readonly failure?: Failure;
  /** Facts about the file, after it was imported. */
  readonly file?: AssetFile;
}

export interface AssetTable {
  add(order: AssetOrder): Asset;
  find(id: string, place: Place): Asset | undefined;
  /** The newest first. */
  list(place: Place): readonly Asset[];
  rename(asset: Asset, name: string): void;
  remove(asset: Asset): void;
  stateOf(asset: Asset): AssetState;
  /** Nothing where its file lies elsewhere than on this machine, or had to give way. */
  bytesOf(asset: Asset): Uint8Array | undefined;
}

export function assetTable(options: AssetOptions): AssetTable {
  const { now } = options;
  const table = taskTable<AssetWish>(options);
  const files = keptFiles(MAX_KEPT_BYTES);

  return {
    add({ group, type, url, name, moderation, origin }) {
      const id = newId("asset", now());
      const failure = orderedFailure(name, url, type, moderation);
      const source = openSource(url, type, (bytes) => files.keep(id, bytes));
      return table.open({
        id,
        owner: ownerIn(group.place),
        origin,
        prompt:
          (failure === undefined ? "" : "[fail]") + (readMarks(name).has("stuck") ? "[stuck]" : ""),
        requested: {
          groupId: group.id,
          project: group.place.project,
          isVerified: group.type === "LivenessFace",
          type,
          moderation,
          source,
          failure,
          name,
          namedAt: now(),
        },
      });
    },
    find: (id, place) => table.find(id, ownerIn(place)),
    list: (place) => table.list(ownerIn(place)),
    rename(asset, name) {
      asset.requested.name = name;
      asset.requested.namedAt = now();
    },
    remove(asset) {
      table.remove(asset);
      files.remove(asset.id);
    },
    stateOf: (asset) => assetState(asset, now()),
    bytesOf: (asset) => files.find(asset.id),
  };
}

interface AssetOptions {
  now(): number;
  readonly tasks: TaskSettings;
}

const MAX_KEPT_BYTES = 64 * 1_048_576;

/** It is being worked on for as long as the clock says, and until its file has come. */
function assetState(asset: Asset, at: number): AssetState {
  const { createdAt, requested } = asset;
  const { phase, since } = stateOf(asset, at);
  const { found } = requested.source;
  const working = { status: "Processing", since: createdAt } as const;
  if (phase === "queued" || phase === "running") return working;
  if (phase !== "succeeded")
    return { status: "Failed", since, failure: requested.failure ?? "TranscodingFailed" };
  if (found === undefined) return working;
  if (found.failure !== undefined) return { status: "Failed", since, failure: found.failure };
  const { file } = found;
  return { status: "Active", since, ...(file === undefined ? {} : { file }) };
}

/** `[FaceMismatch]` in the name or `fail-FaceMismatch` in the address; what content is refused for is let pass where nobody looks. */
function orderedFailure(
  name: string,
  url: string,
  type: AssetType,
  moderation: Moderation,
): Failure | undefined {
  const marks = readMarks(name);
  const [, inPath = ""] = /\bfail-(\w+)/.exec(new URL(url).pathname) ?? [];
  const code =
    FAILURES.find((each) => marks.has(each) || each === inPath) ??
    (marks.has("moderate") ? (`Input${type}SensitiveContentDetected` as const) : undefined) ??
    (marks.has("fail") ? "TranscodingFailed" : undefined);
  const isOfContent = code === "ContentRestricted" || code?.startsWith("Input") === true;
  return isOfContent && moderation === "Skip" ? undefined : code;
}

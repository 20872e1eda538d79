import type { ChannelDraft } from "#core/stored-routing.ts";
import { channelOf, channelSchema, type KnownProvider } from "./documents/channel.ts";
import { list, uniqueNames, ALWAYS } from "./documents/fields.ts";
import type { Report } from "./mistakes.ts";
import { readDocument } from "./read-document.ts";
import type { FileNode } from "./tree.ts";

/** A channel in the file. */
export interface ChannelConfig extends ChannelDraft {
  readonly maxConcurrent: number;
}

export function readChannels(
  node: FileNode | undefined,
  providers: readonly KnownProvider[],
  defaultMaxConcurrent: number,
  report: Report,
): readonly ChannelConfig[] {
  if (node === undefined || node.kind === "empty") return [];
  const schema = SCHEMAS.get(providers) ?? channelsSchema(providers);
  SCHEMAS.set(providers, schema);
  const channels: readonly ChannelDraft[] = readDocument(schema, node, report) ?? [];
  return channels.map((each) => ({ maxConcurrent: defaultMaxConcurrent, ...each }));
}

/** Making a schema costs more than reading a file with it. */
const SCHEMAS = new WeakMap<readonly KnownProvider[], ReturnType<typeof channelsSchema>>();

function channelsSchema(providers: readonly KnownProvider[]) {
  const channel = channelSchema({ providers }, {}).transform(channelOf);
  return list(channel).superRefine(uniqueNames, ALWAYS);
}

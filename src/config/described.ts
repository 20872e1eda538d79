import { GatewayError, invalid } from "#core/error.ts";
import type { GroupDraft } from "#core/group.ts";
import type { ChannelDraft, ModelDraft } from "#core/stored-routing.ts";
import { isArray, type Json, type JsonObject } from "#lib/json.ts";
import { channelOf, channelSchema, type KnownProvider } from "./documents/channel.ts";
import { GROUP, groupOf } from "./documents/group.ts";
import { MODEL } from "./documents/model.ts";
import { quote, type FilePlace, type Report } from "./mistakes.ts";
import { modelName } from "./names.ts";
import { readDocument } from "./read-document.ts";
import { type FileNode, joinPath, type Member } from "./tree.ts";

interface DescribedTerms {
  /** Credentials may be stored already, so the description may omit them. */
  readonly isKeyOptional: boolean;
}

/**
 * Reads a channel description in JSON under the same rules as in the file.
 * Throws `invalid_request` for the first mistake.
 */
export function readDescribedChannel(
  json: JsonObject,
  providers: readonly KnownProvider[],
  { isKeyOptional }: DescribedTerms,
): ChannelDraft {
  const schema = channelSchema({ providers, isKeyOptional }, {}).transform(channelOf);
  return readWhole((report) => readDocument(schema, toNode(json, TOP), report));
}

/** The same for an entry of `models`. */
export function readDescribedModel(name: string, json: JsonObject): ModelDraft {
  if (modelName.parse(name) === undefined) {
    throw invalid("name", `${quote(name)} is not ${modelName.expects}.`);
  }
  return readWhole((report) => readDocument(MODEL, toNode(json, TOP), report));
}

/** The same for a group. */
export function readDescribedGroup(json: JsonObject): GroupDraft {
  const schema = GROUP.transform(({ name, ...given }) => ({ name, ...groupOf(given) }));
  return readWhole((report) => readDocument(schema, toNode(json, TOP), report));
}

const TOP: FilePlace = { file: "", path: "" };

function readWhole<T>(read: (report: Report) => T | undefined): T {
  const mistakes: GatewayError[] = [];
  const value = read((place, why) => {
    const path = "variable" in place ? place.variable : place.path;
    mistakes.push(
      path === "" ? new GatewayError("invalid_request", why) : invalid(path, `${path}: ${why}`),
    );
  });
  const [first] = mistakes;
  if (first !== undefined) throw first;
  if (value === undefined)
    throw new GatewayError("invalid_request", "The description must not be empty.");
  return value;
}

/** Numbers are converted to text, as in the file; null counts as absent. */
function toNode(value: Json, place: FilePlace): FileNode {
  if (value === null) return { kind: "empty", place };
  if (isArray(value)) {
    const items = value.map((item, index) =>
      toNode(item, { ...place, path: `${place.path}[${index}]` }),
    );
    return { kind: "list", place, items };
  }
  if (typeof value !== "object") {
    return { kind: "text", place, text: String(value), written: String(value) };
  }
  const members = Object.entries(value).flatMap(([name, member]): [string, Member][] => {
    if (member === undefined || member === null) return [];
    const at = { ...place, path: joinPath(place.path, name) };
    return [[name, { place: at, node: toNode(member, at) }]];
  });
  return { kind: "map", place, members: new Map(members) };
}

import type { ModelDraft } from "#core/stored-routing.ts";
import { MODEL } from "./documents/model.ts";
import { describeSpot, quote, type Report } from "./mistakes.ts";
import { modelName } from "./names.ts";
import { readDocument } from "./read-document.ts";
import type { FileNode, Member } from "./tree.ts";

/** An override of the catalogue in the file. */
export interface ModelOverride extends ModelDraft {
  /** Its position in the file, for the journal of prices. */
  readonly source: string;
}

export function readModels(
  node: FileNode | undefined,
  report: Report,
): ReadonlyMap<string, ModelOverride> {
  const models = new Map<string, ModelOverride>();
  for (const [name, member] of modelEntries(node, report)) {
    const model = readDocument(MODEL, member.node, report);
    if (model !== undefined) models.set(name, { ...model, source: describeSpot(member.place) });
  }
  return models;
}

/** The entries of `models` by name; reports invalid names. */
export function modelEntries(
  node: FileNode | undefined,
  report: Report,
): ReadonlyMap<string, Member> {
  if (node?.kind !== "map") {
    if (node?.kind === "text" || node?.kind === "list") {
      report(node.place, "is not a map from model names to their settings.");
    }
    return new Map();
  }
  for (const [name, { place }] of node.members) {
    if (modelName.parse(name) === undefined) {
      report(place, `${quote(name)} is not ${modelName.expects}.`);
    }
  }
  return node.members;
}

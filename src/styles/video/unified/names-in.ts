import type { JsonObject } from "#lib/json.ts";
import { objectOf } from "#lib/values.ts";
import { FIELDS, type FieldName } from "./fields.ts";

/** Fields with the same meaning: a refusal that names one of them applies to all. */
const SAME: readonly (readonly FieldName[])[] = [
  ["duration", "seconds"],
  ["image", "images", "inputReference", "firstFrame", "endFrame", "references"],
  ["video", "referenceVideos"],
];

/** The client's name of a field, by each name that a refusal may use for it. */
export function namesIn(body: JsonObject): Readonly<Record<string, string>> {
  const names: Record<string, string> = {};
  const single = Object.keys(FIELDS).filter(isField);
  for (const group of [...SAME, ...single.map((field) => [field])]) {
    const [given] = group.flatMap((field) => givenAs(field, body) ?? []);
    if (given === undefined) continue;
    for (const name of group.flatMap((field) => FIELDS[field].names)) names[name] = given;
  }
  return names;
}

function givenAs(field: FieldName, body: JsonObject): string | undefined {
  const metadata = objectOf(body["metadata"]) ?? {};
  const { names } = FIELDS[field];
  const outside = names.find((name) => isSaid(body[name]));
  if (outside !== undefined) return outside;
  const inside = names.find((name) => isSaid(metadata[name]));
  return inside === undefined ? undefined : `metadata.${inside}`;
}

function isSaid(value: unknown): boolean {
  return value !== undefined && value !== null && value !== "";
}

function isField(name: string): name is FieldName {
  return Object.hasOwn(FIELDS, name);
}

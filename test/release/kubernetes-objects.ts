import { parseAllDocuments } from "yaml";
import { isArray, isObject, type Json, type JsonObject } from "#lib/json.ts";

/** The folders of each group in the packages that hold Kubernetes' schemas. */
const PACKAGE_OF: Readonly<Record<string, string>> = {
  "monitoring.coreos.com": "@kubernetes-models/prometheus-operator",
};

/** The first disagreement with the schema of the object's kind; empty if it follows it. */
export async function faultOf(object: JsonObject): Promise<string> {
  const [version = "", kind = ""] = [object["apiVersion"], object["kind"]].map(String);
  const [group = ""] = version.includes("/") ? version.split("/") : [""];
  const name = PACKAGE_OF[group] ?? "kubernetes-models";
  const { [kind]: Model } = (await import(`${name}/${version}/${kind}`)) as Record<
    string,
    (new (value: JsonObject) => { validate(): void }) | undefined
  >;
  if (Model === undefined) return `unknown kind ${version} ${kind}`;
  try {
    new Model(object).validate();
    return "";
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause);
  }
}

export function objectsIn(text: string): readonly JsonObject[] {
  return parseAllDocuments(text)
    .map((each) => each.toJSON() as JsonObject | null)
    .filter((each) => each !== null);
}

export function at(value: JsonObject, ...path: string[]): JsonObject {
  let found: Json | undefined = value;
  for (const name of path) found = isObject(found) ? found[name] : undefined;
  return isObject(found) ? found : {};
}

export function listOf(value: Json | undefined): readonly JsonObject[] {
  return value !== undefined && isArray(value) ? value.filter(isObject) : [];
}

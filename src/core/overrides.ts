import { isObject, type Json, type JsonObject } from "#lib/json.ts";
import type { LossReport } from "./lossy.ts";
import type { BodyEdits } from "./style.ts";

/** Named values to set, to set if absent, and to remove. */
export interface ValueChanges<T> {
  readonly set?: Readonly<Record<string, T>>;
  readonly default?: Readonly<Record<string, T>>;
  readonly remove?: readonly string[];
}

/** The owner's changes to every request of a channel. */
export interface RequestOverrides {
  /** By names in lower case. */
  readonly headers?: ValueChanges<string>;
  readonly query?: ValueChanges<string>;
}

export interface Overrides extends RequestOverrides {
  /** By paths of members, such as `thinking.type`. */
  readonly body?: ValueChanges<Json>;
}

/** The changes of a JSON body, as edits of its top-level members; reports removed members. */
export function bodyOverrides(
  body: JsonObject,
  { set = {}, default: defaults = {}, remove = [] }: ValueChanges<Json>,
  report: Pick<LossReport, "lose">,
): BodyEdits {
  const edits: Record<string, Json | undefined> = {};
  const change = (path: string, value: Json | undefined): void => {
    const [root = "", ...rest] = path.split(".");
    edits[root] = withMember(root in edits ? edits[root] : body[root], rest, value);
  };
  const current = (path: string): Json | undefined => memberAt({ ...body, ...edits }, path);
  for (const path of remove) {
    if (current(path) === undefined) continue;
    change(path, undefined);
    report.lose(path);
  }
  for (const [path, value] of Object.entries(set)) change(path, value);
  for (const [path, value] of Object.entries(defaults)) {
    if (current(path) === undefined) change(path, value);
  }
  return edits;
}

/** Headers or query parameters after the changes. Values that hold `kept` stay as they are. */
export function overridden(
  values: Readonly<Record<string, string>>,
  { set = {}, default: defaults = {}, remove = [] }: ValueChanges<string>,
  kept: string | undefined,
): Readonly<Record<string, string>> {
  const isKept = (name: string): boolean =>
    kept !== undefined && values[name]?.includes(kept) === true;
  const changed: Record<string, string> = { ...values };
  for (const name of remove) if (!isKept(name)) delete changed[name];
  for (const [name, value] of Object.entries(set)) if (!isKept(name)) changed[name] = value;
  for (const [name, value] of Object.entries(defaults)) changed[name] ??= value;
  return changed;
}

function memberAt(body: Json | undefined, path: string): Json | undefined {
  let found = body;
  for (const name of path.split(".")) found = isObject(found) ? found[name] : undefined;
  return found;
}

/** A copy of the value with a member at a path. A value that has no members stays as it is. */
function withMember(
  of: Json | undefined,
  [first, ...rest]: readonly string[],
  value: Json | undefined,
): Json | undefined {
  if (first === undefined) return value;
  if (of !== undefined && !isObject(of)) return of;
  const member = withMember(of?.[first], rest, value);
  if (member !== undefined) return { ...of, [first]: member };
  const { [first]: _, ...others } = of ?? {};
  return of === undefined ? undefined : others;
}

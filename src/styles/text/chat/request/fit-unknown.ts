import type { Json, JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { membersOf } from "#styles/text/request-fields.ts";
import { NO_LOSS } from "#styles/text/body-editor.ts";
import type { Fit } from "./fit-request.ts";
import { isDefault } from "./defaults.ts";
import { parseTemperature, parseTopP, restOfParameters } from "./parameters.ts";
import { parseReasoning, withoutReasoning } from "../conversation/reasoning-in.ts";
import { vendorNames } from "./vendor-members.ts";
import { buildWebSearch, parseWebSearch, SEARCH_MEMBERS } from "./web-search.ts";

/**
 * Says in members that every vendor has what the body says in extensions that
 * this vendor does not know. What it says of reasoning, `fitReasoning` reads.
 */
export function liftExtensions(fit: Fit): void {
  const { knows } = fit.dialect;
  if (knows !== undefined && fit.editor.namesBeside(knows).length > 0) lift(fit);
}

function lift({ editor, dialect, context: { report } }: Fit): void {
  const body = editor.current;

  const add = (name: string, value: Json | undefined): void => {
    if (value !== undefined && !editor.has(name)) editor.set(name, value, NO_LOSS);
  };
  add("temperature", parseTemperature(body));
  add("top_p", parseTopP(body));
  if (holders(body).some((name) => editor.has(name))) {
    const { effort, budgetTokens } = parseReasoning(body) ?? {};
    add("reasoning_effort", effort);
    if (effort === undefined) add("thinking_budget", budgetTokens);
  }
  if (!editor.has("web_search_options") && asksToSearch(body)) {
    const search = parseWebSearch(body);
    const model = textOf(body["model"]) ?? "";
    if (search !== undefined) {
      editor.assign(membersOf(buildWebSearch(search, model, dialect), report));
    }
  }
}

/** Members that hold reasoning among other things. */
function holders(body: JsonObject): readonly string[] {
  return ["extra_body", "generationConfig", "parameters", ...vendorNames(body)];
}

function asksToSearch(body: JsonObject): boolean {
  return [...SEARCH_MEMBERS, ...holders(body)].some((name) => isSet(body[name]));
}

function isSet(value: Json | undefined): boolean {
  return value !== undefined && value !== null;
}

/** Removes the members that the vendor does not know, and reports those of which something is lost. */
export function dropUnknown({ editor, dialect }: Fit): void {
  const { knows } = dialect;
  if (knows === undefined) return;
  const unknown = editor.namesBeside(knows);
  if (unknown.length === 0) return;
  const body = editor.current;
  const rest = { ...withoutReasoning(body, VENDOR_MEMBERS), ...restOfParameters(body) };
  const read = new Set<string>([...holders(body), ...SEARCH_MEMBERS, "usage"]);
  for (const name of unknown) {
    // Already gone, or reported where it was read.
    const value = editor.get(name);
    if (value === undefined) continue;
    const lost = read.has(name) ? rest[name] : value;
    editor.remove(name, lost === undefined || isDefault(name, lost) ? NO_LOSS : name);
  }
}

/** What of a vendor's own object is read. */
const VENDOR_MEMBERS = ["thinking_config"];

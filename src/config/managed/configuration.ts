import { createHash } from "node:crypto";
import { stringify } from "yaml";
import { z } from "zod";
import type {
  Atomically,
  Configuration,
  ConfigurationPlan,
  DescribedStores,
  FieldChange,
  PlannedChange,
} from "#core/configuration.ts";
import { GatewayError } from "#core/error.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { parseBytes } from "../file.ts";
import { fields } from "../documents/fields.ts";
import { ConfigError, quote, type Mistake, type Report } from "../mistakes.ts";
import { readDocument } from "../read-document.ts";
import type { MapNode } from "../tree.ts";
import { alertDestinations } from "./alert-destinations.ts";
import { alertRules } from "./alert-rules.ts";
import { channels } from "./channels.ts";
import { gateway } from "./gateway.ts";
import { groups } from "./groups.ts";
import { models } from "./models.ts";
import {
  isSame,
  load,
  type Loaded,
  type Section,
  sorted,
  type Stored,
  type Terms,
  type Wanted,
} from "./section.ts";
import { settings } from "./settings.ts";
import { teams } from "./teams.ts";

interface ConfigurationDeps extends Terms {
  readonly stores: DescribedStores;
  readonly atomically: Atomically;
  /** Called after changes were applied, so that caches are refreshed. */
  onApplied(): Promise<void>;
}

/** In the order of writing and of application. */
const SECTIONS = new Map([
  ["settings", kind(settings)],
  ["channels", kind(channels)],
  ["models", kind(models)],
  ["groups", kind(groups)],
  ["teams", kind(teams)],
  ["gateway", kind(gateway)],
  ["alert_destinations", kind(alertDestinations)],
  ["alert_rules", kind(alertRules)],
]);
const NAMES = [...SECTIONS.keys()];
const SECTION_NAMES = fields(
  Object.fromEntries(NAMES.map((name) => [name, z.unknown().optional()])),
);
const PLACE = { file: "document", path: "" };

/** By section: the stored and the requested objects. */
type State = ReadonlyMap<string, Loaded>;
type Document = ReadonlyMap<string, ReadonlyMap<string, Wanted>>;

export function openConfiguration(deps: ConfigurationDeps): Configuration {
  const { stores, atomically } = deps;
  return {
    async export() {
      const written: Record<string, Json> = {};
      for (const [name, { stored }] of await loadState(stores, NAMES)) {
        const objects = sorted(stored).map(([each, { fields }]) => [each, fields] as const);
        written[name] = SECTIONS.get(name)?.write(objects) ?? null;
      }
      // No line folding and no YAML aliases.
      return stringify(written, { lineWidth: 0, aliasDuplicateObjects: false });
    },

    async plan(bytes) {
      const mistakes: Mistake[] = [];
      const root = parse(bytes, mistakes);
      const state = await loadState(stores, sectionsIn(root));
      return planFor(bytes, state, read(root, state, deps, mistakes));
    },

    async apply(bytes, digest, actor) {
      const mistakes: Mistake[] = [];
      const root = parse(bytes, mistakes);
      const plan = await atomically(async (on) => {
        const state = await loadState(on, sectionsIn(root));
        const document = read(root, state, deps, mistakes);
        const latest = planFor(bytes, state, document);
        if (latest.digest !== digest) throw outdated();
        for (const change of latest.changes) await make(change, state, document, on, actor);
        return latest;
      });
      await deps.onApplied();
      return plan;
    },
  };
}

/** The sections of a document; other sections are not loaded. */
function sectionsIn({ members }: MapNode): readonly string[] {
  return NAMES.filter((name) => members.has(name));
}

async function loadState(stores: DescribedStores, names: readonly string[]): Promise<State> {
  const state = new Map<string, Loaded>();
  for (const name of names) {
    const loaded = await SECTIONS.get(name)?.load(stores);
    if (loaded !== undefined) state.set(name, loaded);
  }
  return state;
}

function parse(bytes: Uint8Array, mistakes: Mistake[]): MapNode {
  const report = reportTo(mistakes);
  const { root } = parseBytes(bytes, PLACE, "as written", report);
  readDocument(SECTION_NAMES, root, report);
  return root;
}

/** Throws `invalid_request` with all mistakes, including those of the parser. */
function read(root: MapNode, state: State, terms: Terms, mistakes: Mistake[]): Document {
  const report = reportTo(mistakes);
  const document = new Map<string, ReadonlyMap<string, Wanted>>();
  for (const [name, loaded] of state) {
    const node = root.members.get(name)?.node;
    if (node?.kind === "empty") report(node.place, NO_VALUE);
    else if (node !== undefined) document.set(name, loaded.read(node, terms, report));
  }
  if (mistakes.length === 0) return document;
  const { message } = new ConfigError(mistakes);
  const details = { mistakes: mistakes.map(showMistake) };
  throw new GatewayError("invalid_request", message, { details });
}

/** An empty section would delete all objects, so it must be explicit. */
const NO_VALUE = "has no value. Write [] or {} to delete all, or leave it out to change nothing.";

/** Deletions first, because they free names. */
function planFor(bytes: Uint8Array, state: State, document: Document): ConfigurationPlan {
  const changes: PlannedChange[] = [];
  const saved: PlannedChange[] = [];
  for (const [section, wanted] of document) {
    const stored = state.get(section)?.stored ?? new Map<string, Stored>();
    for (const [name, { fields }] of sorted(stored)) {
      if (!wanted.has(name)) changes.push(planned(section, name, fields, undefined));
    }
    for (const [name, { fields }] of sorted(wanted)) {
      saved.push(planned(section, name, stored.get(name)?.fields, fields));
    }
  }
  const present = [...state].map(([name, { stored }]) => [
    name,
    sorted(stored).map(([each, { fields, stamp = null }]) => [each, fields, stamp]),
  ]);
  const digest = createHash("sha256").update(JSON.stringify(present)).update("\n").update(bytes);
  return { digest: digest.digest("hex"), changes: [...changes, ...saved] };
}

function planned(
  section: string,
  name: string,
  before: JsonObject | undefined,
  after: JsonObject | undefined,
): PlannedChange {
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  const fields = names
    .filter((field) => !isSame(before?.[field], after?.[field]))
    .map((field): FieldChange => ({
      field,
      before: before?.[field] ?? null,
      after: after?.[field] ?? null,
    }));
  return { section, name, action: actionFor(before, after, fields.length > 0), fields };
}

function actionFor(
  before: JsonObject | undefined,
  after: JsonObject | undefined,
  isOther: boolean,
): PlannedChange["action"] {
  if (after === undefined) return "delete";
  if (before === undefined) return "create";
  return isOther ? "change" : "nothing";
}

async function make(
  { section, name, action }: PlannedChange,
  state: State,
  document: Document,
  stores: DescribedStores,
  actor: string,
): Promise<void> {
  if (action === "nothing") return;
  try {
    if (action === "delete") await state.get(section)?.stored.get(name)?.delete(stores);
    else await document.get(section)?.get(name)?.save(stores, `${actor}: configuration applied`);
  } catch (cause) {
    const { code, message, fault } = GatewayError.from(cause);
    if (fault.blame !== "client") throw cause;
    throw new GatewayError(code, `Nothing was applied: ${section}, ${quote(name)}: ${message}`, {
      cause,
    });
  }
}

const MAX_MISTAKES = 1_000;

function reportTo(mistakes: Mistake[]): Report {
  return (place, why) => {
    if (mistakes.length < MAX_MISTAKES) mistakes.push({ place, why });
  };
}

function showMistake({ place, why }: Mistake): JsonObject {
  const { path = "", position } = "variable" in place ? {} : place;
  return { line: position?.line ?? null, column: position?.column ?? null, path, message: why };
}

function outdated(): GatewayError {
  return new GatewayError(
    "plan_outdated",
    "The plan is outdated: the document or the stored configuration has changed " +
      "since. Nothing was applied. Create a new plan.",
  );
}

function kind<S extends Stored>(section: Section<S>) {
  return {
    write: section.write,
    load: (stores: DescribedStores): Promise<Loaded> => load(section, stores),
  };
}

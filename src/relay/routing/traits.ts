import type { FamilyTraits, Model, ModelTraits, RequestRules } from "#core/model.ts";

/** Origins of traits; the first that has the trait takes precedence. */
const TRAIT_ORIGINS = ["configuration", "catalogue", "vendor's list", "family"] as const;

type TraitOrigin = (typeof TRAIT_ORIGINS)[number];

/** The traits of one model by origin. */
export type TraitSources = Readonly<Partial<Record<TraitOrigin, ModelTraits>>>;

/** A record, so that the compiler finds a missing trait. */
const TRAITS: Readonly<Record<keyof ModelTraits, true>> = {
  kind: true,
  line: true,
  deprecatedAt: true,
  retiresAt: true,
  counting: true,
  contextTokens: true,
  maxOutputTokens: true,
  input: true,
  output: true,
  tools: true,
  reasoningControls: true,
  rules: true,
};

/** By catalog row, because each rebuild of the model table reads the same rows. */
const traitsByRow = new WeakMap<Model | FamilyTraits, ModelTraits>();

/** The traits of a model; `undefined` for an unknown model. */
export function traitsOf(known: Model | FamilyTraits | undefined): ModelTraits | undefined {
  if (known === undefined) return undefined;
  let traits = traitsByRow.get(known);
  if (traits === undefined) {
    traits = Object.fromEntries(Object.entries(known).filter(([name]) => name in TRAITS));
    traitsByRow.set(known, traits);
  }
  return traits;
}

export function mergeTraits(sources: TraitSources): ModelTraits {
  const said = weakestFirst(sources);
  const rules: RequestRules = Object.assign({}, ...said.map((each) => each.rules));
  const merged: ModelTraits = Object.assign({}, ...said);
  return merged.rules === undefined ? merged : { ...merged, rules };
}

/** The origin of each trait by name; rules are listed separately, as in `rules.refuses`. */
export function originsOf(sources: TraitSources): Readonly<Record<string, TraitOrigin>> {
  const origins: Record<string, TraitOrigin> = {};
  for (const origin of TRAIT_ORIGINS.toReversed()) {
    const { rules, ...traits } = sources[origin] ?? {};
    for (const name in traits) origins[name] = origin;
    for (const name in rules) origins[`rules.${name}`] = origin;
  }
  return origins;
}

function weakestFirst(sources: TraitSources): readonly ModelTraits[] {
  return TRAIT_ORIGINS.toReversed().flatMap((origin) => sources[origin] ?? []);
}

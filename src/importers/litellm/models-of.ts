/** Words of LiteLLM in lists of models. */
const ALL_TEAM = "all-team-models";
const ALL_PROXY = "all-proxy-models";
const NO_DEFAULT = "no-default-models";

/** Models that an owner may use; undefined for all. */
export type Allowed = readonly string[] | undefined;

/** A list of LiteLLM without its words; names of access groups stand for their models. */
export function allowedIn(
  given: readonly string[],
  groups: ReadonlyMap<string, readonly string[]>,
): Allowed {
  if (given.length === 0 || given.some((each) => each === ALL_PROXY || each === "*")) {
    return undefined;
  }
  return [
    ...new Set(
      given
        .filter((each) => each !== NO_DEFAULT && each !== ALL_TEAM)
        .flatMap((each) => groups.get(each) ?? [each]),
    ),
  ];
}

/** Whether the list leaves the choice to the team. */
export function isAllOfTeam(given: readonly string[]): boolean {
  return given.includes(ALL_TEAM);
}

/** The models that both lists allow. */
export function both(one: Allowed, other: Allowed): Allowed {
  if (one === undefined) return other;
  if (other === undefined) return one;
  const narrow = (names: readonly string[], within: readonly string[]): readonly string[] =>
    names.filter((name) => within.some((each) => covers(each, name)));
  return [...new Set([...narrow(one, other), ...narrow(other, one)])];
}

function covers(pattern: string, name: string): boolean {
  if (pattern === name) return true;
  return pattern.endsWith("*") && name.startsWith(pattern.slice(0, -1));
}

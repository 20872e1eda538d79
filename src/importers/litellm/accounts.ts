import { isEmail } from "#core/user.ts";
import type { Family } from "#core/family.ts";
import type { RateLimits } from "#core/limits.ts";
import type { HeldSecret } from "#core/import.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined, objectOf, textOf } from "#lib/values.ts";
import type { ImportDraft } from "../draft.ts";
import { freshName, sortModels, toDisplayName, toUserName } from "../names.ts";
import { Row } from "../row.ts";
import { budgetOf, fundsOf, joined, severalBudgets, type Budget } from "./funds.ts";
import { allowedIn, both, isAllOfTeam, type Allowed } from "./models-of.ts";
import type { LitellmTables } from "./tables.ts";

/** The owner of keys without a user and a team: the user of the master key. */
const PROXY_USER = "default_user_id";
/** The team of the logins of LiteLLM's own pages. */
const DASHBOARD = "litellm-dashboard";
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/;
const SHA256 = /^[0-9a-f]{64}$/;
const ROLES: Readonly<Record<string, "admin" | "auditor">> = {
  proxy_admin: "admin",
  proxy_admin_viewer: "auditor",
};

interface AccountTerms {
  /** Unix ms. */
  readonly now: number;
  readonly accessGroups: ReadonlyMap<string, readonly string[]>;
}

interface Team {
  readonly row: Row;
  readonly allowed: Allowed;
  readonly isBlocked: boolean;
}

/** Teams, users and keys of LiteLLM's database. */
export class Accounts {
  readonly #tables: LitellmTables;
  readonly #terms: AccountTerms;
  readonly #draft: ImportDraft;
  readonly #budgets: ReadonlyMap<string, Row>;
  readonly #teams = new Map<string, Team>();
  readonly #users = new Map<string, Row>();
  readonly #names = new Set<string>();
  readonly #emails = new Set<string>();
  readonly #groups = new Set<string>();
  /** Models that a member may use in the name of a team, by both ids. */
  readonly #ofMembers = new Map<string, Allowed>();

  constructor(tables: LitellmTables, terms: AccountTerms, draft: ImportDraft) {
    this.#tables = tables;
    this.#terms = terms;
    this.#draft = draft;
    this.#budgets = new Map(
      this.#rows("LiteLLM_BudgetTable").map((row) => [row.text("budget_id") ?? "", row]),
    );
  }

  read(): void {
    for (const row of this.#rows("LiteLLM_TeamTable")) this.#readTeam(row);
    for (const row of this.#rows("LiteLLM_UserTable")) this.#readUser(row);
    for (const row of this.#rows("LiteLLM_TeamMembership")) this.#readMember(row);
    for (const row of this.#rows("LiteLLM_VerificationToken")) this.#readKey(row);
  }

  #rows(table: keyof LitellmTables): readonly Row[] {
    return (this.#tables[table] ?? []).map((each) => new Row(each));
  }

  #referred(id: string | undefined): Row | undefined {
    return id === undefined ? undefined : this.#budgets.get(id);
  }

  #allowed(row: Row): Allowed {
    return allowedIn(row.texts("models"), this.#terms.accessGroups);
  }

  #readTeam(row: Row): void {
    const id = row.text("team_id") ?? "";
    const allowed = this.#allowed(row);
    const isBlocked = row.flag("blocked");
    this.#teams.set(id, { row, allowed, isBlocked });
    const changes: string[] = [];
    const limits = limitsOf(row, undefined);
    if (limits !== undefined) {
      changes.push(`Teams have no rate limits here: ${written(limits)} are left out.`);
    }
    if (allowed !== undefined) {
      changes.push("Its list of models is written into its keys; new keys need their own.");
    }
    if (isBlocked) changes.push("It is blocked there, so its keys are disabled.");
    const aliases = this.#aliasesOf(row);
    if (aliases.length > 0) {
      changes.push(`Its names for models have no counterpart: ${aliases.join(", ")}.`);
    }
    const budgets = [budgetOf(row), ...severalBudgets(row)];
    this.#draft.teams.push({
      ref: id,
      name: toDisplayName(row.text("team_alias"), toDisplayName(id, "team")),
      changes,
      ...this.#funds(budgets, row, changes),
    });
  }

  #aliasesOf(row: Row): readonly string[] {
    const model = this.#rows("LiteLLM_ModelTable").find(
      (each) => each.number("id") === row.number("model_id"),
    );
    return aliasesIn(model?.object("aliases") ?? {});
  }

  #funds(budgets: readonly Budget[], row: Row, changes: string[]) {
    const spent = row.number("spend") ?? 0;
    return fundsOf(budgets, { spent, now: this.#terms.now }, changes);
  }

  #readUser(row: Row): void {
    const id = row.text("user_id") ?? "";
    this.#users.set(id, row);
    const changes: string[] = [];
    const email = this.#emailOf(row, changes);
    const isReadable = !UUID.test(id) || email === undefined;
    const wanted = toUserName(isReadable ? id : (email.split("@")[0] ?? id), "user");
    const name = freshName(wanted, this.#names);
    if (name !== id) changes.push(`The user ${id} has the login name ${name}.`);
    const role = row.text("user_role") ?? "";
    if (role === "internal_user_viewer") {
      changes.push("There, the user cannot create keys; here, a user can.");
    }
    const team = this.#teamOf(id, row, changes);
    const limits = limitsOf(row, undefined);
    const allowed = this.#allowed(row);
    if (allowed !== undefined && row.texts("models").length > 0) {
      changes.push("The user's list of models is written into the user's own keys.");
    }
    const budgets = [budgetOf(row), ...severalBudgets(row)];
    const funds = this.#funds(budgets, row, changes);
    const isBound = funds.quota !== undefined || funds.budgets.length > 0;
    if (isBound && row.texts("teams").length > 0) {
      changes.push("There, calls of a team's keys do not count against it; here they do.");
    }
    this.#draft.users.push({
      ref: id,
      name,
      changes,
      ...funds,
      displayName: toDisplayName(row.text("user_alias"), toDisplayName(email, name)),
      email,
      role: ROLES[role] ?? "user",
      isEnabled: true,
      group: limits === undefined ? undefined : this.#groupFor(limits),
      team: team?.id,
      isTeamOwner: team?.isOwner === true ? true : undefined,
    });
  }

  #emailOf(row: Row, changes: string[]): string | undefined {
    const email = row.text("user_email")?.trim().toLowerCase();
    if (email === undefined) return undefined;
    if (!isEmail(email) || this.#emails.has(email)) {
      changes.push("The e-mail address is not valid or not unique, and is left out.");
      return undefined;
    }
    this.#emails.add(email);
    return email;
  }

  /** Here a user is in one team: the one that the user leads, or the first. */
  #teamOf(
    id: string,
    row: Row,
    changes: string[],
  ): { readonly id: string; readonly isOwner: boolean } | undefined {
    // LiteLLM makes the user of the master key an admin of each new team.
    if (id === PROXY_USER) return undefined;
    const all = [...this.#teams.keys()].filter(
      (team) => row.texts("teams").includes(team) || this.#roleIn(team, id) !== undefined,
    );
    const listed = row.texts("teams").filter((team) => this.#teams.has(team));
    const order = [...new Set([...listed, ...all])];
    const chosen = order.find((team) => this.#roleIn(team, id) === "admin") ?? order[0];
    if (chosen === undefined) return undefined;
    const others = order.filter((team) => team !== chosen);
    if (others.length > 0) {
      changes.push(
        `There, the user is also in ${others.join(", ")}; here a user is in one team. The keys of the other teams stay theirs.`,
      );
    }
    return { id: chosen, isOwner: this.#roleIn(chosen, id) === "admin" };
  }

  #roleIn(team: string, user: string): string | undefined {
    const list = this.#teams.get(team)?.row.json("members_with_roles");
    const found = (Array.isArray(list) ? list : []).find(
      (each) => textOf(objectOf(each)?.["user_id"]) === user,
    );
    return textOf(objectOf(found)?.["role"]);
  }

  /** Users with limits of their own are in a group with these limits of each user. */
  #groupFor(limits: RateLimits): string {
    const name = written(limits);
    if (this.#groups.has(name)) return name;
    this.#groups.add(name);
    this.#draft.groups.push({
      ref: name,
      name,
      changes: ["It has the limits that users have there."],
      fields: { limits: limitFields(limits) },
    });
    return name;
  }

  #readMember(row: Row): void {
    const [team, user] = [row.text("team_id") ?? "", row.text("user_id") ?? ""];
    const referred = this.#referred(row.text("budget_id"));
    if (referred === undefined || !this.#teams.has(team) || !this.#users.has(user)) return;
    const changes: string[] = [];
    const allowed = allowedIn(referred.texts("allowed_models"), this.#terms.accessGroups);
    if (allowed !== undefined) this.#ofMembers.set(`${team} ${user}`, allowed);
    const budget = budgetOf(referred);
    // A member has no total here.
    const monthly = budget.amount !== undefined && budget.duration === undefined;
    if (monthly) {
      changes.push(
        `There, $${budget.amount} is a total; here, it is a budget for each month, because members have no total.`,
      );
    }
    const funds = this.#funds([monthly ? { ...budget, duration: "1mo" } : budget], row, changes);
    if (funds.budgets.length === 0) return;
    this.#draft.members.push({
      ref: `${team} ${user}`,
      name: `${user} in ${team}`,
      changes,
      team,
      user,
      budgets: funds.budgets,
    });
  }

  #readKey(row: Row): void {
    const token = row.text("token") ?? "";
    const teamId = row.text("team_id");
    const last4 = /\.\.\.(.{1,4})$/.exec(row.text("key_name") ?? "")?.[1] ?? "";
    const name = toDisplayName(row.text("key_alias"), `key ...${last4}`);
    const subject = `key ${name}`;
    if (teamId === DASHBOARD) {
      this.#draft.leave(subject, "It is a login of LiteLLM's own pages.");
      return;
    }
    const secret = secretOf(token, last4);
    if (secret === undefined) {
      this.#draft.leave(subject, "It has no digest of a secret.");
      return;
    }
    const team = teamId === undefined ? undefined : this.#teams.get(teamId);
    if (teamId !== undefined && team === undefined) {
      this.#draft.leave(subject, `Its team ${teamId} does not exist there.`);
      return;
    }
    const changes: string[] = [];
    const referred = this.#referred(row.text("budget_id"));
    const budgets = [joined(budgetOf(row), referred && budgetOf(referred)), ...severalBudgets(row)];
    const models = this.#modelsOf(row, teamId, team, changes);
    const endpoints = endpointsOf(row, changes);
    noteRest(row, changes);
    if (team?.isBlocked === true) changes.push("Its team is blocked there, so it is disabled.");
    const { quota, spent, budgets: periods } = this.#funds(budgets, row, changes);
    this.#draft.keys.push({
      ref: token,
      name,
      changes,
      quota,
      spent,
      budgets: periods,
      user: this.#ownerOf(row, name, teamId),
      team: teamId,
      secret,
      isEnabled:
        !row.flag("blocked") &&
        team?.isBlocked !== true &&
        models.length > 0 &&
        endpoints !== NO_ENDPOINT,
      expiresAt: row.time("expires"),
      models: models.length > 0 ? models : ["none"],
      endpoints: endpoints === NO_ENDPOINT ? undefined : endpoints,
      limits: limitsOf(row, referred),
    });
  }

  /** Keys of a team without a user get a service account of the team. */
  #ownerOf(row: Row, name: string, teamId: string | undefined): string {
    const userId = row.text("user_id");
    if (userId !== undefined && this.#users.has(userId)) return userId;
    if (userId === undefined && teamId !== undefined) {
      const ref = `service ${row.text("token") ?? ""}`;
      this.#draft.users.push({
        ref,
        name: freshName(toUserName(name, "service"), this.#names),
        changes: [`It is the service account for the key ${name} of its team.`],
        budgets: [],
        displayName: name,
        role: "user",
        isEnabled: true,
        isService: true,
        team: teamId,
      });
      return ref;
    }
    return this.#makeMissing(userId ?? PROXY_USER);
  }

  #makeMissing(id: string): string {
    if (this.#users.has(id)) return id;
    this.#users.set(id, new Row({ user_id: id }));
    this.#draft.users.push({
      ref: id,
      name: freshName(toUserName(id, "user"), this.#names),
      changes: ["LiteLLM has no row for this user; it owns keys."],
      budgets: [],
      role: "user",
      isEnabled: true,
    });
    return id;
  }

  /** Models that the key, its team and its user allow. */
  #modelsOf(
    row: Row,
    teamId: string | undefined,
    team: Team | undefined,
    changes: string[],
  ): readonly string[] {
    const given = row.texts("models");
    const own = isAllOfTeam(given) ? undefined : this.#allowed(row);
    const userId = row.text("user_id") ?? "";
    const user = this.#users.get(userId);
    const above =
      team === undefined
        ? user && this.#allowed(user)
        : both(team.allowed, this.#ofMembers.get(`${teamId} ${userId}`));
    const allowed = both(own, above);
    if (allowed === undefined) return ["*"];
    if (above !== undefined && JSON.stringify(allowed) !== JSON.stringify(own)) {
      const whose = team === undefined ? "user" : "team";
      changes.push(`Its models are those that its ${whose} may use: ${allowed.join(", ")}.`);
    }
    const { good, bad } = sortModels(allowed);
    if (bad.length > 0)
      changes.push(`Names that no model can have are left out: ${bad.join(", ")}.`);
    if (good.length === 0) changes.push("It may use no model, so it is disabled.");
    return good;
  }
}

function secretOf(token: string, last4: string): HeldSecret | undefined {
  if (SHA256.test(token)) return { sha256: token, last4 };
  // Old versions stored a key that does not begin with `sk-` as it is.
  return /^[\x21-\x7e]{1,512}$/.test(token) ? { text: token } : undefined;
}

function limitsOf(row: Row, referred: Row | undefined): RateLimits | undefined {
  const bound = (name: string): number | undefined => {
    const value = row.number(name) ?? referred?.number(name);
    return value !== undefined && value >= 1 ? Math.floor(value) : undefined;
  };
  const limits = defined({
    requestsPerMinute: bound("rpm_limit"),
    tokensPerMinute: bound("tpm_limit"),
    concurrency: bound("max_parallel_requests"),
  });
  return Object.keys(limits).length === 0 ? undefined : limits;
}

function limitFields({ requestsPerMinute, tokensPerMinute, concurrency }: RateLimits): JsonObject {
  return defined({ rpm: requestsPerMinute, tpm: tokensPerMinute, concurrency });
}

function written(limits: RateLimits): string {
  return Object.entries(limitFields(limits))
    .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
    .join(", ");
}

function aliasesIn(aliases: JsonObject): readonly string[] {
  return Object.entries(aliases).map(([name, of]) => `${name} for ${textOf(of) ?? ""}`);
}

/** The routes that a key may call lead to no endpoint here. */
const NO_ENDPOINT = "none";

const FAMILY_OF_ROUTE: readonly (readonly [RegExp, Family])[] = [
  [/chat|completions|responses|messages|generateContent/, "text"],
  [/embeddings/, "embeddings"],
  [/rerank/, "rerank"],
  [/images/, "images"],
  [/audio|speech|transcriptions/, "audio"],
  [/videos/, "videos"],
];

function endpointsOf(
  row: Row,
  changes: string[],
): readonly Family[] | typeof NO_ENDPOINT | undefined {
  const routes = row.texts("allowed_routes");
  if (routes.length === 0 || routes.some((each) => /^(?:llm_api_routes|\/?\*)$/.test(each))) {
    return undefined;
  }
  const families = new Set<Family>();
  const others: string[] = [];
  for (const route of routes) {
    const found = FAMILY_OF_ROUTE.filter(([words]) => words.test(route));
    for (const [, family] of found) families.add(family);
    if (found.length === 0 && !/models/.test(route)) others.push(route);
  }
  if (others.length > 0) changes.push(`Routes without a counterpart: ${others.join(", ")}.`);
  if (families.size > 0) {
    changes.push(`Its routes become the endpoints ${[...families].join(", ")}.`);
    return [...families];
  }
  changes.push("It may call no endpoint that Sluice has, so it is disabled.");
  return NO_ENDPOINT;
}

/** Names members of a key without a counterpart. */
function noteRest(row: Row, changes: string[]): void {
  const aliases = aliasesIn(row.object("aliases") ?? {});
  if (aliases.length > 0) {
    changes.push(`Its names for models have no counterpart: ${aliases.join(", ")}.`);
  }
  const metadata = row.object("metadata") ?? {};
  const limited = Object.keys(metadata).filter((name) => /^model_(?:rpm|tpm)_limit$/.test(name));
  if (limited.length > 0) changes.push("Its limits of single models are left out: keys have none.");
  const capped = Object.keys(row.object("model_max_budget") ?? {});
  if (capped.length > 0) {
    changes.push(`Its budgets of single models are left out: ${capped.join(", ")}.`);
  }
  const others = Object.keys(metadata).filter((name) => !limited.includes(name));
  if (others.length > 0) changes.push(`Its metadata is left out: ${others.join(", ")}.`);
  if (row.flag("auto_rotate")) {
    changes.push("It is not rotated by itself here: sluice keys rotate.");
  }
  if (row.text("organization_id") !== undefined) {
    changes.push(`Its organization ${row.text("organization_id")} has no counterpart.`);
  }
}

import { GatewayError } from "#core/error.ts";
import type { ChannelDraft, ModelDraft } from "#core/stored-routing.ts";
import type {
  DescribedItem,
  ImportDocument,
  ImportedChannel,
  ImportedGroup,
  ImportedKey,
  ImportedKind,
  ImportedMember,
  ImportedTeam,
  ImportedUser,
  PlannedImport,
} from "#core/import.ts";
import type { Reach } from "#core/channel.ts";
import type { GroupDraft } from "#core/group.ts";
import { type OwnerId } from "#core/key.ts";
import type { Clock } from "#lib/clock.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined, textOf } from "#lib/values.ts";
import { budgetChange } from "./run-import.ts";
import { freeName, NAME_CHARS } from "./free-name.ts";
import type { Owners, Present } from "./present.ts";
import { keyFor, type Running, type Step, type Steps } from "./steps.ts";

/** The rules for objects of an import, those of the management API. */
export interface ImportTerms extends Owners {
  readonly clock: Pick<Clock, "now">;
  /** All three throw `invalid_request`. */
  readChannel(json: JsonObject, terms: { readonly isKeyOptional: boolean }): ChannelDraft;
  readModel(name: string, json: JsonObject): ModelDraft;
  readGroup(json: JsonObject): GroupDraft;
  /** Undefined if no channel may have the address. */
  reachNeeded(url: URL): Reach | undefined;
}

/** The number of service accounts of a team is the other gateway's decision. */
const NO_LIMIT = Number.MAX_SAFE_INTEGER;
/** Only root can import, and root may open private networks. */
const ROOTS_REACH: Reach = "private";

/** Decides for each object of another gateway whether it is created here. */
export function planImport(document: ImportDocument, present: Present, terms: ImportTerms): Steps {
  const planner = new Planner(document.source, present, terms);
  for (const each of document.channels) planner.channel(each);
  for (const each of document.models) planner.model(each);
  for (const each of document.groups) planner.group(each);
  for (const each of document.teams) planner.team(each);
  for (const each of document.users) planner.user(each);
  for (const each of document.members) planner.member(each);
  for (const each of document.keys) planner.key(each);
  return { source: document.source, planned: planner.planned, known: present.imported };
}

type Refused = { readonly why: string };

class Planner {
  readonly planned: Step[] = [];
  readonly #source: string;
  readonly #present: Present;
  readonly #terms: ImportTerms;
  readonly #taken: { readonly [Kind in ImportedKind]: Set<string> };
  readonly #emails: Set<string>;
  readonly #digests: Set<string>;
  readonly #keyNames = new Map<string, Set<string>>();
  /** Objects that exist after the import, by kind and ref, with their names here. */
  readonly #usable = new Map<string, string>();

  constructor(source: string, present: Present, terms: ImportTerms) {
    this.#source = source;
    this.#present = present;
    this.#terms = terms;
    const { names } = present;
    this.#taken = {
      channels: new Set(names.channels),
      models: new Set(names.models),
      groups: new Set(names.groups),
      teams: new Set(names.teams),
      users: new Set(names.users),
      members: new Set(),
      keys: new Set(),
    };
    this.#emails = new Set(present.emails);
    this.#digests = new Set(present.digests);
  }

  channel(item: ImportedChannel): void {
    if (this.#wasImported("channels", item)) return;
    const { name, note } = this.#free("channels", item.name, NAME_CHARS.object);
    const draft = attempt(() =>
      this.#terms.readChannel({ ...item.fields, name }, { isKeyOptional: true }),
    );
    const why = "why" in draft ? draft.why : this.#addressProblem(draft);
    if ("why" in draft || why !== undefined) return this.#leave("channels", item, why ?? "");
    const needed = attempt(() =>
      this.#terms.readChannel({ ...item.fields, name }, { isKeyOptional: false }),
    );
    const isEnabled = item.isEnabled && !("why" in needed);
    const changes = [
      ...(name === item.name ? [] : [note]),
      ...("why" in needed && item.isEnabled
        ? ["It has no credential, so it is disabled until it gets one."]
        : []),
    ];
    this.#create(
      "channels",
      { ...item, changes: [...item.changes, ...changes] },
      name,
      async (on) => {
        const made = await on.stores.channels.create({ ...draft, isEnabled, reach: ROOTS_REACH });
        return String(made.id);
      },
    );
  }

  model(item: DescribedItem): void {
    if (this.#present.imported.has(keyFor("models", item.ref))) {
      this.#add("models", item, item.name, "present");
      return;
    }
    if (this.#taken.models.has(item.name)) {
      return this.#leave("models", item, "The model has a price or other facts of its own here.");
    }
    const { source, date, ...fields } = item.fields;
    const draft = attempt(() => this.#terms.readModel(item.name, fields));
    if ("why" in draft) return this.#leave("models", item, draft.why);
    const { rates, ...said } = draft;
    const today = new Date(this.#terms.clock.now()).toISOString().slice(0, 10);
    const price = rates && {
      ...rates,
      source: textOf(source) ?? this.#source,
      date: textOf(date) ?? today,
    };
    this.#taken.models.add(item.name);
    this.#create("models", item, item.name, async (on) => {
      await on.stores.models.put(item.name, { ...said, ...defined({ price }) });
      return item.name;
    });
  }

  group(item: ImportedGroup): void {
    if (this.#wasImported("groups", item)) return;
    const { name, note } = this.#free("groups", item.name, NAME_CHARS.display);
    const draft = attempt(() => this.#terms.readGroup({ ...item.fields, name }));
    if ("why" in draft) return this.#leave("groups", item, draft.why);
    const channels = item.channels?.flatMap(
      (ref) => this.#usable.get(keyFor("channels", ref)) ?? [],
    );
    const isClosed = channels?.length === 0;
    const changes = [
      ...(name === item.name ? [] : [note]),
      ...(isClosed ? ["No channel here serves it, so its users reach no model."] : []),
    ];
    this.#create(
      "groups",
      { ...item, changes: [...item.changes, ...changes] },
      name,
      async (on) => {
        const allowed = isClosed ? [NO_CHANNEL] : channels;
        const made = await on.stores.groups.create({ ...draft, ...defined({ channels: allowed }) });
        return String(made.id);
      },
    );
  }

  team(item: ImportedTeam): void {
    if (this.#wasImported("teams", item)) return;
    const { name, note } = this.#free("teams", item.name, NAME_CHARS.display);
    const changes = [...item.changes, ...(name === item.name ? [] : [note])];
    this.#create("teams", { ...item, changes }, name, async (on) => {
      const { quota } = item;
      const budgets = budgetChange(item.budgets);
      const { id } = await on.stores.teams.create(
        { name, budgets, ...defined({ quota }) },
        on.note,
      );
      await on.carry(`team:${id}`, item.spent);
      await on.carryBudgets(`team:${id}`, item.budgets);
      return String(id);
    });
  }

  user(item: ImportedUser): void {
    if (this.#wasImported("users", item)) return;
    if (item.isService === true && !this.#has("teams", item.team)) {
      return this.#leave("users", item, "It is a service account, and its team is left out.");
    }
    const { name, note } = this.#free("users", item.name, NAME_CHARS.login);
    const email = this.#freeEmail(item.email);
    const changes = [
      ...(name === item.name ? [] : [note]),
      ...(item.email !== undefined && email === undefined
        ? ["Another user here has the address, so it is left out."]
        : []),
    ];
    const shown = { ...item, changes: [...item.changes, ...changes] };
    this.#create("users", shown, name, (on) => this.#makeUser({ ...item, name, email }, on));
  }

  async #makeUser(item: ImportedUser, on: Running): Promise<string> {
    const { name, displayName, email, role, quota } = item;
    const teamId = this.#idIn("teams", item.team, on);
    const placed =
      item.isService === true && teamId !== undefined
        ? { serviceOf: { teamId, most: NO_LIMIT } }
        : defined({ teamId, isTeamOwner: teamId === undefined ? undefined : item.isTeamOwner });
    const made = await on.stores.users.create({
      name,
      role,
      budgets: budgetChange(item.budgets),
      ...defined({ displayName, email, quota, groupId: this.#idIn("groups", item.group, on) }),
      ...placed,
    });
    if (!item.isEnabled) await on.stores.users.change(made.id, { isEnabled: false });
    await on.carry(`user:${made.id}`, item.spent);
    await on.carryBudgets(`user:${made.id}`, item.budgets);
    return String(made.id);
  }

  member(item: ImportedMember): void {
    if (this.#present.imported.has(keyFor("members", item.ref))) {
      this.#add("members", item, item.name, "present");
      return;
    }
    if (!this.#has("teams", item.team) || !this.#has("users", item.user)) {
      return this.#leave("members", item, "Its user or its team is left out.");
    }
    this.#create("members", item, item.name, async (on) => {
      const owner = `member:${on.idOf("teams", item.team)}-${on.idOf("users", item.user)}` as const;
      await on.stores.quotas.set(owner, { budgets: budgetChange(item.budgets) }, on.note);
      await on.carryBudgets(owner, item.budgets);
      return owner;
    });
  }

  key(item: ImportedKey): void {
    const digest = this.#present.digestOf(item.secret);
    if (this.#present.imported.has(keyFor("keys", digest))) {
      this.#add("keys", item, item.name, "present");
      return;
    }
    if (this.#digests.has(digest)) {
      return this.#leave("keys", item, "A key here has the same secret.");
    }
    if (!this.#has("users", item.user)) {
      return this.#leave("keys", item, "Its user is left out.");
    }
    this.#digests.add(digest);
    const name = this.#freeKeyName(item);
    const changes =
      name === item.name ? [] : [`Another key of its user has this name. It is called ${name}.`];
    const shown = { ...item, changes: [...item.changes, ...changes] };
    this.#create("keys", shown, name, (on) => this.#makeKey({ ...item, name }, on), digest);
  }

  async #makeKey(item: ImportedKey, on: Running): Promise<string> {
    const { name, secret, isEnabled, models, quota, expiresAt, networks, endpoints, limits } = item;
    const { id } = await on.stores.keys.create({
      userId: on.idOf("users", item.user),
      name,
      secret,
      isEnabled,
      models,
      budgets: budgetChange(item.budgets),
      ...defined({ quota, expiresAt, networks, endpoints, limits }),
      ...defined({
        teamId: this.#idIn("teams", item.team, on),
        groupId: this.#idIn("groups", item.group, on),
      }),
    });
    const owner: OwnerId = `key:${id}`;
    if (quota !== undefined) await on.carry(owner, item.spent);
    await on.carryBudgets(owner, item.budgets);
    return String(id);
  }

  /** Adds the object as present, or as deleted here, if it came with an earlier import. */
  #wasImported(
    kind: "channels" | "groups" | "teams" | "users",
    item: { readonly ref: string; readonly name: string; readonly changes: readonly string[] },
  ): boolean {
    const target = this.#present.imported.get(keyFor(kind, item.ref));
    if (target === undefined) return false;
    const name = this.#present.alive[kind].get(target);
    if (name !== undefined) {
      this.#add(kind, item, name, "present");
      this.#usable.set(keyFor(kind, item.ref), name);
    } else {
      this.#leave(kind, item, "It was imported earlier and has been deleted here since.");
    }
    return true;
  }

  #free(
    kind: "channels" | "groups" | "teams" | "users",
    name: string,
    most: number,
  ): { readonly name: string; readonly note: string } {
    const free = freeName(name, this.#source, most, (each) => this.#taken[kind].has(each));
    this.#taken[kind].add(free);
    return { name: free, note: `The name ${name} is taken here, so it is called ${free}.` };
  }

  #freeEmail(email: string | undefined): string | undefined {
    if (email === undefined || this.#emails.has(email)) return undefined;
    this.#emails.add(email);
    return email;
  }

  #freeKeyName({ user, name }: ImportedKey): string {
    const target = this.#present.imported.get(keyFor("users", user));
    const taken = this.#keyNames.get(user) ?? new Set(this.#present.keyNames.get(target ?? ""));
    this.#keyNames.set(user, taken);
    const free = freeName(name, "", NAME_CHARS.display, (each) => taken.has(each));
    taken.add(free);
    return free;
  }

  #addressProblem({ baseUrl }: ChannelDraft): string | undefined {
    const url = URL.parse(baseUrl ?? "");
    if (url === null || this.#terms.reachNeeded(url) !== undefined) return undefined;
    return "Its address is link-local or that of a metadata service, which no channel may have.";
  }

  #has(kind: ImportedKind, ref: string | undefined): boolean {
    return ref !== undefined && this.#usable.has(keyFor(kind, ref));
  }

  #idIn(kind: "teams" | "groups", ref: string | undefined, on: Running): number | undefined {
    return ref !== undefined && this.#has(kind, ref) ? on.idOf(kind, ref) : undefined;
  }

  #create(
    kind: ImportedKind,
    item: { readonly ref: string; readonly changes: readonly string[] },
    name: string,
    make: (running: Running) => Promise<string>,
    memory = item.ref,
  ): void {
    this.#usable.set(keyFor(kind, item.ref), name);
    const planned = { kind, ref: item.ref, name, action: "create", changes: item.changes } as const;
    this.planned.push({ item: planned, memory, make });
  }

  #add(
    kind: ImportedKind,
    { ref }: { readonly ref: string },
    name: string,
    action: PlannedImport["action"],
  ): void {
    this.planned.push({ item: { kind, ref, name, action, changes: [] }, memory: ref });
  }

  #leave(
    kind: ImportedKind,
    { ref, name }: { readonly ref: string; readonly name: string },
    why: string,
  ): void {
    const item = { kind, ref, name, action: "leave", changes: [], why } as const;
    this.planned.push({ item, memory: ref });
  }
}

/** A group's list of channels cannot be empty; a name without a channel allows nothing. */
const NO_CHANNEL = "none";

function attempt<T extends object>(read: () => T): T | Refused {
  try {
    return read();
  } catch (cause) {
    const { message, fault } = GatewayError.from(cause);
    if (fault.blame !== "client") throw cause;
    return { why: message };
  }
}

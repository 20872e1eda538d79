import type { GatewayError } from "#core/error.ts";
import type { LossReport } from "#core/lossy.ts";
import type { BodyEdits, OutboundStyle } from "#core/style.ts";
import type { Clock } from "#lib/clock.ts";
import { isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { camelCase } from "#lib/letter-case.ts";
import type { WireRoute } from "../routing/route.ts";

/** A request member that a channel's vendor refuses for a model, learned from its refusal. */
export interface LearnedRefusal {
  readonly channel: string;
  readonly model: string;
  /** Style of the refused request. */
  readonly style: string;
  /** Path in the body: `thinking.display`. */
  readonly member: string;
  /** Unix ms. */
  readonly until: number;
}

type RefusedRoute = Pick<WireRoute, "channel" | "upstreamModel" | "endpoint">;

const KEPT_MS = 24 * 3_600_000;
const MAX_ROUTES = 1_000;
const MAX_MEMBERS = 16;
const NO_MEMBERS: readonly string[] = [];

/**
 * Members that a vendor refused by name, although the catalog does not list them: they are left out
 * for a day. Only tuning members are; others belong to the client's request, so the client gets the
 * refusal. Each gateway keeps them in memory, because learning again costs one refused request.
 */
export class LearnedRefusals {
  readonly #clock: Pick<Clock, "now">;
  /** By route; the first one learned is the first. */
  readonly #routes = new Map<string, readonly LearnedRefusal[]>();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** Members to leave out; usually none. */
  on(route: RefusedRoute): readonly string[] {
    if (this.#routes.size === 0) return NO_MEMBERS;
    const known = this.#current(keyOf(route));
    return known.length === 0 ? NO_MEMBERS : known.map(({ member }) => member);
  }

  /** Whether a failure names a member that can be left out in a retry. `sent`: the refused body. */
  learn(route: RefusedRoute, failure: GatewayError, sent: string): boolean {
    const named = failure.vendor?.refusedMember;
    if (named === undefined) return false;
    const body = parseJson(sent);
    const member = isObject(body) ? memberIn(body, named) : undefined;
    if (member === undefined || isEssential(route.endpoint.style, member)) return false;

    const key = keyOf(route);
    const known = this.#current(key);
    if (known.length >= MAX_MEMBERS || known.some((each) => each.member === member)) return false;
    if (!this.#routes.has(key) && this.#routes.size >= MAX_ROUTES) this.#forgetFirst();
    const { channel, upstreamModel, endpoint } = route;
    const learned = {
      channel: channel.name,
      model: upstreamModel,
      style: endpoint.style.id,
      member,
      until: this.#clock.now() + KEPT_MS,
    };
    this.#routes.set(key, [...known, learned]);
    return true;
  }

  get all(): readonly LearnedRefusal[] {
    return [...this.#routes.keys()].flatMap((key) => this.#current(key));
  }

  #current(key: string): readonly LearnedRefusal[] {
    const known = this.#routes.get(key);
    if (known === undefined) return [];
    const now = this.#clock.now();
    const current = known.filter(({ until }) => until > now);
    if (current.length === 0) this.#routes.delete(key);
    return current;
  }

  #forgetFirst(): void {
    const [first] = this.#routes.keys();
    if (first !== undefined) this.#routes.delete(first);
  }
}

/** Edits that remove members from a body; each is reported as lost. */
export function editsWithout(
  body: JsonObject,
  members: readonly string[],
  report: LossReport,
): BodyEdits {
  const edits: Record<string, Json | undefined> = {};
  for (const member of members) {
    const [root = "", ...steps] = member.split(".");
    const value = root in edits ? edits[root] : body[root];
    if (value === undefined || !holds(value, steps)) continue;
    edits[root] = without(value, steps);
    report.lose(member);
  }
  return edits;
}

function holds(value: Json, steps: readonly string[]): boolean {
  const [step, ...rest] = steps;
  if (step === undefined) return true;
  const inner = isObject(value) ? value[step] : undefined;
  return inner !== undefined && holds(inner, rest);
}

function without(value: Json, steps: readonly string[]): Json | undefined {
  const [step, ...rest] = steps;
  if (step === undefined || !isObject(value)) return undefined;
  const { [step]: inner, ...others } = value;
  const kept = inner === undefined ? undefined : without(inner, rest);
  return kept === undefined ? others : { ...others, [step]: kept };
}

/** The member as the body spells it: vendors of one style name `topK` as `top_k`. */
function memberIn(body: JsonObject, named: string): string | undefined {
  const steps: string[] = [];
  let at: Json | undefined = body;
  for (const step of named.split(".")) {
    if (!isObject(at)) return undefined;
    const holder: JsonObject = at;
    const spelled = [step, camelCase(step)].find((each) => Object.hasOwn(holder, each));
    if (spelled === undefined) return undefined;
    steps.push(spelled);
    at = holder[spelled];
  }
  return steps.join(".");
}

/**
 * Whether the member is part of the content, or of an object that is not a container of settings.
 */
function isEssential({ outbound }: OutboundStyle, member: string): boolean {
  const { essential } = outbound;
  if (essential.members.has(member)) return true;
  const [root = ""] = member.split(".");
  return root !== member && essential.members.has(root) && !essential.containers.has(root);
}

function keyOf({ channel, upstreamModel, endpoint }: RefusedRoute): string {
  return `${channel.name}\n${upstreamModel}\n${endpoint.style.id}`;
}

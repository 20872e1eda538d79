import { z } from "zod";
import type { ConfigurationPlan, PlannedChange } from "#core/configuration.ts";
import type { JsonObject } from "#lib/json.ts";
import type { SettingDeps } from "#http/deps/settings.ts";
import { requireUser } from "#http/require-user.ts";
import { yaml } from "#http/yaml.ts";
import { DIGEST_QUERY } from "../digest-query.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";

/** The same limit as for a configuration file. */
const MAX_DOCUMENT_BYTES = 1024 * 1024;
/** Maximum number of names in the audit log for each kind of change. */
const MAX_NOTED = 50;

const common = { access: "root", tag: "Configuration" } as const;

const PLAN = z
  .object({
    digest: z.string(),
    changes: z.array(
      z.object({
        section: z.string(),
        name: z.string(),
        action: z.enum(["create", "change", "delete", "nothing"]),
        fields: z.array(z.object({ field: z.string(), before: z.unknown(), after: z.unknown() })),
      }),
    ),
  })
  .meta({ id: "ConfigurationPlan" });

export const exportConfiguration = management({
  operationId: "exportConfiguration",
  ...common,
  scope: "config:read",
  method: "GET",
  path: "/api/config",
  summary:
    "The stored configuration as one YAML document: settings, channels, models, " +
    "groups and teams. Credentials are replaced by placeholders.",
  answer: {
    description: "The document.",
    content: { "application/yaml": z.string() },
  },

  async handle({ id }, { configuration }: Pick<SettingDeps, "configuration">) {
    return yaml(await configuration.export(), id);
  },
});

export const planConfiguration = management({
  operationId: "planConfiguration",
  ...common,
  scope: "config:write",
  method: "POST",
  path: "/api/config/plan",
  takesYaml: true,
  summary:
    "Plan of the changes that a YAML document (`application/yaml`) makes, with its digest. An " +
    "absent section stays unchanged; a given one is complete.",
  data: PLAN,

  async handle(exchange, { configuration }: Pick<SettingDeps, "configuration">) {
    const plan = await configuration.plan(await exchange.readYaml(MAX_DOCUMENT_BYTES));
    return succeed(exchange.id, `Changes to make: ${countOf(plan)}.`, showPlan(plan));
  },
});

export const applyConfiguration = management({
  operationId: "applyConfiguration",
  ...common,
  scope: "config:write",
  method: "POST",
  path: "/api/config/apply",
  takesYaml: true,
  summary:
    "Applies a YAML document completely or not at all. `plan` is the digest of its plan; " +
    "if the plan is outdated, the answer is 409.",
  query: DIGEST_QUERY,
  data: PLAN,

  async handle(
    exchange,
    { configuration }: Pick<SettingDeps, "configuration">,
    { query: { plan: digest } },
  ) {
    const document = await exchange.readYaml(MAX_DOCUMENT_BYTES);
    const plan = await configuration.apply(document, digest, requireUser(exchange).name);
    exchange.note(noteOf(plan));
    return succeed(exchange.id, `Changes made: ${countOf(plan)}.`, showPlan(plan));
  },
});

function countOf({ changes }: ConfigurationPlan): number {
  return changes.filter(({ action }) => action !== "nothing").length;
}

function showPlan({ digest, changes }: ConfigurationPlan): JsonObject {
  return {
    digest,
    changes: changes.map(({ section, name, action, fields }) => ({
      section,
      name,
      action,
      fields: fields.map(({ field, before, after }) => ({ field, before, after })),
    })),
  };
}

/** For the audit log: the changed objects and the names of their changed fields, without values. */
function noteOf({ digest, changes }: ConfigurationPlan): JsonObject {
  const named = (action: PlannedChange["action"]): JsonObject => {
    const found = changes.filter((each) => each.action === action);
    const names = found.slice(0, MAX_NOTED).map(nameOf);
    const more = found.length - names.length;
    return found.length === 0
      ? {}
      : { [action]: more > 0 ? [...names, `and ${more} more`] : names };
  };
  return { plan: digest, ...named("create"), ...named("change"), ...named("delete") };
}

function nameOf({ section, name, action, fields }: PlannedChange): string {
  const changed = action === "change" ? `: ${fields.map(({ field }) => field).join(", ")}` : "";
  return `${section} ${name}${changed}`;
}

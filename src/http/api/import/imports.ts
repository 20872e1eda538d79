import { z } from "zod";
import { IMPORTED_KINDS, type ImportPlan } from "#core/import.ts";
import type { JsonObject } from "#lib/json.ts";
import { defined } from "#lib/values.ts";
import type { SettingDeps } from "#http/deps/settings.ts";
import { requireUser } from "#http/require-user.ts";
import { DIGEST_QUERY } from "../digest-query.ts";
import { succeed } from "../envelope.ts";
import { management } from "../management.ts";
import { IMPORT, readImport } from "./import-document.ts";

const MAX_IMPORT_BYTES = 64 * 1024 * 1024;

const common = {
  access: "root",
  tag: "Configuration",
  scope: "config:write",
  method: "POST",
  maxBodyBytes: MAX_IMPORT_BYTES,
  body: IMPORT,
} as const;

const PLAN = z
  .object({
    digest: z.string(),
    items: z.array(
      z.object({
        kind: z.enum(IMPORTED_KINDS),
        ref: z.string(),
        name: z.string().describe("The name here."),
        action: z
          .enum(["create", "present", "leave"])
          .describe("`present`: it came with an earlier import, and stays as it is."),
        changes: z.array(z.string()).describe("What is not the same here."),
        why: z.string().optional().describe("The reason to leave it out."),
      }),
    ),
    left: z
      .array(z.object({ subject: z.string(), why: z.string() }))
      .describe("What has no place here."),
  })
  .meta({ id: "ImportPlan" });

export const planImport = management({
  operationId: "planImport",
  ...common,
  path: "/api/import/plan",
  summary:
    "Plan of the objects that an import from another gateway creates here, with its digest. " +
    "`sluice import` reads the other gateway's data.",
  data: PLAN,

  async handle({ id }, { importer }: Pick<SettingDeps, "importer">, { body }) {
    const plan = await importer.plan(readImport(body));
    return succeed(id, `Objects to create: ${countOf(plan)}.`, showPlan(plan));
  },
});

export const applyImport = management({
  operationId: "applyImport",
  ...common,
  path: "/api/import/apply",
  summary:
    "Creates the objects of an import completely or not at all. `plan` is the digest of its " +
    "plan; if the plan is outdated, the answer is 409. Objects of an earlier import stay as they are.",
  query: DIGEST_QUERY,
  data: PLAN,

  async handle(exchange, { importer }: Pick<SettingDeps, "importer">, { body, query }) {
    const document = readImport(body);
    const plan = await importer.apply(document, query.plan, requireUser(exchange).name);
    exchange.note({ plan: plan.digest, source: document.source, ...createdIn(plan) });
    return succeed(exchange.id, `Objects created: ${countOf(plan)}.`, showPlan(plan));
  },
});

function countOf({ items }: ImportPlan): number {
  return items.filter(({ action }) => action === "create").length;
}

/** For the audit log: how many objects of each kind were created. */
function createdIn({ items }: ImportPlan): JsonObject {
  const counts = IMPORTED_KINDS.map((kind) => {
    const created = items.filter((each) => each.kind === kind && each.action === "create");
    return [kind, created.length] as const;
  });
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

function showPlan({ digest, items, left }: ImportPlan): JsonObject {
  return {
    digest,
    items: items.map(({ kind, ref, name, action, changes, why }) => ({
      kind,
      ref,
      name,
      action,
      changes: [...changes],
      ...defined({ why }),
    })),
    left: left.map(({ subject, why }) => ({ subject, why })),
  };
}

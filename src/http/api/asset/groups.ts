import { z } from "zod";
import { GROUP_KINDS, type AssetGroup } from "#core/asset.ts";
import type { JsonObject } from "#lib/json.ts";
import type { AssetListDeps } from "#http/deps/asset-list.ts";
import { requireUser } from "#http/require-user.ts";
import { succeed } from "../envelope.ts";
import { optional } from "../fields.ts";
import { management } from "../management.ts";
import { seconds } from "../seconds.ts";
import { PAGES, skippedOf } from "./asset-json.ts";

const GROUP_FIELDS = {
  id: z.string(),
  name: z.string(),
  description: z.string(),
  kind: z.enum(GROUP_KINDS).describe("`identity`: assets of a verified person."),
  channel: z.string().nullable().describe("Null if the gateway stores the files."),
  created_at: z.int(),
};
const GROUP = z.object(GROUP_FIELDS).meta({ id: "AssetGroup" });
const LISTED = z.object({ ...GROUP_FIELDS, assets: z.int() }).meta({ id: "ListedAssetGroup" });

const NAME = z.string().min(1).max(64);
const common = { tag: "Assets", access: "user", path: "/api/asset/self/group" } as const;

export const listOwnAssetGroups = management({
  operationId: "listOwnAssetGroups",
  ...common,
  method: "GET",
  scope: "assets:read",
  summary: "Your groups of assets, latest first.",
  query: z.object(PAGES),
  data: z.object({ items: z.array(LISTED), total: z.int() }),

  async handle(exchange, { assets }: Pick<AssetListDeps, "assets">, { query }) {
    const { id } = requireUser(exchange);
    const { groups, total } = await assets.listGroups(id, skippedOf(query), query.page_size);
    const items = groups.map((group) => ({ ...showGroup(group), assets: group.assets }));
    return succeed(exchange.id, "", { items, total });
  },
});

export const createOwnAssetGroup = management({
  operationId: "createOwnAssetGroup",
  ...common,
  method: "POST",
  scope: "assets:write",
  summary: "Creates a group of assets, at the first vendor with a library or in the gateway.",
  body: z.strictObject({
    name: NAME,
    description: optional(z.string().max(300)),
    place: optional(
      z.enum(["vendor", "gateway"]).describe("`gateway` stores the files here, for any vendor."),
    ),
  }),
  data: GROUP,

  async handle(exchange, { library }: Pick<AssetListDeps, "library">, { body }) {
    const { name, description = "", place } = body;
    using _pause = exchange.suspendIdleTimeout();
    const draft = { name, description, isOwn: place === "gateway" };
    const group = await library.createGroup(requireUser(exchange).id, draft);
    return succeed(exchange.id, "The group was created.", showGroup(group));
  },
});

export const renameOwnAssetGroup = management({
  operationId: "renameOwnAssetGroup",
  ...common,
  path: "/api/asset/self/group/:id",
  method: "PUT",
  scope: "assets:write",
  summary: "Renames a group of assets of yours.",
  body: z.strictObject({ name: NAME }),

  async handle(exchange, { library }: Pick<AssetListDeps, "library">, { body }) {
    using _pause = exchange.suspendIdleTimeout();
    await library.renameGroup(requireUser(exchange).id, exchange.param("id"), body.name);
    return succeed(exchange.id, "The group was renamed.");
  },
});

function showGroup({ id, name, description, kind, place, createdAt }: AssetGroup): JsonObject {
  const channel = place?.channel ?? null;
  return { id, name, description, kind, channel, created_at: seconds(createdAt) };
}

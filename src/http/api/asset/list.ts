import { z } from "zod";
import { ASSET_STATUSES, ASSET_TYPES, type AssetQuery } from "#core/asset.ts";
import { defined } from "#lib/values.ts";
import type { AssetListDeps } from "#http/deps/asset-list.ts";
import { requireUser } from "#http/require-user.ts";
import { succeed } from "../envelope.ts";
import { optional } from "../fields.ts";
import { management } from "../management.ts";
import { choiceField, idField, shortTextField } from "../query-fields.ts";
import {
  ASSET_FIELDS,
  OWN_ASSET,
  PAGES,
  showAsset,
  showOwnAsset,
  skippedOf,
  userNames,
} from "./asset-json.ts";

const FILTER = z.object({
  ...PAGES,
  state: choiceField(ASSET_STATUSES, "Assets in this state."),
  type: choiceField(ASSET_TYPES, "Assets of this kind."),
  group: shortTextField(128, "Assets of this group."),
  name: shortTextField(64, "A part of the name."),
});
const ALL_FILTER = FILTER.extend({ user: idField("Assets of this user.") });

const ASSET = z
  .object({ ...ASSET_FIELDS, user_id: z.int(), user_name: z.string().nullable() })
  .meta({ id: "ListedAsset" });

const TOTAL = z.int().describe("Number of items on all pages.");

const common = { tag: "Assets" } as const;

export const listOwnAssets = management({
  operationId: "listOwnAssets",
  ...common,
  method: "GET",
  path: "/api/asset/self",
  access: "user",
  scope: "assets:read",
  summary: "Your assets, latest first, with links at which they can be read.",
  query: FILTER,
  data: z.object({ items: z.array(OWN_ASSET), total: TOTAL }),

  async handle(exchange, deps: Pick<AssetListDeps, "library" | "assetLinks">, { query }) {
    const { id: userId } = requireUser(exchange);
    using _pause = exchange.suspendIdleTimeout();
    const { assets, total } = await deps.library.list({ ...queryOf(query), userId });
    const shown = assets.map((asset) => showOwnAsset(asset, deps));
    return succeed(exchange.id, "", { items: shown, total });
  },
});

export const listAssets = management({
  operationId: "listAssets",
  ...common,
  method: "GET",
  path: "/api/asset",
  access: "auditor",
  scope: "assets:read",
  summary: "Assets of all users, latest first, without their content.",
  query: ALL_FILTER,
  data: z.object({ items: z.array(ASSET), total: TOTAL }),

  async handle(exchange, { assets, users }: Pick<AssetListDeps, "assets" | "users">, { query }) {
    const page = await assets.list({ ...queryOf(query), ...defined({ userId: query.user }) });
    const names = await userNames(
      page.assets.map(({ userId }) => userId),
      users,
    );
    const shown = page.assets.map((asset) => ({
      ...showAsset(asset),
      user_id: asset.userId,
      user_name: names.get(asset.userId) ?? null,
    }));
    return succeed(exchange.id, "", { items: shown, total: page.total });
  },
});

export const createOwnAsset = management({
  operationId: "createOwnAsset",
  ...common,
  method: "POST",
  path: "/api/asset/self",
  access: "user",
  scope: "assets:write",
  summary: "Adds an asset by the address of its file, which is fetched in the background.",
  body: z.strictObject({
    group_id: z.string().min(1).max(128),
    url: z.string().min(1).max(4_096),
    type: z.enum(ASSET_TYPES),
    name: optional(z.string().max(64)),
  }),
  data: OWN_ASSET,

  async handle(exchange, deps: Pick<AssetListDeps, "library" | "assetLinks">, { body }) {
    const { group_id: groupId, url, type, name = "" } = body;
    const { id: userId } = requireUser(exchange);
    using _pause = exchange.suspendIdleTimeout();
    const asset = await deps.library.create(userId, { groupId, url, type, name });
    return succeed(exchange.id, "The asset was added.", showOwnAsset(asset, deps));
  },
});

const ONE = { ...common, path: "/api/asset/self/:id", access: "user" } as const;

export const renameOwnAsset = management({
  operationId: "renameOwnAsset",
  ...ONE,
  method: "PUT",
  scope: "assets:write",
  summary: "Renames an asset of yours.",
  body: z.strictObject({ name: z.string().min(1).max(64) }),

  async handle(exchange, { library }: Pick<AssetListDeps, "library">, { body }) {
    using _pause = exchange.suspendIdleTimeout();
    await library.rename(requireUser(exchange).id, exchange.param("id"), body.name);
    return succeed(exchange.id, "The asset was renamed.");
  },
});

export const deleteOwnAsset = management({
  operationId: "deleteOwnAsset",
  ...ONE,
  method: "DELETE",
  scope: "assets:write",
  summary: "Deletes an asset of yours, also at its vendor. Its links end.",

  async handle(exchange, { library }: Pick<AssetListDeps, "library">) {
    using _pause = exchange.suspendIdleTimeout();
    await library.remove(requireUser(exchange).id, exchange.param("id"));
    return succeed(exchange.id, "The asset was deleted.");
  },
});

function queryOf(query: z.output<typeof FILTER>): AssetQuery {
  const { state, type, group, name, page_size: limit } = query;
  return {
    skip: skippedOf(query),
    limit,
    ...defined({
      type,
      name,
      statuses: state === undefined ? undefined : [state],
      groupIds: group === undefined ? undefined : [group],
    }),
  };
}

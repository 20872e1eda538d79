import { z } from "zod";
import type { Asset } from "#core/asset.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import type { JsonObject } from "#lib/json.ts";
import {
  ACTIONS,
  holdToAction,
  readAction,
  spokenAction,
  type Action,
} from "#styles/asset/actions.ts";
import { readAsset, readGroup, readPage, textIn } from "#styles/asset/read.ts";
import { writeAsset, writeError, writeGroup, writeResult } from "#styles/asset/write.ts";
import { jsonAnswer } from "#http/answer.ts";
import type { AssetDeps } from "#http/deps/assets.ts";
import { withIdempotency, type IdempotencyDeps } from "#http/idempotency.ts";
import { requireKey } from "#http/require-key.ts";
import type { Endpoint } from "#http/routes.ts";

const MAX_BYTES = 1024 * 1024;

const QUERY = z.object({ Action: z.string(), Version: z.string().optional() });

const RESULT = z
  .looseObject({
    ResponseMetadata: z.looseObject({ Action: z.string(), RequestId: z.string() }),
    Result: z.looseObject({}),
  })
  .meta({ id: "AssetResult" });

/** One address: its query says what is to be done. */
export const assetLibrary: Endpoint<
  IdempotencyDeps & Pick<AssetDeps, "library" | "verifications">
> = {
  operationId: "callAssetLibrary",
  tag: "Assets",
  query: QUERY,
  answer: jsonAnswer(RESULT),
  method: "POST",
  path: "/videoa/api/v3/assets",
  access: "key",
  family: "assets",
  summary: `Groups, assets and verifications of persons: \`?Action=\` one of ${Object.keys(ACTIONS).join(", ")}.`,
  requestSchema: () => ({
    anyOf: Object.entries(ACTIONS).map(([title, rule]) => ({ title, ...schemaOf(rule) })),
  }),
  renderError: (error, { url }, requestId) =>
    writeError({ action: spokenAction(new URL(url).searchParams), requestId }, error),

  async handle(exchange, deps) {
    const action = readAction(exchange.query);
    const { json: body, text } = await exchange.readJson(MAX_BYTES);
    holdToAction(body, action);
    const { userId } = requireKey(exchange);
    using _pause = exchange.suspendIdleTimeout();
    return await withIdempotency(exchange, text, deps, async () => {
      const result = await DO[action](body, userId, deps);
      return {
        kind: "whole",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(writeResult({ action, requestId: exchange.id }, result)),
      };
    });
  },
};

type Do = (
  body: JsonObject,
  userId: number,
  deps: Pick<AssetDeps, "library" | "verifications">,
) => Promise<JsonObject>;

const DO: Readonly<Record<Action, Do>> = {
  CreateAssetGroup: async (body, userId, { library }) =>
    writeGroup(await library.createGroup(userId, readGroup(body))),

  GetAssetGroup: async (body, userId, { library }) =>
    writeGroup(await library.getGroup(userId, textIn(body, "Id"))),

  async UpdateAssetGroup(body, userId, { library }) {
    const id = textIn(body, "Id");
    await library.renameGroup(userId, id, textIn(body, "Name"));
    return { Id: id };
  },

  CreateAsset: async (body, userId, { library }) =>
    writeAsset(await library.create(userId, readAsset(body))),

  async ListAssets(body, userId, deps) {
    const { page, limit, ...query } = readPage(body, userId);
    const { assets, total } = await deps.library.list({ ...query, limit });
    return {
      Items: assets.map((asset) => shown(asset, deps)),
      TotalCount: total,
      PageNumber: page,
      PageSize: limit,
    };
  },

  GetAsset: async (body, userId, deps) =>
    shown(await deps.library.get(userId, textIn(body, "Id")), deps),

  async UpdateAsset(body, userId, { library }) {
    const id = textIn(body, "Id");
    await library.rename(userId, id, textIn(body, "Name"));
    return { Id: id };
  },

  async DeleteAsset(body, userId, { library }) {
    await library.remove(userId, textIn(body, "Id"));
    return {};
  },

  async CreateVisualValidateSession(body, userId, { verifications }) {
    const { link, token } = await verifications.begin(userId, textIn(body, "CallbackURL"));
    return { H5Link: link, VendorToken: token };
  },

  async GetVisualValidateResult(body, userId, { verifications }) {
    const { id, name, kind } = await verifications.result(userId, textIn(body, "VendorToken"));
    return { GroupId: id, Name: name, GroupType: kind };
  },
};

function shown(asset: Asset, { library }: Pick<AssetDeps, "library">): JsonObject {
  return writeAsset(asset, library.linkTo(asset));
}

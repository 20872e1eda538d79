import type { OutboundAssetFormat } from "#core/asset-format.ts";
import type { AssetStatus, AssetType } from "#core/asset.ts";
import { GatewayError } from "#core/error.ts";
import { isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { defined, listOf, memberOf, textOf } from "#lib/values.ts";
import { VERSION } from "./actions.ts";
import { asError } from "./vendor-error.ts";

const TYPES: Readonly<Record<AssetType, string>> = {
  image: "Image",
  video: "Video",
  audio: "Audio",
};
const STATUSES: ReadonlyMap<string, AssetStatus> = new Map([
  ["processing", "pending"],
  ["active", "active"],
  ["failed", "failed"],
]);
const GROUP = "AIGC";
const PERSON = "LivenessFace";

/** Ids become parts of paths, references and other requests. */
const ID = /^[A-Za-z0-9_-]{1,128}$/;

const nothing = (): void => {};

/** The vendor's asset library; errors use the vendor's wording. */
export const assetActions: OutboundAssetFormat = {
  id: "asset-actions",
  queryOf: (action) => `?Action=${action}&Version=${VERSION}`,
  readResult,
  createGroup: {
    action: "CreateAssetGroup",
    isOnce: true,
    build: ({ name, description }) => ({
      Name: name,
      GroupType: GROUP,
      ...(description === "" ? {} : { Description: description }),
    }),
    parse: (result) => idIn(result, "Id"),
  },
  renameGroup: {
    action: "UpdateAssetGroup",
    build: ({ upstreamId, name }) => ({ Id: upstreamId, Name: name }),
    parse: nothing,
  },
  create: {
    action: "CreateAsset",
    isOnce: true,
    build: ({ groupId, url, type, name }) => ({
      GroupId: groupId,
      URL: url,
      AssetType: TYPES[type],
      ...(name === "" ? {} : { Name: name }),
    }),
    parse: (result) => idIn(result, "Id"),
  },
  look: {
    action: "GetAsset",
    build: (upstreamId) => ({ Id: upstreamId }),
    parse(result) {
      const status = STATUSES.get(textOf(result["Status"])?.toLowerCase() ?? "");
      if (status === undefined) throw incomplete();
      return { status, ...defined({ url: linkIn(result["URL"]), failure: failureIn(result) }) };
    },
  },
  rename: {
    action: "UpdateAsset",
    build: ({ upstreamId, name }) => ({ Id: upstreamId, Name: name }),
    parse: nothing,
  },
  remove: { action: "DeleteAsset", build: (upstreamId) => ({ Id: upstreamId }), parse: nothing },
  beginSession: {
    action: "CreateVisualValidateSession",
    isOnce: true,
    build: ({ callbackUrl }) => ({ CallbackURL: callbackUrl }),
    parse(result) {
      const token = textOf(result["BytedToken"]) ?? "";
      const link = linkIn(result["H5Link"]);
      if (token === "" || link === undefined) throw incomplete();
      return { token, link };
    },
  },
  readSession: {
    action: "GetVisualValidateResult",
    isOnce: true,
    build: (token) => ({ BytedToken: token }),
    parse: (result) => idIn(result, "GroupId"),
  },
  listPersons: {
    action: "ListAssetGroups",
    build: ({ limit }) => ({
      Filter: { GroupType: PERSON },
      PageNumber: 1,
      PageSize: limit,
      SortBy: "CreateTime",
      SortOrder: "Desc",
    }),
    parse: (result) =>
      listOf(result["Items"]).flatMap((each) => {
        const createdAt = Date.parse(textOf(memberOf(each, "CreateTime")) ?? "");
        const upstreamId = textOf(memberOf(each, "Id")) ?? "";
        return ID.test(upstreamId) && Number.isFinite(createdAt) ? [{ upstreamId, createdAt }] : [];
      }),
  },
};

/** Gateways in between leave out the envelope. */
function readResult(status: number, text: string): JsonObject {
  const json = parseJson(text);
  const failure = memberOf(memberOf(json, "ResponseMetadata"), "Error");
  const isGood = status >= 200 && status < 300;
  if (isObject(failure) || !isGood) throw asError(status, isObject(failure) ? failure : {});
  if (!isObject(json)) throw incomplete();
  const { Result: result, ResponseMetadata: _, ...bare } = json;
  if (isObject(result)) return result;
  return result === undefined ? bare : {};
}

function idIn(result: JsonObject, name: string): string {
  const id = textOf(result[name]) ?? "";
  if (!ID.test(id)) throw incomplete();
  return id;
}

function linkIn(value: Json | undefined): string | undefined {
  const link = textOf(value) ?? "";
  const protocol = URL.parse(link)?.protocol;
  return protocol === "https:" || protocol === "http:" ? link : undefined;
}

const MAX_FAILURE_CHARS = 500;

function failureIn(result: JsonObject) {
  const error = result["Error"];
  if (!isObject(error)) return undefined;
  const code = textOf(error["Code"]) ?? "";
  if (code === "") return undefined;
  const message = textOf(error["Message"])?.slice(0, MAX_FAILURE_CHARS) ?? "";
  return { code: code.slice(0, 128), message };
}

function incomplete(): GatewayError {
  return new GatewayError("upstream_failed", "The upstream's response has an unexpected format.");
}

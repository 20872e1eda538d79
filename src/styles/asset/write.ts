import type { Asset, AssetGroup } from "#core/asset.ts";
import type { FaultCode, GatewayError } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";
import { VERSION } from "./actions.ts";

/** Request metadata that every response repeats. */
interface RequestedValue {
  readonly action: string;
  readonly requestId: string;
}

export function writeResult(asked: RequestedValue, result: JsonObject): JsonObject {
  return { ResponseMetadata: metadata(asked), Result: result };
}

export function writeError(asked: RequestedValue, error: GatewayError): JsonObject {
  const code = textOf(error.details?.["Code"]) ?? CODES[error.code] ?? "InternalError";
  const failure = { Code: code, Message: error.message };
  return { ResponseMetadata: { ...metadata(asked), Error: failure } };
}

/** Codes that are not listed are failures of the gateway or the vendor. */
const CODES: Partial<Record<FaultCode, string>> = {
  invalid_request: "InvalidParameter",
  not_found: "InvalidParameter",
  upstream_rejected: "InvalidParameter",
  content_filtered: "InvalidParameter",
  unsupported_media_type: "InvalidParameter",
  key_reused: "InvalidParameter",
  method_not_allowed: "UnsupportedAction",
  unauthenticated: "InvalidCredential",
  forbidden: "AccessDenied",
  too_large: "RequestEntityTooLarge",
  rate_limited: "FlowLimitExceeded",
  upstream_rate_limited: "FlowLimitExceeded",
  still_running: "RequestInProgress",
};

function metadata({ action, requestId }: RequestedValue): JsonObject {
  return { Action: action, RequestId: requestId, Version: VERSION };
}

export function writeGroup(group: AssetGroup): JsonObject {
  return {
    Id: group.id,
    Name: group.name,
    GroupType: group.kind,
    Description: group.description,
    CreateTime: time(group.createdAt),
    UpdateTime: time(group.updatedAt),
  };
}

/** `url`: the link for the client; the default is the source URL. */
export function writeAsset(asset: Asset, url = asset.url): JsonObject {
  const { failure } = asset;
  return {
    Id: asset.id,
    GroupId: asset.groupId,
    AssetType: asset.type,
    Name: asset.name,
    URL: url,
    Status: asset.status,
    CreateTime: time(asset.createdAt),
    UpdateTime: time(asset.updatedAt),
    ...(failure === undefined ? {} : { Error: { Code: failure.code, Message: failure.message } }),
  };
}

/** `2026-01-01T00:00:00Z`. */
function time(at: number): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
}

import { locationOf, USUAL, type Place } from "../account.ts";
import type { AssetLibrary } from "../assets/library.ts";
import { newControlId } from "../ids.ts";
import { verificationActions } from "../verification/actions.ts";
import type { SessionTable } from "../verification/session-table.ts";
import type { ResultFiles } from "@sluice/sandbox/engine/result-files.ts";
import { readMarks } from "@sluice/sandbox/engine/tasks.ts";
import { isJsonObject, type Json, type JsonObject } from "@sluice/sandbox/json.ts";
import { ApiError } from "@sluice/sandbox/openai/error.ts";
import { field, readText } from "@sluice/sandbox/openai/fields.ts";
import type { VendorOptions, VendorRequest } from "@sluice/sandbox/vendor.ts";
import { gateRefusal } from "@sluice/sandbox/volcengine/gate-error.ts";
import { checkSignature } from "@sluice/sandbox/volcengine/signature.ts";
import { originOf } from "@sluice/sandbox/wire/origin.ts";
import { jsonReply, type Reply } from "@sluice/sandbox/wire/reply.ts";
import { assetActions } from "./asset-actions.ts";
import type { Action } from "./call.ts";
import { refusalBody, resultBody, type Metadata } from "./envelope.ts";
import { invalidParameter } from "./error.ts";
import { groupActions } from "./group-actions.ts";
import { rateLimits, type Rate } from "./rate-limits.ts";

export const CONTROL_PATH = "/";

/**
 * Assets and verifications are managed at the root, by an action in the query,
 * signed with an access key: https://www.volcengine.com/docs/82379/2318271
 */
export function controlPlane({ library, sessions, files, options }: ControlPlaneOptions) {
  const { tasks: settings } = options;
  const take = rateLimits(() => options.now());
  const groups = groupActions(library);
  const actions: Readonly<Record<string, Action>> = {
    ...groups.actions,
    ...assetActions(library, groups.getGroup, { files, options }),
    ...verificationActions(sessions),
  };

  function run(request: VendorRequest, metadata: Metadata, accessKey: string): Json {
    const action = findAction(request, metadata);
    const place = placeIn(request.body, accessKey);
    const rate = RATES[metadata.action ?? ""];
    const isFull = rate !== undefined && !take(`${place.account} ${metadata.action}`, rate);
    if (settings.rateLimits && isFull) throw gateRefusal("FlowLimitExceeded");
    const result = action({ body: bodyOf(request), place, origin: originOf(request) });
    // The operation runs, but the client does not get its result.
    if (isLost(request.body)) throw new ApiError(504, LOST);
    return result;
  }

  function findAction({ method }: VendorRequest, { action, version }: Metadata): Action {
    if (action === null) throw gateRefusal("MissingParameter", "Action");
    if (version === null) throw gateRefusal("MissingParameter", "Version");
    const found = Object.hasOwn(actions, action) ? actions[action] : undefined;
    if (found !== undefined && version === VERSION && method === "POST") return found;
    throw gateRefusal("InvalidActionOrVersion", `${action} for version ${version}`);
  }

  /** Nothing for other paths. */
  return function reply(request: VendorRequest): Reply | undefined {
    if (request.path !== CONTROL_PATH) return undefined;
    let metadata: Metadata = {
      requestId: newControlId(options.now()),
      action: request.query.get("Action"),
      version: request.query.get("Version"),
      region: undefined,
    };
    try {
      const signed = { ...request, path: `/ark${request.path}` };
      const rules = { apiKeys: options.apiKeys, now: options.now(), ...SERVICE };
      const { accessKey, region } = checkSignature(signed, rules);
      metadata = { ...metadata, region };
      const result = run(request, metadata, accessKey);
      return jsonReply(200, settings.bareResults ? result : resultBody(metadata, result));
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      const isHidden = settings.errorsAs200 && cause.status < 500;
      return jsonReply(isHidden ? 200 : cause.status, refusalBody(metadata, cause));
    }
  };
}

interface ControlPlaneOptions {
  readonly library: AssetLibrary;
  readonly sessions: SessionTable;
  readonly files: ResultFiles;
  readonly options: VendorOptions;
}

const VERSION = "2024-01-01";
const SERVICE = { service: "ark", regions: ["cn-beijing", "ap-southeast-1"] };
const LOST = { code: "InternalError", message: "The service did not answer in time." };

const RATES: Readonly<Record<string, Rate>> = {
  CreateVisualValidateSession: [3, 1_000],
  GetVisualValidateResult: [3, 1_000],
  CreateAssetGroup: [10, 1_000],
  ListAssetGroups: [10, 1_000],
  UpdateAssetGroup: [10, 1_000],
  DeleteAssetGroup: [5, 1_000],
  CreateAsset: [300, 60_000],
  GetAsset: [100, 1_000],
  ListAssets: [10, 1_000],
  UpdateAsset: [10, 1_000],
  DeleteAsset: [10, 1_000],
};

function bodyOf({ body }: VendorRequest): JsonObject {
  if (isJsonObject(body)) return body;
  throw invalidParameter("body", "expected a JSON object");
}

function placeIn(body: Json | undefined, accessKey: string): Place {
  const project = isJsonObject(body) ? readText(field(body, "ProjectName")) : undefined;
  return { account: locationOf(accessKey).account, project: project ?? USUAL };
}

function isLost(body: Json | undefined): boolean {
  return readMarks(textOfControl(body)).has("timeout");
}

/** What a caller writes into a request to the control plane: words in brackets are looked for in it. */
export function textOfControl(body: Json | undefined): string {
  if (!isJsonObject(body)) return "";
  return ["Name", "Title", "Description", "URL", "CallbackURL"]
    .map((name) => body[name])
    .filter((text) => typeof text === "string")
    .join("\n");
}

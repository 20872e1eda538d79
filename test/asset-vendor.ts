import type { JsonObject } from "#lib/json.ts";
import { memberOf, textOf } from "#lib/values.ts";
import { openVendor, type Seen, type Vendor } from "#test/adapter/vendor.ts";

/** The halves of the access key in a channel of `arkChannel`. */
export const PAIR = { id: "AKTEST", secret: "SKTEST" } as const;

/** A vendor that keeps assets and verifies persons, as far as tests need it, and makes videos. */
export interface AssetVendor extends AsyncDisposable {
  readonly vendor: Vendor;
  /** What an action is answered instead. */
  readonly answers: Map<string, (body: JsonObject) => Response | Promise<Response>>;
  readonly assets: Map<string, VendorAsset>;
  /** By the vendor's token: what there is to be told, once. */
  readonly sessions: Map<string, VendorSession>;
  /** Groups of persons, with the time they were made at. */
  readonly persons: Map<string, string>;
  /** Bodies of an action, oldest first. */
  asked(action: string): readonly JsonObject[];
  /** Bodies of requests for videos, oldest first. */
  tasks(): readonly JsonObject[];
  /**
   * Requests that calls cause, oldest first: without polls of videos and of
   * assets that the vendor has, which the gateway's jobs send at any time.
   */
  requests(): readonly string[];
}

interface VendorAsset {
  status: "Processing" | "Active" | "Failed";
  readonly url: string;
  failure?: { readonly Code: string; readonly Message: string };
}

interface VendorSession {
  readonly callbackUrl: string;
  /** The group of who passed; it is told once. */
  groupId?: string;
  reads: number;
}

const TASKS = "/api/v3/contents/generations/tasks";

export function openAssetVendor(): AssetVendor {
  const answers: AssetVendor["answers"] = new Map();
  const assets: AssetVendor["assets"] = new Map();
  const sessions: AssetVendor["sessions"] = new Map();
  const persons: AssetVendor["persons"] = new Map();
  let last = 0;
  const vendor = openVendor((seen) => {
    const { path, method, body } = seen;
    if (path.startsWith(TASKS)) {
      if (method === "GET") return Response.json({ id: "cgt-1", status: "running" });
      return Response.json({ id: `cgt-${++last}` });
    }
    const action = actionOf(seen);
    return answers.get(action)?.(body) ?? answer(action, body);
  });

  function answer(action: string, body: JsonObject): Response {
    const id = textOf(body["Id"]) ?? "";
    switch (action) {
      case "CreateAssetGroup":
        return told(action, { Id: `group-20260101000000-${++last}` });
      case "CreateAsset": {
        const made = `asset-20260101000000-${++last}`;
        assets.set(made, { status: "Processing", url: textOf(body["URL"]) ?? "" });
        return told(action, { Id: made });
      }
      case "GetAsset": {
        const asset = assets.get(id);
        if (asset === undefined) return failed(action, "ResourceNotFound.Asset", 404);
        const { status, url, failure } = asset;
        const result = { Id: id, Status: status, URL: `${url}?signed=1` };
        return told(action, { ...result, ...(failure && { Error: failure }) });
      }
      case "DeleteAsset":
        return assets.delete(id) ? told(action, {}) : failed(action, "ResourceNotFound.Asset", 404);
      case "CreateVisualValidateSession": {
        const token = `byted-${++last}`;
        sessions.set(token, { callbackUrl: textOf(body["CallbackURL"]) ?? "", reads: 0 });
        return told(action, { BytedToken: token, H5Link: `https://h5.example/${token}?lng=zh` });
      }
      case "GetVisualValidateResult": {
        const session = sessions.get(textOf(body["BytedToken"]) ?? "");
        if (session === undefined) return failed(action, "ResourceNotFound.Session", 404);
        session.reads++;
        const { groupId } = session;
        if (groupId === undefined) return failed(action, "ValidateNotReady", 404);
        sessions.delete(textOf(body["BytedToken"]) ?? "");
        return told(action, { GroupId: groupId });
      }
      case "ListAssetGroups":
        return told(action, {
          Items: [...persons].map(([Id, CreateTime]) => ({ Id, CreateTime })),
        });
      default:
        return told(action, { Id: id });
    }
  }

  const isPoll = (seen: Seen): boolean =>
    seen.method === "GET" ||
    actionOf(seen) === "CVSync2AsyncGetResult" ||
    (actionOf(seen) === "GetAsset" && assets.has(textOf(seen.body["Id"]) ?? ""));

  return {
    vendor,
    answers,
    assets,
    sessions,
    persons,
    asked: (action) =>
      vendor.seen.filter((each) => actionOf(each) === action).map(({ body }) => body),
    tasks: () =>
      vendor.seen
        .filter(({ path, method }) => path === TASKS && method === "POST")
        .map(({ body }) => body),
    requests: () =>
      vendor.seen
        .filter((each) => !isPoll(each))
        .map(({ method, path, text }) => `${method} ${path} ${text}`),
    [Symbol.asyncDispose]: () => vendor[Symbol.asyncDispose](),
  };
}

function actionOf({ path }: Seen): string {
  return new URL(path, "http://vendor").searchParams.get("Action") ?? "";
}

export function told(action: string, result: object): Response {
  return Response.json({ ResponseMetadata: metadata(action), Result: result });
}

export function failed(action: string, code: string, status = 200, message = "No."): Response {
  const Error = { Code: code, Message: message };
  return Response.json({ ResponseMetadata: { ...metadata(action), Error } }, { status });
}

function metadata(action: string) {
  return { RequestId: "r-1", Action: action, Version: "2024-01-01", Service: "ark" };
}

/** A channel to it, as an item of the file's list. */
export function arkChannel(url: string, name = "ark", models = ["doubao-seedance-2-0-260128"]) {
  return (
    `  - { name: ${name}, provider: ark, base_url: "${url}/api/v3", ` +
    `api_key: "model-key|${PAIR.id}|${PAIR.secret}", models: [${models.join(", ")}], ` +
    `options: { assets_url: "${url}/", project: films } }`
  );
}

/** The word at the end of the address that a vendor sends a person's browser back to. */
export function returnPathOf(session: VendorSession | undefined): string {
  return new URL(session?.callbackUrl ?? "").pathname;
}

export function errorIn(body: JsonObject): { readonly code: string; readonly message: string } {
  const error = memberOf(body["ResponseMetadata"], "Error");
  return {
    code: textOf(memberOf(error, "Code")) ?? "",
    message: textOf(memberOf(error, "Message")) ?? "",
  };
}

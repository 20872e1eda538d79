import { GatewayError, invalid } from "#core/error.ts";
import { validate } from "#core/validate.ts";
import type { JsonObject } from "#lib/json.ts";
import { integer, list, object, text, type ObjectRule } from "#lib/rules.ts";

export const VERSION = "2024-01-01";

const id = text({ minLength: 1, maxLength: 128 });
const name = text({ minLength: 1, maxLength: 64 });
const url = text({ minLength: 1, maxLength: 4_096 });
const anyWord = text({ maxLength: 32 });

/** Request bodies, by action. */
export const ACTIONS = {
  CreateAssetGroup: object({
    "Name!": name,
    GroupType: anyWord,
    Description: text({ maxLength: 300 }),
    Library: { ...anyWord, doc: "`own` keeps its assets with the gateway, for any vendor." },
  }),
  GetAssetGroup: object({ "Id!": id }),
  UpdateAssetGroup: object({ "Id!": id, "Name!": name }),
  CreateAsset: object({
    "GroupId!": id,
    "URL!": url,
    "AssetType!": anyWord,
    Name: text({ maxLength: 64 }),
  }),
  ListAssets: object({
    Filter: object({
      GroupIds: list(id, 100),
      Statuses: list(anyWord, 10),
      GroupType: anyWord,
      Name: text({ maxLength: 64 }),
    }),
    PageNumber: integer(1, 10_000),
    PageSize: integer(1, 100),
  }),
  GetAsset: object({ "Id!": id }),
  UpdateAsset: object({ "Id!": id, "Name!": name }),
  DeleteAsset: object({ "Id!": id }),
  CreateVisualValidateSession: object({ "CallbackURL!": url }),
  GetVisualValidateResult: object({ "VendorToken!": { ...id, isSecret: true } }),
} as const satisfies Readonly<Record<string, ObjectRule>>;

export type Action = keyof typeof ACTIONS;

/** Throws `invalid_request` for an unknown action or version. */
export function readAction(query: URLSearchParams): Action {
  const { action = "", another } = givenAction(query);
  if (action === "") throw missing("Action");
  const [version = VERSION, ...more] = query.getAll("Version");
  if (version !== VERSION || more.length > 0) {
    throw refusal("InvalidVersion", `Version must be ${VERSION}`);
  }
  if (another || !isAction(action)) {
    throw refusal("UnsupportedAction", `Action ${shown(action)} is not supported`);
  }
  return action;
}

/** The action as the client wrote it, even if unknown. */
export function spokenAction(query: URLSearchParams): string {
  return shown(givenAction(query).action ?? "");
}

function givenAction(query: URLSearchParams) {
  const [action, ...more] = query.getAll("Action");
  return { action, another: more.length > 0 };
}

function isAction(word: string): word is Action {
  return Object.hasOwn(ACTIONS, word);
}

/** Throws if a body does not match its action's schema. */
export function holdToAction(body: JsonObject, action: Action): void {
  const rule: ObjectRule = ACTIONS[action];
  for (const each of rule.required) {
    const member = body[each];
    if (member === undefined || member === null || member === "") throw missing(each);
  }
  validate(body, rule);
}

function missing(param: string): GatewayError {
  return refusal("MissingParameter", `${param} is required`);
}

/** A refusal with the vendor's error code. */
function refusal(code: string, message: string): GatewayError {
  return new GatewayError("invalid_request", message, { details: { Code: code } });
}

/** `message` without the name of the field at fault. */
export function wrong(param: string, message: string): GatewayError {
  return invalid(param, `${param} ${message}`);
}

function shown(word: string): string {
  return word.length > 64 ? `${word.slice(0, 64)}...` : word;
}

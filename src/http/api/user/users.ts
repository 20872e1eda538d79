import { ROLES, type Role } from "#core/user.ts";
import type { JsonObject } from "#lib/json.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import { integer, object, text } from "#lib/rules.ts";
import { defined, numberOf, numberOrNull, textOf } from "#lib/values.ts";
import type { HttpDeps } from "#http/deps.ts";
import { requireUser } from "#http/require-user.ts";
import type { Route } from "#http/routes.ts";
import { renderFailure, succeed } from "../envelope.ts";
import { readFields } from "../read-fields.ts";
import { readAfter } from "../read-id.ts";
import { readUsd, USD } from "../usd.ts";
import { findUser, noSuchUser, refuseUnlessAbove } from "./find-user.ts";
import {
  DISPLAY_NAME,
  EMAIL,
  NEW_PASSWORD,
  readEmail,
  readNewPassword,
  readUserName,
  USERNAME,
} from "./user-fields.ts";
import { showUser } from "./user-json.ts";

const PAGE = 100;
const ROLE = text({ oneOf: ROLES });
const GROUP = integer(1, Number.MAX_SAFE_INTEGER, "Null for none.");

export const listUsers: Route<HttpDeps> = {
  method: "GET",
  path: "/api/user",
  access: "auditor",
  summary: "Lists users by id, at most 100; `after` is the last id of the page before.",
  renderError: renderFailure,

  async handle(exchange, { users }) {
    const after = readAfter(exchange.query, "a user's");
    const found = await users.list(after, PAGE);
    return succeed(exchange.id, "", { items: found.map(showUser) });
  },
};

const NEW_USER = object({
  "username!": USERNAME,
  email: EMAIL,
  display_name: DISPLAY_NAME,
  role: ROLE,
  password: NEW_PASSWORD,
  quota_usd: USD,
  group_id: GROUP,
});

export const createUser: Route<HttpDeps> = {
  method: "POST",
  path: "/api/user",
  access: "admin",
  summary: "Makes a user, of a role below your own.",
  renderError: renderFailure,
  requestSchema: () => schemaOf(NEW_USER),

  async handle(exchange, { users }) {
    const body = await readFields(exchange, NEW_USER);
    const role = roleIn(body) ?? "user";
    refuseUnlessAbove(requireUser(exchange), role);
    const user = await users.create({
      ...defined({
        email: readEmail(body),
        displayName: textOf(body["display_name"]),
        password: readNewPassword(body),
        quota: readUsd(body["quota_usd"], "quota_usd") ?? undefined,
        groupId: numberOf(body["group_id"]),
      }),
      name: readUserName(body),
      role,
    });
    return succeed(exchange.id, "The user was made.", showUser(user));
  },
};

const CHANGED_USER = object({
  display_name: DISPLAY_NAME,
  role: ROLE,
  status: integer(1, 2, "1 enabled, 2 disabled."),
  password: NEW_PASSWORD,
  group_id: GROUP,
  team_id: integer(1, Number.MAX_SAFE_INTEGER, "The user's team; null for none."),
});

export const updateUser: Route<HttpDeps> = {
  method: "PUT",
  path: "/api/user/:id",
  access: "admin",
  summary: "Changes a user of a role below your own. A disabled user's keys are refused.",
  renderError: renderFailure,
  requestSchema: () => schemaOf(CHANGED_USER),

  async handle(exchange, { users }) {
    const body = await readFields(exchange, CHANGED_USER);
    const found = await findUser(exchange, users);
    const actor = requireUser(exchange);
    const role = roleIn(body);
    refuseUnlessAbove(actor, found.role);
    if (role !== undefined) refuseUnlessAbove(actor, role);

    const { status } = body;
    const change = defined({
      displayName: textOf(body["display_name"]),
      role,
      isEnabled: typeof status === "number" ? status === 1 : undefined,
      password: readNewPassword(body),
      groupId: numberOrNull(body["group_id"]),
      teamId: numberOrNull(body["team_id"]),
    });
    const changed = await users.change(found.id, change);
    if (changed === undefined) throw noSuchUser();
    return succeed(exchange.id, "The user was changed.", showUser(changed));
  },
};

export const deleteUser: Route<HttpDeps> = {
  method: "DELETE",
  path: "/api/user/:id",
  access: "admin",
  summary:
    "Closes the account of a user of a role below your own for good: logins and tokens end, " +
    "running streams too; what was called and what it cost stays.",
  renderError: renderFailure,

  async handle(exchange, { users }) {
    const found = await findUser(exchange, users);
    refuseUnlessAbove(requireUser(exchange), found.role);
    if (!(await users.delete(found.id))) throw noSuchUser();
    return succeed(exchange.id, "The user was deleted.");
  },
};

function roleIn(body: JsonObject): Role | undefined {
  return ROLES.find((role) => role === body["role"]);
}

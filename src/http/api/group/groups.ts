import { GatewayError } from "#core/error.ts";
import type { Group } from "#core/group.ts";
import type { AccountDeps } from "#http/deps/accounts.ts";
import type { Exchange } from "#http/routes.ts";
import { succeed } from "../envelope.ts";
import { listById } from "../list-by-id.ts";
import { management } from "../management.ts";
import { readId } from "../read-id.ts";
import { CHANGED_GROUP, NEW_GROUP, readGroupFields } from "./group-fields.ts";
import { GROUP, showGroup } from "./group-json.ts";

export const listGroups = listById({
  operationId: "listGroups",
  tag: "Groups",
  path: "/api/group",
  access: "auditor",
  scope: "groups:read",
  objects: "groups of users",
  whose: "a group's",
  item: GROUP,
  show: showGroup,
  list: ({ groups }: Pick<AccountDeps, "groups">, after, limit) => groups.list(after, limit),
});

export const getGroup = management({
  operationId: "getGroup",
  tag: "Groups",
  method: "GET",
  path: "/api/group/:id",
  access: "auditor",
  scope: "groups:read",
  summary: "One group.",
  data: GROUP,

  async handle(exchange, { groups }: Pick<AccountDeps, "groups">) {
    return succeed(exchange.id, "", showGroup(existing(await groups.find(idInPath(exchange)))));
  },
});

export const createGroup = management({
  operationId: "createGroup",
  tag: "Groups",
  method: "POST",
  path: "/api/group",
  access: "admin",
  scope: "groups:write",
  summary: "Creates a group. By default it has all models and channels, and the usual prices.",
  body: NEW_GROUP,
  data: GROUP,

  async handle(
    exchange,
    { groups, readModel }: Pick<AccountDeps, "groups" | "readModel">,
    { body },
  ) {
    const { name = "", ...fields } = readGroupFields(body, readModel);
    const group = await groups.create({ name, ...fields });
    return succeed(exchange.id, "The group was created.", showGroup(group));
  },
});

export const updateGroup = management({
  operationId: "updateGroup",
  tag: "Groups",
  method: "PUT",
  path: "/api/group/:id",
  access: "admin",
  scope: "groups:write",
  summary: "Changes a group. Absent fields stay unchanged. New calls use the new values.",
  body: CHANGED_GROUP,
  data: GROUP,

  async handle(
    exchange,
    { groups, readModel }: Pick<AccountDeps, "groups" | "readModel">,
    { body },
  ) {
    const id = idInPath(exchange);
    const changed = existing(await groups.change(id, readGroupFields(body, readModel)));
    return succeed(exchange.id, "The group was changed.", showGroup(changed));
  },
});

export const deleteGroup = management({
  operationId: "deleteGroup",
  tag: "Groups",
  method: "DELETE",
  path: "/api/group/:id",
  access: "admin",
  scope: "groups:write",
  summary: "Deletes a group without users.",

  async handle(exchange, { groups }: Pick<AccountDeps, "groups">) {
    if (!(await groups.delete(idInPath(exchange)))) throw noSuchGroup();
    return succeed(exchange.id, "The group was deleted.");
  },
});

function existing(found: Group | undefined): Group {
  if (found === undefined) throw noSuchGroup();
  return found;
}

function noSuchGroup(): GatewayError {
  return new GatewayError("not_found", "The group does not exist.");
}

function idInPath(exchange: Exchange): number {
  const id = readId(exchange.param("id"));
  if (id === undefined) throw noSuchGroup();
  return id;
}

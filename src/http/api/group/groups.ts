import { GatewayError } from "#core/error.ts";
import type { Group } from "#core/group.ts";
import { schemaOf } from "#lib/rule-schema.ts";
import type { HttpDeps } from "#http/deps.ts";
import type { Exchange, Route } from "#http/routes.ts";
import { renderFailure, succeed } from "../envelope.ts";
import { readFields } from "../read-fields.ts";
import { readAfter, readId } from "../read-id.ts";
import { CHANGED_GROUP, NEW_GROUP, readGroupFields } from "./group-fields.ts";
import { SHOWN_FIELDS, showGroup } from "./group-json.ts";

const PAGE = 100;

export const listGroups: Route<HttpDeps> = {
  method: "GET",
  path: "/api/group",
  access: "auditor",
  summary: "Lists groups of users by id, at most 100; `after` is the last id of the page before.",
  renderError: renderFailure,

  async handle(exchange, { groups }) {
    const after = readAfter(exchange.query, "a group's");
    const found = await groups.list(after, PAGE);
    return succeed(exchange.id, "", { items: found.map(showGroup) });
  },
};

export const getGroup: Route<HttpDeps> = {
  method: "GET",
  path: "/api/group/:id",
  access: "auditor",
  summary: "One group.",
  renderError: renderFailure,

  async handle(exchange, { groups }) {
    return succeed(exchange.id, "", showGroup(existing(await groups.find(idInPath(exchange)))));
  },
};

export const createGroup: Route<HttpDeps> = {
  method: "POST",
  path: "/api/group",
  access: "admin",
  summary: "Makes a group. What is left out is open: all models and channels, usual prices.",
  renderError: renderFailure,
  requestSchema: () => schemaOf(NEW_GROUP),

  async handle(exchange, { groups, readModel }) {
    const body = await readFields(exchange, NEW_GROUP);
    const { name = "", ...fields } = readGroupFields(body, readModel);
    const group = await groups.create({ name, ...fields });
    return succeed(exchange.id, "The group was made.", showGroup(group));
  },
};

export const updateGroup: Route<HttpDeps> = {
  method: "PUT",
  path: "/api/group/:id",
  access: "admin",
  summary: "Changes a group; what is left out stays. Calls from now on are under what it says.",
  renderError: renderFailure,
  requestSchema: () => schemaOf(CHANGED_GROUP),

  async handle(exchange, { groups, readModel }) {
    const id = idInPath(exchange);
    const body = await readFields(exchange, CHANGED_GROUP, SHOWN_FIELDS);
    const fields = readGroupFields(body, readModel);
    const changed = existing(await groups.change(id, fields));
    return succeed(exchange.id, "The group was changed.", showGroup(changed));
  },
};

export const deleteGroup: Route<HttpDeps> = {
  method: "DELETE",
  path: "/api/group/:id",
  access: "admin",
  summary: "Deletes a group that no user is in.",
  renderError: renderFailure,

  async handle(exchange, { groups }) {
    if (!(await groups.delete(idInPath(exchange)))) throw noSuchGroup();
    return succeed(exchange.id, "The group was deleted.");
  },
};

function existing(found: Group | undefined): Group {
  if (found === undefined) throw noSuchGroup();
  return found;
}

function noSuchGroup(): GatewayError {
  return new GatewayError("not_found", "There is no such group.");
}

function idInPath(exchange: Exchange): number {
  const id = readId(exchange.param("id"));
  if (id === undefined) throw noSuchGroup();
  return id;
}

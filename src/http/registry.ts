import { getAuditHead, listAudit, verifyAudit } from "./api/audit/audit-log.ts";
import { explainRequest } from "./api/explain.ts";
import { getCall, getOwnCall, listCalls, listOwnCalls } from "./api/log/calls.ts";
import { getModel, getNativeModel, listModels, listNativeModels } from "./api/list-models.ts";
import { livez, metrics, readyz } from "./api/status.ts";
import { createChatCompletion } from "./api/text/chat-completions.ts";
import { createCompletion } from "./api/text/completions.ts";
import { countMessageTokens, countResponseTokens } from "./api/text/count-tokens.ts";
import { createMessage } from "./api/text/messages.ts";
import { nativeOperations } from "./api/text/native.ts";
import { createResponse, refuseResponseSocket } from "./api/text/responses.ts";
import {
  cancelResponse,
  deleteResponse,
  getResponse,
  listInputItems,
} from "./api/text/stored-responses.ts";
import { deleteTokens } from "./api/token/delete-tokens.ts";
import {
  createToken,
  deleteToken,
  getToken,
  listTokens,
  updateNamedToken,
  updateToken,
} from "./api/token/tokens.ts";
import { getOwnUsage, getUsage } from "./api/usage/usage.ts";
import { login, logout } from "./api/user/login.ts";
import { getOwnQuota, getQuota, setQuota } from "./api/user/quota.ts";
import { createAccessToken, deleteAccessToken, getSelf, updateSelf } from "./api/user/self.ts";
import { setUp } from "./api/user/set-up.ts";
import { createUser, listUsers, updateUser } from "./api/user/users.ts";
import type { HttpDeps } from "./deps.ts";
import { json } from "./json.ts";
import { buildOpenApi } from "./openapi.ts";
import type { Route } from "./routes.ts";

const VERSION = "0.1.0";

/** Everything that is served. */
export function buildRegistry(isDraining: () => boolean): readonly Route<HttpDeps>[] {
  const routes: Route<HttpDeps>[] = [
    ...inOtherShape(createChatCompletion),
    ...inOtherShape(createCompletion),
    ...inOtherShape(createResponse),
    refuseResponseSocket,
    countResponseTokens,
    getResponse,
    deleteResponse,
    cancelResponse,
    listInputItems,
    createMessage,
    countMessageTokens,
    ...inOtherShape(listModels),
    ...inOtherShape(getModel),
    listNativeModels,
    getNativeModel,
    ...nativeOperations,
    explainRequest,
    deleteTokens,
    listTokens,
    getToken,
    createToken,
    updateToken,
    updateNamedToken,
    deleteToken,
    login,
    logout,
    setUp,
    getSelf,
    updateSelf,
    createAccessToken,
    deleteAccessToken,
    listUsers,
    createUser,
    updateUser,
    getOwnQuota,
    getQuota,
    setQuota,
    listOwnCalls,
    getOwnCall,
    listCalls,
    getCall,
    getOwnUsage,
    getUsage,
    listAudit,
    getAuditHead,
    verifyAudit,
    livez,
    readyz(isDraining),
    metrics,
  ];
  routes.push({
    ...livez,
    path: "/openapi.json",
    summary: "This document.",
    handle: ({ id }) => json(buildOpenApi(routes, VERSION), id),
  });
  return routes;
}

/** The same under the prefix that some clients of the chat style put before everything. */
function inOtherShape(route: Route<HttpDeps>): Route<HttpDeps>[] {
  return [route, { ...route, path: `/openai${route.path}` }];
}

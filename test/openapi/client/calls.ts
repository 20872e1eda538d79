import createClient from "openapi-fetch";
import type { components, paths } from "./api.d.ts";

declare const process: { readonly argv: readonly string[] };

/** Calls of the management API and of models, typed by what was generated; prints each by its operation id. */
const [baseUrl = "", email = "", password = ""] = process.argv.slice(2);

const visitor = createClient<paths>({ baseUrl });
const login = await visitor.POST("/api/user/login", {
  body: { email, password },
  headers: { "sec-fetch-site": "same-origin" },
});
show("login", login.data?.data.username, "root");

const cookie = login.response.headers.get("set-cookie")?.split(";")[0] ?? "";
const root = createClient<paths>({
  baseUrl,
  headers: { cookie, "sec-fetch-site": "same-origin" },
});

const self = await root.GET("/api/user/self");
show("getSelf", self.data?.data.role, "root");

const made = await root.POST("/api/token", {
  body: { name: "typed", quota_usd: 5, endpoints: ["text"], rpm: null },
});
const token: components["schemas"]["Token"] | undefined = made.data?.data;
const id = token?.id ?? 0;
const key = made.data?.data.key ?? "";
show("createToken", made.data?.data.quota_usd, 5);

const page = await root.GET("/api/token", { params: { query: { page_size: 1 } } });
show("listTokens", page.data?.data.items[0]?.name, "typed");

const changed = await root.PUT("/api/token/{id}", {
  params: { path: { id: String(id) } },
  body: { name: "renamed" },
});
show("updateToken", changed.data?.data.name, "renamed");

const user = await root.POST("/api/user", { body: { username: "ada", role: "auditor" } });
show("createUser", user.data?.data.role, "auditor");

const users = await root.GET("/api/user", {
  params: { query: { after: user.data?.data.id ?? 0 } },
});
show("listUsers", users.data?.data.items.length, 0);

const seen = await root.GET("/api/user/{id}", {
  params: { path: { id: String(user.data?.data.id ?? 0) } },
});
show("getUser", seen.data?.data.username, "ada");

const team = await root.POST("/api/team", { body: { name: "typists", budget_day_usd: "1.5" } });
show("createTeam", team.data?.data.budget_day_usd, 1.5);

const caller = createClient<paths>({ baseUrl, headers: { authorization: `Bearer ${key}` } });

const chat = await caller.POST("/v1/chat/completions", {
  body: { model: "gpt-4o-mini", messages: [{ role: "user", content: "hi" }] },
});
show("createChatCompletion", whole(chat.data)?.choices[0]?.message.role, "assistant");

const message = await caller.POST("/v1/messages", {
  body: { model: "gpt-4o-mini", max_tokens: 64, messages: [{ role: "user", content: "hi" }] },
});
show("createMessage", whole(message.data)?.content[0]?.type, "text");

const native = await caller.POST("/v1beta/models/{model}:countTokens", {
  params: { path: { model: "gpt-4o-mini" } },
  body: { contents: [{ role: "user", parts: [{ text: "hi" }] }] },
});
show("countTokensV1beta", (native.data?.totalTokens ?? 0) > 0, true);

const calls = await root.GET("/api/log", { params: { query: { token: id } } });
show("listCalls", calls.data?.data.items.length, 2);

const report = await root.GET("/api/usage", { params: { query: { by: "model", key_id: id } } });
// As CSV, it would be a text.
const usage = typeof report.data === "string" ? undefined : report.data;
show("getUsage", usage?.data.total.calls, 2);

const refused = await root.POST("/api/team", { body: { name: "typists" } });
show("createTeam (refused)", refused.error?.success, false);

const deleted = await root.DELETE("/api/token/{id}", { params: { path: { id: String(id) } } });
show("deleteToken", deleted.data?.success, true);

const late = await caller.GET("/v1/models");
show("listModels (refused)", late.response.status, 401);

/** An answer that was not asked for as a stream. */
function whole<T>(data: T | string | undefined): T | undefined {
  return typeof data === "string" ? undefined : data;
}

function show<T>(operation: string, found: T | undefined, expected: T): void {
  // oxlint-disable-next-line no-console
  console.log(JSON.stringify({ operation, isGood: found === expected, found: found ?? null }));
}

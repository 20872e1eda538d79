import { describe, expect, test } from "bun:test";
import { API_PREFIX } from "./api/envelope.ts";
import { rewritePath } from "./path-rewrites.ts";
import { ROUTES } from "./registry.ts";
import { Router } from "./router.ts";

const router = new Router(ROUTES);
const isServed = (path: string): boolean =>
  router.allAt(path).some(({ access }) => access === "key");

describe("a path that is off by one segment is mapped to a served one", () => {
  test.each([
    ["/chat/completions", "/v1/chat/completions"],
    ["/completions", "/v1/completions"],
    ["/responses", "/v1/responses"],
    ["/responses/resp_1/input_items", "/v1/responses/resp_1/input_items"],
    ["/messages", "/v1/messages"],
    ["/messages/count_tokens", "/v1/messages/count_tokens"],
    ["/embeddings", "/v1/embeddings"],
    ["/models", "/v1/models"],
    ["/models/gpt-4o", "/v1/models/gpt-4o"],
    ["/models/gemini-2.5-flash:generateContent", "/v1/models/gemini-2.5-flash:generateContent"],
    ["/images/generations", "/v1/images/generations"],
    ["/audio/speech", "/v1/audio/speech"],
    ["/rerank", "/v1/rerank"],
    ["/videos/7", "/v1/videos/7"],
    ["/v1/v1/chat/completions", "/v1/chat/completions"],
    ["/v1/v1/v1/chat/completions", "/v1/chat/completions"],
    ["/v1/v1/messages", "/v1/messages"],
    ["/v1/v1beta/models/m:generateContent", "/v1beta/models/m:generateContent"],
    ["/v1beta/v1beta/models/m:generateContent", "/v1beta/models/m:generateContent"],
    ["/v1beta/v1/chat/completions", "/v1/chat/completions"],
    ["/v1beta/v1/messages", "/v1/messages"],
    ["/v1beta/openai/chat/completions", "/openai/v1/chat/completions"],
    ["/v1beta/openai/models", "/openai/v1/models"],
    ["/v1beta/openai/v1/embeddings", "/openai/v1/embeddings"],
    ["/openai/chat/completions", "/openai/v1/chat/completions"],
    ["/openai/images/generations", "/openai/v1/images/generations"],
    ["/openai/v1/v1/chat/completions", "/openai/v1/chat/completions"],
    ["/openai/v1/messages", "/v1/messages"],
    ["/openai/v1/rerank", "/v1/rerank"],
    ["/v1/openai/v1/responses", "/openai/v1/responses"],
    ["/anthropic/v1/messages", "/v1/messages"],
    ["/anthropic/messages", "/v1/messages"],
    ["/anthropic/v1/v1/messages/count_tokens", "/v1/messages/count_tokens"],
    ["/v1/v2/embed", "/v2/embed"],
    ["/v2/v1/rerank", "/v1/rerank"],
    ["/v1/chat/completions/chat/completions", "/v1/chat/completions"],
    ["/v1/chat/completions/models", "/v1/models"],
    ["/v1/messages/v1/messages", "/v1/messages"],
    ["//v1/chat/completions", "/v1/chat/completions"],
    ["/v1//chat///completions", "/v1/chat/completions"],
    ["/v1/chat/completions/", "/v1/chat/completions"],
    ["/v1/models/", "/v1/models"],
    ["//messages//", "/v1/messages"],
    ["/videob/", "/videob"],
    ["/videoa//api/v3/contents/generations/tasks/", "/videoa/api/v3/contents/generations/tasks"],
  ])("%s for %s", (unknown, served) => {
    expect(rewritePath(unknown, isServed)).toEqual({ path: served, model: undefined });
  });
});

test.each([
  "/openai/deployments/my-gpt/chat/completions",
  "//openai/deployments/my-gpt//chat/completions/",
  "/openai/v1/openai/deployments/my-gpt/chat/completions",
])("the model of %s is the one in its path", (path) => {
  expect(rewritePath(path, isServed)).toEqual({
    path: "/openai/v1/chat/completions",
    model: "my-gpt",
  });
});

test("[A9] no rewrite maps to a version that does not exist", () => {
  for (const path of [
    "/v2/chat/completions",
    "/v1beta/chat/completions",
    "/v3/models",
    "/v1/nothing",
    "/nothing",
    "/",
    "/v1",
    "",
    `/${"v1/".repeat(2_000)}chat/completions`,
  ]) {
    expect(rewritePath(path, isServed)).toBeUndefined();
  }
});

test("only model endpoints have other spellings, so that proxies can block the management API by its path", () => {
  const others = router
    .allAt("/api/user")
    .concat(router.allAt("/metrics"), router.allAt("/livez"), router.allAt("/openapi.json"));
  expect(others.length).toBeGreaterThan(3);
  for (const path of [
    `/${API_PREFIX}user`,
    "/api//user",
    "/v1/api/user",
    "/v1/v1/api/user",
    "/openai/api/user",
    "//metrics",
    "/metrics/",
    "/v1/chat/completions/metrics",
  ]) {
    expect(rewritePath(path, isServed)).toBeUndefined();
  }
});

import { describe, expect, test } from "bun:test";
import { GatewayError, type FaultCode } from "#core/error.ts";
import type { ImageRequest, OutboundImageFormat } from "#core/image.ts";
import type { Json, JsonObject } from "#lib/json.ts";
import { dashscopeGeneration, dashscopeTasks } from "./index.ts";

const QUESTION: ImageRequest = {
  model: "m",
  task: "generate",
  turns: [{ role: "user", parts: ["A fox"] }],
  stream: false,
};
const ONE = "https://results.example/1.png?Expires=1";
const TWO = "https://results.example/2.png?Expires=1";

const read = (body: JsonObject, style: OutboundImageFormat = dashscopeGeneration) =>
  style.outbound.parse(body, QUESTION);

function failureOf(body: JsonObject): string {
  try {
    read(body, dashscopeTasks);
  } catch (cause) {
    if (cause instanceof GatewayError) return `${cause.code}: ${cause.message}`;
    throw cause;
  }
  return "";
}

const choice = (...content: readonly Json[]): Json => ({
  finish_reason: "stop",
  message: { role: "assistant", content },
});
const blocked = { code: "DataInspectionFailed", message: "It may be inappropriate." };

describe("an image response", () => {
  test("[A2.9] has the images of all its choices and parts, and their size", () => {
    const body = {
      output: {
        choices: [choice({ image: ONE }, { image: TWO }), choice({ image: ONE })],
        task_metric: { TOTAL: 3, SUCCEEDED: 3, FAILED: 0 },
      },
      usage: { width: 1_664, height: 928, image_count: 3 },
      request_id: "1",
    };

    expect(read(body)).toEqual({
      pictures: [ONE, TWO, ONE].map((url) => ({ url, size: "1664x928" })),
      failures: [],
    });
  });

  test("of a task has the rewritten prompt, and the failed images", () => {
    const results = [
      { orig_prompt: "A fox", actual_prompt: "A red fox in snow", url: ONE },
      blocked,
      { url: TWO },
    ];
    const output = { task_id: "1", task_status: "SUCCEEDED", results };

    expect(read({ output, usage: { image_count: 2 } }, dashscopeTasks)).toMatchObject({
      pictures: [{ url: ONE, revisedPrompt: "A red fox in snow" }, { url: TWO }],
      failures: [{ code: "content_filtered", message: "It may be inappropriate." }],
    });
  });

  test("has the usage, if a model counts it", () => {
    const output = { choices: [choice({ image: ONE })] };

    expect(read({ output, usage: { input_tokens: 9, output_tokens: 20 } }).usage).toMatchObject({
      inputTokens: 9,
      outputTokens: 20,
      isEstimated: false,
    });
  });

  test.each<[string, JsonObject, string]>([
    [
      "it is a failure with a success status",
      blocked,
      "content_filtered: It may be inappropriate.",
    ],
    [
      "it is a client's error with a success status",
      { code: "InvalidParameter", message: "It is too large.", request_id: "1" },
      "upstream_rejected: It is too large.",
    ],
    [
      "its task failed",
      { output: { task_id: "1", task_status: "FAILED", ...blocked } },
      "content_filtered: It may be inappropriate.",
    ],
    [
      "all that its task was to draw failed",
      { output: { task_status: "SUCCEEDED", results: [blocked, blocked] } },
      "content_filtered: It may be inappropriate.",
    ],
    [
      "its task was given up",
      { output: { task_id: "1", task_status: "CANCELED" } },
      "upstream_failed: The upstream aborted its task.",
    ],
    [
      "its task is unknown",
      { output: { task_id: "1", task_status: "UNKNOWN" } },
      "upstream_failed: The upstream aborted its task.",
    ],
    [
      "it contains text only",
      { output: { choices: [choice({ text: "Here it is" })] } },
      "upstream_failed: The upstream's answer has no image.",
    ],
    ["it holds nothing", {}, "upstream_failed: The upstream's answer has no image."],
  ])("is refused if %s", (_what, body, failure) => {
    expect(failureOf(body)).toBe(failure);
  });
});

test.each(["PENDING", "RUNNING", "SUSPENDED", "SUCCEEDED", "FAILED", "CANCELED", "UNKNOWN"])(
  "a task that is %s is polled again only if it is running",
  (status) => {
    const isUnderWay = ["PENDING", "RUNNING", "SUSPENDED"].includes(status);
    const body = { output: { task_id: "0385dc79", task_status: status } };

    expect(dashscopeTasks.outbound.pendingIn?.(body)).toBe(isUnderWay ? "0385dc79" : undefined);
  },
);

describe("a failure is translated", () => {
  test.each<[number, string, FaultCode]>([
    [400, "InvalidParameter", "upstream_rejected"],
    [400, "InvalidParameter.DataInspection", "upstream_rejected"],
    [400, "InvalidURL", "upstream_rejected"],
    [400, "DataInspectionFailed", "content_filtered"],
    [400, "IPInfringementSuspect", "content_filtered"],
    [400, "Arrearage", "upstream_auth"],
    [401, "InvalidApiKey", "upstream_auth"],
    [403, "AccessDenied.Unpurchased", "upstream_auth"],
    [403, "Model.AccessDenied", "upstream_auth"],
    [404, "ModelNotFound", "upstream_model_missing"],
    [408, "RequestTimeOut", "upstream_timeout"],
    [429, "Throttling", "upstream_rate_limited"],
    [429, "Throttling.RateQuota", "upstream_rate_limited"],
    [429, "Throttling.AllocationQuota", "upstream_rate_limited"],
    [500, "InternalError", "upstream_failed"],
    [500, "InternalError.Algo", "upstream_failed"],
    [503, "ModelUnavailable", "upstream_overloaded"],
    [503, "ServiceUnavailable", "upstream_overloaded"],
  ])("%d %s, with its status and within a successful response", (status, code, expected) => {
    const body = { code, message: "Why not.", request_id: "1" };
    const { parseError } = dashscopeGeneration.outbound;

    expect(parseError(status, JSON.stringify(body)).code).toBe(expected);
    expect(failureOf(body)).toStartWith(`${expected}: `);
    expect(failureOf({ output: { task_status: "FAILED", ...body } })).toStartWith(`${expected}: `);
  });
});

import { describe, expect, test } from "bun:test";
import {
  APICallError,
  InvalidResponseDataError,
  LoadSettingError,
  UnsupportedFunctionalityError,
} from "@ai-sdk/provider";
import { GatewayError, type FaultCode } from "#core/error.ts";
import { LossReport } from "#core/lossy.ts";
import { asGatewayError, failureIn } from "./failure.ts";
import { readWarnings } from "./warnings-in.ts";

const ours = new GatewayError("upstream_timeout", "The upstream stopped answering.");

function apiError(more: Partial<ConstructorParameters<typeof APICallError>[0]>): APICallError {
  return new APICallError({
    message: "m",
    url: "https://secret.test",
    requestBodyValues: {},
    ...more,
  });
}

describe("an error that a package throws", () => {
  test("is the gateway's own error, at any depth of causes", () => {
    const wrapped = apiError({ cause: new Error("x", { cause: ours }), statusCode: 200 });

    expect(asGatewayError(ours)).toBe(ours);
    expect(asGatewayError(wrapped)).toBe(ours);
  });

  const thrown: [string, unknown, FaultCode][] = [
    [
      "an answer that makes no sense",
      apiError({ statusCode: 200, responseBody: "{}" }),
      "upstream_failed",
    ],
    [
      "a failure that it made of a success",
      apiError({ statusCode: 503, responseBody: "{}" }),
      "upstream_overloaded",
    ],
    ["a part that cannot be", new InvalidResponseDataError({ data: {} }), "upstream_failed"],
    ["an option that is missing", new LoadSettingError({ message: "AWS_REGION" }), "upstream_auth"],
    [
      "something that it cannot do",
      new UnsupportedFunctionalityError({ functionality: "x" }),
      "not_carried",
    ],
    [
      "an internal error of the package",
      new TypeError("undefined is not a function"),
      "upstream_failed",
    ],
    ["no error at all", null, "upstream_failed"],
  ];
  test.each(thrown)("for %s has the gateway's message", (_what, cause, code) => {
    const error = asGatewayError(cause);

    expect(error.code).toBe(code);
    expect(error.message).not.toMatch(/secret|AWS_REGION|undefined/);
  });

  test("with a loop of causes ends", () => {
    const loop = new Error("x");
    loop.cause = loop;

    expect(asGatewayError(loop).code).toBe("upstream_failed");
  });
});

describe("a failure within a stream", () => {
  const told: [unknown, FaultCode][] = [
    [{ type: "overloaded_error", message: "Overloaded" }, "upstream_overloaded"],
    [{ error: { code: 429, message: "slow" } }, "upstream_rate_limited"],
    [{ message: "no" }, "upstream_failed"],
    ["no", "upstream_failed"],
    [undefined, "upstream_failed"],
    [ours, "upstream_timeout"],
  ];
  test.each(told)("%j keeps its meaning", (error, code) => {
    expect(failureIn(error).code).toBe(code);
  });
});

describe("a package's warnings", () => {
  test("name the lost fields as clients write them", () => {
    const report = new LossReport();
    readWarnings(
      [
        { type: "unsupported", feature: "frequencyPenalty" },
        { type: "unsupported-setting", setting: "topK" },
        { type: "compatibility", feature: "x" },
        { type: "other", message: "x" },
        null,
        "odd",
      ],
      report,
    );

    expect(report.fields).toEqual(["frequency_penalty", "top_k"]);
  });

  test.each(["toolChoice", "tools", "toolContent", "responseFormat", "tool mine"])(
    "about a field that the result depends on are refusals: %s",
    (feature) => {
      const read = (): void => readWarnings([{ type: "unsupported", feature }], new LossReport());

      expect(read).toThrow(GatewayError);
    },
  );
});

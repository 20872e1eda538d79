import { describe, expect, test } from "bun:test";
import type { HeaderFields } from "#core/authorize.ts";
import { GatewayError } from "#core/error.ts";
import { readCredential } from "./ark/credential.ts";
import { ARK_ASSETS, ARK_OPTIONS } from "./ark-assets.ts";
import { ark } from "./ark.ts";

const BODY = '{"GroupId":"group-1","URL":"https://example.com/a.png","AssetType":"Image"}';

function signed(
  secret: string,
  url = "https://open.volcengineapi.com?Action=CreateAsset&Version=2024-01-01",
  options = {},
): HeaderFields {
  const headers = ARK_ASSETS.authorize(secret, {
    method: "POST",
    url: new URL(url),
    headers: { "content-type": "application/json" },
    body: BODY,
    options,
    at: Date.UTC(2026, 0, 1),
  });
  if (headers instanceof Promise) throw new Error("It takes its time.");
  return headers;
}

describe("a credential", () => {
  test.each([
    ["key", { apiKey: "key" }],
    ["key|AK|SK", { apiKey: "key", pair: { accessKey: "AK", secretKey: "SK" } }],
    ["|AK|SK", { apiKey: "", pair: { accessKey: "AK", secretKey: "SK" } }],
    [
      "key|AK|SK|token",
      { apiKey: "key", pair: { accessKey: "AK", secretKey: "SK", sessionToken: "token" } },
    ],
    [
      '{"api_key":"key","access_key":"AK","secret_key":"SK"}',
      { apiKey: "key", pair: { accessKey: "AK", secretKey: "SK" } },
    ],
    ['{"api_key":"key"}', { apiKey: "key" }],
    ["AK|SK", { apiKey: "AK|SK" }],
  ])("%s is parsed", (secret, expected) => {
    expect<object>(readCredential(secret)).toEqual(expected);
  });

  test("gives models its key only", async () => {
    const request = {
      method: "POST",
      url: new URL("https://ark.cn-beijing.volces.com/api/v3/chat/completions"),
      headers: {},
      body: "",
      options: {},
      at: 0,
    } as const;

    expect(await ark.authorize("key|AK|SK", request)).toEqual({ authorization: "Bearer key" });
    expect(await ark.authorize("key", request)).toEqual({ authorization: "Bearer key" });
  });

  test("opens the library only if it is a pair", () => {
    expect(ARK_ASSETS.hasKey("key|AK|SK")).toBe(true);
    expect(ARK_ASSETS.hasKey("key")).toBe(false);
    expect(() => signed("key")).toThrow(GatewayError);
  });
});

describe("a request to the library", () => {
  test("has the same signature as the vendor's example", () => {
    expect(signed("key|AKTEST|SKTEST")).toEqual({
      "x-content-sha256": "1375ee526952e79d49f5b36d70af7e1906ce30dfcf681242f703be1262bddf5c",
      "x-date": "20260101T000000Z",
      authorization:
        "HMAC-SHA256 Credential=AKTEST/20260101/cn-beijing/ark/request, " +
        "SignedHeaders=content-type;host;x-content-sha256;x-date, " +
        "Signature=350c4118a71c22ab4ca74d10281c4b176743f0e2969629031c0f59053a8e2cd6",
    });
  });

  test("is signed for its region, or for that of its channel", () => {
    const other = "https://ark.ap-southeast-1.byteplusapi.com/?Action=GetAsset";
    expect(signed("k|A|S", other)["authorization"]).toContain("/ap-southeast-1/ark/request");
    expect(signed("k|A|S", other, { assets_region: "eu-1" })["authorization"]).toContain("/eu-1/");
    expect(signed("k|A|S|T")["x-security-token"]).toBe("T");
  });

  test.each([
    ["https://ark.cn-beijing.volces.com/api/v3", {}, "https://open.volcengineapi.com"],
    [
      "https://ark.ap-southeast.bytepluses.com/api/v3",
      {},
      "https://ark.ap-southeast-1.byteplusapi.com",
    ],
    ["https://gateway.example/api/v3", {}, undefined],
    ["https://evil-volces.com/api/v3", {}, undefined],
    ["https://gateway.example/api/v3", { assets_url: "https://x.example" }, "https://x.example"],
  ])("from a channel at %s goes to the channel's address", (baseUrl, options, expected) => {
    expect(ARK_ASSETS.urlOf({ baseUrl, options })).toBe(expected);
  });

  test("names the channel's project", () => {
    expect(ARK_ASSETS.membersOf({ project: "films" })).toEqual({ ProjectName: "films" });
    expect(ARK_ASSETS.membersOf({})).toEqual({});
  });
});

test.each([
  [{ assets_url: "ftp://x" }, ["assets_url"]],
  [{ assets_url: "https://x.example/?a=b" }, ["assets_url"]],
  [{ assets_region: "EU 1" }, ["assets_region"]],
  [{ project: "a b" }, ["project"]],
  [{ project: "films", assets_url: "https://x.example", assets_region: "eu-1" }, []],
])("invalid options are refused: %j", (options, wrong) => {
  expect(Object.keys(ARK_OPTIONS.optionProblems?.(options) ?? {})).toEqual(wrong);
});

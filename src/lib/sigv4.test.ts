import { describe, expect, test } from "bun:test";
import { signV4, signVolcengine, type SignedRequest } from "./sigv4.ts";

/** The account, the moment and the service of the specification's own test suite. */
const KEY = {
  accessKeyId: "AKIDEXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY",
};
const AT = Date.UTC(2015, 7, 30, 12, 36, 0);
const SCOPE = { region: "us-east-1", service: "service", at: AT };

function request(path: string, more: Partial<SignedRequest> = {}): SignedRequest {
  const url = new URL(`https://example.amazonaws.com${path}`);
  return { method: "GET", url, body: "", headers: {}, ...more };
}

function signatureOf(...args: Parameters<typeof signV4>): string {
  return signV4(...args)["authorization"]?.replace(/.*Signature=/, "") ?? "";
}

describe("a signature", () => {
  test("equals that of the specification's suite for the simplest request", () => {
    expect(signV4(request("/"), KEY, SCOPE)).toEqual({
      "x-amz-date": "20150830T123600Z",
      authorization:
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, " +
        "SignedHeaders=host;x-amz-date, " +
        "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
    });
  });

  test("equals the suite's for an unsorted query", () => {
    expect(signatureOf(request("/?Param2=value2&Param1=value1"), KEY, SCOPE)).toBe(
      "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    );
  });

  test("equals the suite's for another method", () => {
    expect(signatureOf(request("/", { method: "POST" }), KEY, SCOPE)).toBe(
      "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
    );
  });

  test("equals the documentation's example for a service, a query and a signed type", () => {
    const listing = {
      method: "GET",
      url: new URL("https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08"),
      body: "",
      headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
    };
    const scope = { region: "us-east-1", service: "iam", at: AT, sign: ["content-type"] };

    expect(signatureOf(listing, KEY, scope)).toBe(
      "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7",
    );
  });

  test("is valid for one body, one path, one moment and one session only", () => {
    const plain = request("/model/a%3Ab/x", { method: "POST", body: "{}" });
    const others = [
      signatureOf({ ...plain, body: "{ }" }, KEY, SCOPE),
      signatureOf(request("/model/a:b/x", { method: "POST", body: "{}" }), KEY, SCOPE),
      signatureOf(plain, KEY, { ...SCOPE, at: AT + 1_000 }),
      signatureOf(plain, { ...KEY, sessionToken: "token" }, SCOPE),
      signatureOf(plain, KEY, { ...SCOPE, region: "eu-west-1" }),
    ];

    expect(new Set([signatureOf(plain, KEY, SCOPE), ...others]).size).toBe(6);
  });

  test("names its session", () => {
    const signed = signV4(request("/"), { ...KEY, sessionToken: "a-session" }, SCOPE);

    expect(signed["x-amz-security-token"]).toBe("a-session");
    expect(signed["authorization"]).toContain(
      "SignedHeaders=host;x-amz-date;x-amz-security-token,",
    );
    expect(JSON.stringify(signed)).not.toContain(KEY.secretAccessKey);
  });
});

describe("a Volcengine signature", () => {
  const TYPE = { "content-type": "application/json" };

  test.each([
    [
      "of a question of one service's",
      "https://visual.volcengineapi.com/?Action=CVSync2AsyncGetResult&Version=2022-08-31",
      '{"req_key":"jimeng_vgfm_t2v_l20","task_id":"abc"}',
      ["AKTEST", "SKTEST", "cn-north-1", "cv"],
      Date.UTC(2024, 0, 15, 12),
      "2e83d6a6ed2aef0fb0dd7125abe5bad97718ec9bd6be63d52418921ea3133955",
      "5cbe194cc35a9fe8a0dcf34cbfc8f10d2c989caa3059aa6fe4f186977c0fef7a",
    ],
    [
      "of a query out of order, with spaces and signs in it",
      "https://ark.ap-southeast-1.byteplusapi.com/?Version=2024-01-01&Action=GetAsset&Filter=a+b&Filter=a%2Bb",
      '{"Id":"asset-1","ProjectName":"project3"}',
      ["test-ak", "test-secret", "ap-southeast-1", "ark"],
      Date.UTC(2026, 6, 29, 12, 34, 56),
      "156617727cf37ec13384e0ca80bbf694d0cfd02b3293bf1cad160c2479da6daf",
      "15b9c14125104cf5670559249a95d6cb85595bb56a70cbe5037ac1c302b223fc",
    ],
    [
      "of another service and region",
      "https://open.volcengineapi.com/?Action=CreateAsset&Version=2024-01-01",
      '{"GroupId":"group-1","URL":"https://example.com/a.png","AssetType":"Image"}',
      ["AKTEST", "SKTEST", "cn-beijing", "ark"],
      Date.UTC(2026, 0, 1),
      "1375ee526952e79d49f5b36d70af7e1906ce30dfcf681242f703be1262bddf5c",
      "350c4118a71c22ab4ca74d10281c4b176743f0e2969629031c0f59053a8e2cd6",
    ],
  ] as const)("equals the published one %s", (_what, url, body, account, at, hash, signature) => {
    const [accessKeyId, secretAccessKey, region, service] = account;
    const signed = signVolcengine(
      { method: "POST", url: new URL(url), body, headers: TYPE },
      { accessKeyId, secretAccessKey },
      { region, service, at, sign: ["content-type"] },
    );
    const time = new Date(at).toISOString().slice(0, 19).replaceAll(/[-:]/g, "");

    expect(signed).toEqual({
      "x-date": `${time}Z`,
      "x-content-sha256": hash,
      authorization:
        `HMAC-SHA256 Credential=${accessKeyId}/${time.slice(0, 8)}/${region}/${service}/request, ` +
        `SignedHeaders=content-type;host;x-content-sha256;x-date, Signature=${signature}`,
    });
  });

  test("covers its session", () => {
    const plain = request("/", { method: "POST", headers: TYPE });
    const scope = { ...SCOPE, sign: ["content-type"] };
    const signed = signVolcengine(plain, { ...KEY, sessionToken: "a-session" }, scope);

    expect(signed["x-security-token"]).toBe("a-session");
    expect(signed["authorization"]).toContain(";x-date;x-security-token,");
    expect(signed["authorization"]).not.toBe(signVolcengine(plain, KEY, scope)["authorization"]);
  });
});

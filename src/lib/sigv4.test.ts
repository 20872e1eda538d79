import { describe, expect, test } from "bun:test";
import { signV4, type SignedRequest } from "./sigv4.ts";

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
  test("is the one of the specification's suite for the plainest request", () => {
    expect(signV4(request("/"), KEY, SCOPE)).toEqual({
      "x-amz-date": "20150830T123600Z",
      authorization:
        "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, " +
        "SignedHeaders=host;x-amz-date, " +
        "Signature=5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31",
    });
  });

  test("is the suite's for a query out of order", () => {
    expect(signatureOf(request("/?Param2=value2&Param1=value1"), KEY, SCOPE)).toBe(
      "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
    );
  });

  test("is the suite's for another method", () => {
    expect(signatureOf(request("/", { method: "POST" }), KEY, SCOPE)).toBe(
      "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b",
    );
  });

  test("is the documentation's example for a service, a query and a signed type", () => {
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

  test("holds for one body, one path, one moment and one session only", () => {
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

  test("names the session that it was made in", () => {
    const signed = signV4(request("/"), { ...KEY, sessionToken: "a-session" }, SCOPE);

    expect(signed["x-amz-security-token"]).toBe("a-session");
    expect(signed["authorization"]).toContain(
      "SignedHeaders=host;x-amz-date;x-amz-security-token,",
    );
    expect(JSON.stringify(signed)).not.toContain(KEY.secretAccessKey);
  });
});

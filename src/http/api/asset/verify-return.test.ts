import { expect, test } from "bun:test";
import type { VerificationOutcome } from "#core/identity-session.ts";
import type { Exchange } from "#http/routes.ts";
import { verifyReturn } from "./verify-return.ts";

const OUTCOME = {
  resultCode: "10000",
  algorithmBaseRespCode: "0",
  reqMeasureInfoValue: "1",
  verify_type: "real_time",
};

async function visited(query: Readonly<Record<string, string>>) {
  const heard: (readonly [string, VerificationOutcome])[] = [];
  const exchange: Partial<Exchange> = {
    id: "call-1",
    query: new URLSearchParams(query),
    param: (name) => `the ${name}`,
  };
  const deps = {
    verifications: {
      async heard(word: string, told: VerificationOutcome) {
        heard.push([word, told]);
      },
    },
  };
  const answer = await verifyReturn.handle(exchange as Exchange, deps as never);
  return { answer, page: await answer.text(), heard };
}

test("a person's return is recorded with its outcome, and gets a page without scripts", async () => {
  const { answer, page, heard } = await visited(OUTCOME);

  expect(heard).toEqual([
    [
      "the word",
      {
        resultCode: "10000",
        algorithmBaseRespCode: "0",
        reqMeasureInfoValue: "1",
        verifyType: "real_time",
      },
    ],
  ]);
  expect(answer.status).toBe(200);
  expect(Object.fromEntries(answer.headers)).toEqual({
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy":
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "x-request-id": "call-1",
  });
  expect(page).toContain("You may close this page.");
});

test("a visit without an outcome is not reported, and sees the same page", async () => {
  const { page } = await visited(OUTCOME);

  for (const query of [{}, { resultCode: "" }, { resultCode: "\n" }]) {
    const without = await visited(query);
    expect(without.heard).toEqual([]);
    expect(without.page).toBe(page);
  }
});

test("an outcome is short, and has printable characters only", async () => {
  const { heard } = await visited({ resultCode: `1\u0000é\n0${"x".repeat(200)}` });

  expect(heard[0]?.[1]).toEqual({
    resultCode: `10${"x".repeat(126)}`,
    algorithmBaseRespCode: "",
    reqMeasureInfoValue: "",
    verifyType: "",
  });
});

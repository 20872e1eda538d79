import type { VerificationOutcome } from "#core/identity-session.ts";
import { buildError } from "#styles/text/chat/error.ts";
import { z } from "zod";
import type { AssetDeps } from "#http/deps/assets.ts";
import type { Endpoint } from "#http/routes.ts";

/** The path to which vendors redirect users' browsers after a verification. */
export const VERIFY_PATH = "/callbacks/verify";

const MAX_CHARS = 128;

/**
 * The same page for every visitor: it reveals neither the outcome nor whether the session exists.
 */
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>Verification</title>
</head>
<body>
<h1>Thank you</h1>
<p>Your part of the verification is over. You may close this page.</p>
<p lang="zh-Hans">您的验证步骤已结束，可以关闭此页面。</p>
</body>
</html>
`;

const HEADERS = {
  "content-type": "text/html; charset=utf-8",
  "cache-control": "no-store",
  "content-security-policy":
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/**
 * Open to everyone. A request only makes the gateway query the vendor, or report a failure to the
 * client.
 */
export const verifyReturn: Endpoint<Pick<AssetDeps, "verifications">> = {
  operationId: "returnFromVerification",
  tag: "Callbacks",
  answer: { description: "A page for the person.", content: { "text/html": z.string() } },
  method: "GET",
  path: `${VERIFY_PATH}/:word`,
  access: "vendor",
  summary: "Return page of a vendor's verification for the person's browser.",
  renderError: buildError,

  async handle(exchange, { verifications }) {
    const told = readOutcome(exchange.query);
    if (told !== undefined) await verifications.heard(exchange.param("word"), told);
    return new Response(PAGE, { headers: { ...HEADERS, "x-request-id": exchange.id } });
  },
};

/** Undefined if the query does not contain the outcome. */
function readOutcome(query: URLSearchParams): VerificationOutcome | undefined {
  const said = (name: string): string =>
    (query.get(name) ?? "").replaceAll(/[^\x20-\x7e]/g, "").slice(0, MAX_CHARS);
  const resultCode = said("resultCode");
  if (resultCode === "") return undefined;
  return {
    resultCode,
    algorithmBaseRespCode: said("algorithmBaseRespCode"),
    reqMeasureInfoValue: said("reqMeasureInfoValue"),
    verifyType: said("verify_type"),
  };
}

import { describe, expect, test } from "bun:test";
import { isSignedWith, signatureOf } from "./standard-webhooks.ts";

const SECRET = "whsec_dGVzdHNlY3JldHRlc3RzZWNyZXR0ZXN0c2VjcmV0MTI=";
const MESSAGE = {
  id: "9876543210",
  timestamp: 1_781_080_794,
  body: '{"id":"1234567890","status":"succeeded","message":"","create_time":1781080778802,"update_time":1781080794151}',
};
const SIGNATURE = "v1,UsKlJP00XoQyOn410NM9xv34sP+Gl0jnOO9Lcpr7NJ4=";
const NOW = MESSAGE.timestamp + 10;

test("[B5-2] a message has the same signature as in another implementation", () => {
  expect(signatureOf(SECRET, MESSAGE)).toBe(SIGNATURE);
  expect(signatureOf(SECRET, { ...MESSAGE, body: Buffer.from(MESSAGE.body) })).toBe(SIGNATURE);
});

describe("[B5-2] a signature", () => {
  test("is valid, also among others during a rotation", () => {
    expect(isSignedWith(SECRET, MESSAGE, SIGNATURE, NOW)).toBe(true);
    expect(isSignedWith(SECRET, MESSAGE, `v1,AAAA ${SIGNATURE} v2,x`, NOW)).toBe(true);
  });

  test.each([
    ["of another body", { ...MESSAGE, body: `${MESSAGE.body} ` }, SIGNATURE, NOW],
    ["of another id", { ...MESSAGE, id: "1" }, SIGNATURE, NOW],
    ["of another time", { ...MESSAGE, timestamp: MESSAGE.timestamp + 1 }, SIGNATURE, NOW],
    ["of a time long ago", MESSAGE, SIGNATURE, NOW + 300],
    ["of a time to come", MESSAGE, SIGNATURE, MESSAGE.timestamp - 301],
    ["of no time", { ...MESSAGE, timestamp: Number.NaN }, SIGNATURE, NOW],
    ["of another version", MESSAGE, SIGNATURE.replace("v1", "v2"), NOW],
    ["that is empty", MESSAGE, "", NOW],
    ["behind too many others", MESSAGE, `${"v1,x ".repeat(20)}${SIGNATURE}`, NOW],
  ])("%s is not valid", (_what, message, signatures, now) => {
    expect(isSignedWith(SECRET, message, signatures, now)).toBe(false);
  });
});

import { createCipheriv, createHash, hkdfSync } from "node:crypto";
import { expect, test } from "bun:test";
import { openerOf, openMembers } from "./decrypt.ts";

const SALT = "sk-salt-of-a-test";

function sealed(version: "2" | "3", text: string, salt = SALT): string {
  const key =
    version === "3"
      ? Buffer.from(hkdfSync("sha256", salt, "", "litellm-at-rest-v3", 32))
      : createHash("sha256").update(salt).digest();
  const nonce = Buffer.alloc(12, 7);
  const cipher = createCipheriv("aes-256-gcm", key, nonce);
  const body = Buffer.concat([cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `v${version}:gcm:${Buffer.concat([nonce, body]).toString("base64url")}`;
}

test("values behind both markers of AES-GCM open with their derivation of the key", () => {
  const { open } = openerOf([SALT]);

  expect([open(sealed("2", "sk-one")), open(sealed("3", "sk-two"))]).toEqual(["sk-one", "sk-two"]);
});

test("a value of another key does not open, and a plain one stays as it is", () => {
  const { open } = openerOf([SALT]);

  expect(open(sealed("3", "sk-one", "another"))).toBeUndefined();
  expect(open(Buffer.alloc(60, 5).toString("base64url"))).toBeUndefined();
  expect([open("openai/gpt-4o"), open("none")]).toEqual(["openai/gpt-4o", "none"]);
});

test("a value that the first key does not open is opened by the second", () => {
  expect(openerOf(["another", SALT]).open(sealed("2", "sk-one"))).toBe("sk-one");
});

test("members that do not open are named, and nested ones are opened", () => {
  const failed: string[] = [];
  const opened = openMembers(
    { rpm: 5, api_key: sealed("3", "x", "another"), inner: { name: sealed("2", "y") } },
    openerOf([SALT]),
    (name) => failed.push(name),
  );

  expect([opened, failed]).toEqual([{ rpm: 5, inner: { name: "y" } }, ["api_key"]]);
});

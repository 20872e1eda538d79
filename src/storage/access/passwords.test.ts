import { expect, test } from "bun:test";
import { openPasswords } from "./passwords.ts";

const PEPPER = new Uint8Array(32).fill(7);

test("a password is hashed with argon2id, at the minimum that OWASP names", async () => {
  const passwords = openPasswords(PEPPER);

  const hash = await passwords.hash("a password of a user");

  expect(hash).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
  expect(await passwords.verify("a password of a user", hash)).toBe(true);
  expect(await passwords.verify("another password", hash)).toBe(false);
});

test("a password of a user without one is refused", async () => {
  const passwords = openPasswords(PEPPER);

  expect(await passwords.verify("a password", null)).toBe(false);
  expect(await passwords.verify("a password", undefined)).toBe(false);
});

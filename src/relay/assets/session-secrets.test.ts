import { expect, test } from "bun:test";
import { openSeal } from "#lib/seal.ts";
import { openSecrets, sealSecrets } from "./session-secrets.ts";

const SEAL = openSeal(new Uint8Array(32), "verifications");
const SECRETS = {
  token: "vt_token",
  upstreamToken: "upstream",
  callbackUrl: "https://public.example/hook",
};

test("the secrets of a session are readable with its id, and are stored encrypted", () => {
  const sealed = sealSecrets(SECRETS, "session-1", SEAL);

  expect(openSecrets(sealed, "session-1", SEAL)).toEqual(SECRETS);
  expect(sealed).not.toContain("vt_token");
});

test("the secrets of one session are not readable as those of another", () => {
  const sealed = sealSecrets(SECRETS, "session-1", SEAL);

  expect(openSecrets(sealed, "session-2", SEAL)).toBeUndefined();
});

test("deleted secrets are undefined", () => {
  expect(openSecrets("", "session-1", SEAL)).toBeUndefined();
});

test.each(["token", "upstreamToken", "callbackUrl"])("secrets without %s are undefined", (name) => {
  const left = Object.entries(SECRETS).filter(([each]) => each !== name);

  expect(openSecrets(sealedJson(Object.fromEntries(left)), "session-1", SEAL)).toBeUndefined();
});

test("stored data of another form is undefined", () => {
  expect(openSecrets(sealedJson("word"), "session-1", SEAL)).toBeUndefined();
});

function sealedJson(json: unknown): string {
  return SEAL.close(new TextEncoder().encode(JSON.stringify(json)), "session-1");
}

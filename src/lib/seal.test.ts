import { expect, test } from "bun:test";
import { openSeal } from "./seal.ts";

const SECRET = new Uint8Array(32).fill(1);
const TEXT = Buffer.from("what nobody else may read");
const seal = openSeal(SECRET, "letters");

test("an encrypted text can be decrypted, and differs every time", () => {
  const [one, other] = [seal.close(TEXT, "7"), seal.close(TEXT, "7")];

  expect(seal.open(one, "7")).toEqual(TEXT);
  expect(other).not.toBe(one);
  expect(Buffer.from(one, "base64url").includes(TEXT)).toBe(false);
});

test("another secret, label or context cannot decrypt it", () => {
  const sealed = seal.close(TEXT, "7");

  expect(openSeal(new Uint8Array(32).fill(2), "letters").open(sealed, "7")).toBeUndefined();
  expect(openSeal(SECRET, "parcels").open(sealed, "7")).toBeUndefined();
  expect(seal.open(sealed, "8")).toBeUndefined();
});

test("a changed character is detected at every position", () => {
  const sealed = seal.close(TEXT, "7");

  for (let i = 0; i < sealed.length; i++) {
    const changed = sealed.slice(0, i) + (sealed[i] === "A" ? "B" : "A") + sealed.slice(i + 1);
    const opened = seal.open(changed, "7");
    // The last character has bits that mean nothing.
    if (i < sealed.length - 1) expect(opened).toBeUndefined();
  }
  for (const text of ["", "v1.", "v1.AAAA", sealed.slice(3), sealed.slice(0, -8)]) {
    expect(seal.open(text, "7")).toBeUndefined();
  }
});

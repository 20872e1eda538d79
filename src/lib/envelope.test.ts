import { expect, test } from "bun:test";
import { seal, unseal } from "./envelope.ts";

const KEY = new Uint8Array(32).fill(1);
const OTHER_KEY = new Uint8Array(32).fill(2);

test("an encrypted text can be decrypted, with any content", () => {
  for (const text of ["", "a secret", "späť 🗝\n", "x".repeat(16_384)]) {
    expect(unseal(seal(text, KEY, "here"), KEY, "here")).toBe(text);
  }
});

test("the result reveals nothing of the text, and no two results are alike", () => {
  const [one, other] = [seal("a secret", KEY, "here"), seal("a secret", KEY, "here")];

  expect(one).toMatch(/^v1(\.[A-Za-z0-9_-]+){3}$/);
  expect(one).not.toContain(Buffer.from("a secret").toString("base64url"));
  const [first, second] = [one, other].map((each) => new Set(each.split(".").slice(2)));
  expect(first?.isDisjointFrom(second ?? new Set())).toBe(true);
});

test("another key or another context cannot decrypt it", () => {
  const sealed = seal("a secret", KEY, "here");

  expect(() => unseal(sealed, OTHER_KEY, "here")).toThrow("another key");
  expect(() => unseal(sealed, KEY, "there")).toThrow();
});

test("it cannot be decrypted with any character changed, added or removed", () => {
  const sealed = seal("a secret", KEY, "here");

  for (let at = 0; at < sealed.length; at++) {
    for (const other of [sealed[at] === "A" ? "B" : "A", ".", "", `${sealed[at]}A`]) {
      const changed = sealed.slice(0, at) + other + sealed.slice(at + 1);
      if (changed !== sealed) expect(() => unseal(changed, KEY, "here")).toThrow();
    }
  }
  // The characters that differ only in bits which a decoder leaves out, too.
  for (const last of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") {
    const changed = sealed.slice(0, -1) + last;
    if (changed !== sealed) expect(() => unseal(changed, KEY, "here")).toThrow();
  }
});

test("parts of two results do not form a third", () => {
  const one = seal("a secret", KEY, "here").split(".");
  const other = seal("a secret", KEY, "here").split(".");

  for (let at = 2; at < one.length; at++) {
    const mixed = one.with(at, other[at] ?? "").join(".");
    expect(() => unseal(mixed, KEY, "here")).toThrow();
  }
});

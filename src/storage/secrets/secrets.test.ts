import { expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { digestOf, loadPepper } from "./secrets.ts";

test("the first start creates a secret that only its owner can read; later starts keep it", () => {
  using folder = openFolder();

  const made = loadPepper(folder.path);

  expect(made).toHaveLength(32);
  expect(new Set(made).size).toBeGreaterThan(8);
  expect(loadPepper(folder.path)).toEqual(made);
  expect(readdirSync(folder.path)).toEqual(["secret"]);
  expect(statSync(join(folder.path, "secret")).mode & 0o777).toBe(0o600);
  expect(statSync(folder.path).mode & 0o077).toBe(0);
});

test("a damaged secret is refused rather than replaced", () => {
  using folder = openFolder();
  loadPepper(folder.path);
  writeFileSync(join(folder.path, "secret"), "short");

  expect(() => loadPepper(folder.path)).toThrow("it has 5 bytes instead of 32");
});

test("a configured secret needs no file", () => {
  using folder = openFolder();

  const first = loadPepper(folder.path, "a secret of the configuration");

  expect(first).toHaveLength(32);
  expect(loadPepper(folder.path, "a secret of the configuration")).toEqual(first);
  expect(loadPepper(folder.path, "another secret")).not.toEqual(first);
  expect(readdirSync(folder.path)).toEqual([]);
});

test("a digest depends on all of the secret and all of the pepper", () => {
  const pepper = new Uint8Array(32).fill(1);
  const other = pepper.with(31, 2);

  expect(digestOf("secret", pepper)).toBe(digestOf("secret", pepper));
  expect(digestOf("secret", pepper)).not.toBe(digestOf("secret", other));
  expect(digestOf("secret", pepper)).not.toBe(digestOf("secreu", pepper));
  expect(digestOf("secret", pepper)).toMatch(/^[\w-]{43}$/);
});

function openFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "sluice-secret-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

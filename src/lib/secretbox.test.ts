import { expect, test } from "bun:test";
import { openSecretbox } from "./secretbox.ts";

const KEY = Buffer.from("1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389", "hex");
/** The vector of NaCl's own test `secretbox`. */
const NONCE = "69696ee955b62b73cd62bda875fc73d68219e0036b7a0b37";
const SEALED =
  "f3ffc7703f9400e52a7dfb4b3d3305d98e993b9f48681273c29650ba32fc76ce48332ea7164d96a4476fb8c531a1186a" +
  "c0dfc17c98dce87b4da7f011ec48c97271d2c20f9b928fe2270d6fb863d51738b48eeee314a7cc8ab932164548e526ae" +
  "90224368517acfeabd6bb3732bc0e9da99832b61ca01b6de56244a9e88d5f9b37973f622a43d14a6599b1f654cb45a74" +
  "e355a5";
const OPENED =
  "be075fc53c81f2d5cf141316ebeb0c7b5228c52a4c62cbd44b66849b64244ffce5ecbaaf33bd751a1ac728d45e6c6129" +
  "6cdc3c01233561f41db66cce314adb310e3be8250c46f06dceea3a7fa1348057e2f6556ad6b1318a024a838f21af1fde" +
  "048977eb48f59ffd4924ca1c60902e52f0a089bc76897040e082f937763848645e0705";

function box(change = 0): Uint8Array {
  const bytes = Buffer.from(NONCE + SEALED, "hex");
  bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ change;
  return bytes;
}

test("a box of NaCl opens with its key", () => {
  const opened = openSecretbox(box(), KEY);

  expect(Buffer.from(opened ?? []).toString("hex")).toBe(OPENED);
});

test("a box that was changed does not open", () => {
  expect(openSecretbox(box(1), KEY)).toBeUndefined();
});

test("a box does not open with another key, and a text that is too short is none", () => {
  expect(openSecretbox(box(), Buffer.alloc(32, 1))).toBeUndefined();
  expect(openSecretbox(Buffer.alloc(39), KEY)).toBeUndefined();
  expect(openSecretbox(box(), KEY.subarray(1))).toBeUndefined();
});

import { expect, test } from "bun:test";
import { isWebPage, sentWebPage } from "./web-page.ts";

test.each(["<!doctype html>", " \t\r\n<html>", "\uFEFF<html>"])(
  "an answer that begins with markup is a web page: %j",
  (text) => {
    expect(isWebPage(Buffer.from(text))).toBe(true);
  },
);

test.each(["", "  ", "{}", "[1]", "data: <html>", "\uFEFF{}"])(
  "any other answer is none: %j",
  (text) => {
    expect(isWebPage(Buffer.from(text))).toBe(false);
  },
);

test("the operator is told that the address leads to a web page", () => {
  expect(sentWebPage()).toMatchObject({
    code: "upstream_failed",
    message: "The upstream sent a web page instead of an answer.",
  });
});

import { expect, test } from "bun:test";
import { loadConfig } from "#config.ts";

const URL = "smtps://user:pass%2Fword@mail.example.com";
const FROM = "Sluice <sluice@example.com>";

test("mail needs the URL of a server and a sender", () => {
  expect(mistakesOf({ SLUICE_MAIL_SMTP_URL: URL })).toEqual([
    "SLUICE_MAIL_FROM: is missing: mail needs both.",
  ]);
  expect(mistakesOf({ SLUICE_MAIL_FROM: FROM })).toEqual([
    "SLUICE_MAIL_SMTP_URL: is missing: mail needs both.",
  ]);
  expect(mistakesOf({ SLUICE_MAIL_SMTP_URL: URL, SLUICE_MAIL_FROM: FROM })).toEqual([]);
});

for (const url of [
  "smtp://mail.example.com",
  "smtp://mail.example.com:2525/",
  "smtp://127.0.0.1:25?tls=off",
  "smtp://[::1]:25/?tls=off",
]) {
  test(`a mail server can be given as ${url}`, () => {
    expect(mistakesOf({ SLUICE_MAIL_SMTP_URL: url, SLUICE_MAIL_FROM: FROM })).toEqual([]);
  });
}

for (const url of [
  "https://mail.example.com",
  "smtp://",
  "smtp://mail.example.com/inbox",
  "smtp://mail.example.com?tls=maybe",
  "smtps://mail.example.com?tls=off",
  "smtp://user@mail.example.com",
  "smtp://user:100%@mail.example.com",
]) {
  test(`${url} is no mail server, and the error does not quote it`, () => {
    const [mistake, ...others] = mistakesOf({ SLUICE_MAIL_SMTP_URL: url, SLUICE_MAIL_FROM: FROM });
    expect(mistake).toStartWith("SLUICE_MAIL_SMTP_URL: The value is not a URL such as");
    expect([mistake, others]).not.toContain(url);
  });
}

for (const from of ["sluice@example.com", FROM, "Schleuse Süd <sluice@example.com>"]) {
  test(`mail can be sent from ${from}`, () => {
    expect(mistakesOf({ SLUICE_MAIL_SMTP_URL: URL, SLUICE_MAIL_FROM: from })).toEqual([]);
  });
}

for (const from of [
  "sluice",
  "a@example.com, b@example.com",
  "Sluice <sluice>",
  "Sluice, Inc <sluice@example.com>",
  `${"x".repeat(101)} <sluice@example.com>`,
]) {
  test(`mail cannot be sent from ${from}`, () => {
    expect(mistakesOf({ SLUICE_MAIL_SMTP_URL: URL, SLUICE_MAIL_FROM: from })).toHaveLength(1);
  });
}

function mistakesOf(env: Record<string, string>): readonly string[] {
  try {
    loadConfig({ env, readFile: () => undefined, knownProviders: [] });
    return [];
  } catch (cause) {
    return String(cause instanceof Error ? cause.message : cause)
      .split("\n")
      .filter((line) => line.includes("SLUICE_"))
      .map((line) => line.trim());
  }
}

import { describe, expect, test } from "bun:test";
import { findMisspelt } from "./misspelt-variables.ts";

const KNOWN = ["OPENAI_API_KEY", "XAI_API_KEY", "GROQ_API_KEY", "GEMINI_API_KEY", "DATABASE_URL"];

const found = (env: Readonly<Record<string, string>>): readonly (readonly string[])[] =>
  findMisspelt(env, KNOWN).map(({ name, meant }) => [name, meant]);

describe("a variable that resembles a known one", () => {
  test.each([
    "OPENAI_APIKEY",
    "OPEN_AI_API_KEY",
    "OPENAI_KEY",
    "OPENAI_TOKEN",
    "OPENAI_API_KEYS",
    "OPENAI_API-KEY",
    "OPENAPI_API_KEY",
    "openai_api_key",
    "OPENIA_API_KEY",
    "OPENAI__API_KEY",
  ])("is found: %s", (name) => {
    expect(found({ [name]: "secret" })).toEqual([[name, "OPENAI_API_KEY"]]);
  });

  test.each(["DATABASE_URI", "DATABSE_URL", "XAI_APIKEY", "GROQ_KEY"])("is found: %s", (name) => {
    expect(found({ [name]: "secret" })).toHaveLength(1);
  });

  test("is not reported if the right one is set as well, or if it is empty", () => {
    expect(found({ OPENAI_KEY: "a", OPENAI_API_KEY: "b" })).toEqual([]);
    expect(found({ OPENAI_KEY: " " })).toEqual([]);
  });

  test.each([
    "PATH",
    "HOME",
    "OPENAI_BASE_URL",
    "OPENAI_ORG_ID",
    "API_KEY",
    "KEY",
    "GITHUB_TOKEN",
    "MY_API_KEY",
    "DATABASE_USER",
  ])("is not any other variable: %s", (name) => {
    expect(found({ [name]: "x" })).toEqual([]);
  });
});

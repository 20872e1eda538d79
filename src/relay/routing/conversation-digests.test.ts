import { expect, test } from "bun:test";
import type { ApiKey } from "#core/key.ts";
import { outlineJson, type Json, type JsonObject } from "#lib/json.ts";
import { messages } from "#styles/text/messages/index.ts";
import { conversationDigests } from "./conversation-digests.ts";

function digests(said: Json | undefined, userId = 7, session?: string) {
  const json: JsonObject = said === undefined ? {} : { messages: said };
  const text = JSON.stringify(json);
  const body = { text, json, outline: outlineJson(text, 64) };
  const tags = session === undefined ? {} : { tags: { session } };
  return conversationDigests({ key: { userId } as ApiKey, style: messages, body, ...tags });
}

const HELLO = { role: "user", content: "hello" };
const HI = { role: "assistant", content: "hi" };
const MORE = { role: "user", content: "and now?" };

test("a conversation is recognised at any length", () => {
  const first = digests([HELLO]);
  const second = digests([HELLO, HI, MORE]);
  const third = digests([HELLO, HI, MORE, { role: "assistant", content: "this" }, MORE]);

  expect(first?.answered).toBeUndefined();
  expect(second?.beginning).toBe(first?.beginning ?? "");
  expect(third).toEqual(second);
});

test("cache marks, which move along, make no difference", () => {
  const block = { type: "text", text: "hello" };
  const marked = { ...block, cache_control: { type: "ephemeral" } };
  expect(digests([{ role: "user", content: [marked] }])).toEqual(
    digests([{ role: "user", content: [block] }]),
  );
});

test("instructions before the conversation make no difference", () => {
  expect(digests([{ role: "system", content: "It is Monday." }, HELLO, HI])).toEqual(
    digests([{ role: "developer", content: "It is Tuesday." }, HELLO, HI]),
  );
});

test("conversations with equal starts are distinguished by the first answer, and users always", () => {
  const other = digests([HELLO, { role: "assistant", content: "hello" }, MORE]);
  expect(other?.answered).not.toBe(digests([HELLO, HI, MORE])?.answered);
  expect(digests([HELLO], 8)).not.toEqual(digests([HELLO], 7));
  expect(digests([HELLO], 7, "one")).not.toEqual(digests([HELLO], 7, "two"));
});

test("an image in the first message costs no more than a few words", () => {
  const picture = { role: "user", content: [{ type: "text", text: "x".repeat(5_000_000) }] };
  expect(digests([picture])?.beginning).toHaveLength(27);
});

test("a conversation that is one text is recognised by it", () => {
  expect(digests("hello")).toEqual(digests("hello"));
  expect(digests("hello")).not.toEqual(digests("goodbye"));
  expect(digests("hello")?.answered).toBeUndefined();
});

test("a request without a turn of the user has no conversation", () => {
  expect(digests(undefined)).toBeUndefined();
  expect(digests([])).toBeUndefined();
  expect(digests([{ role: "system", content: "It is Monday." }])).toBeUndefined();
});

test("a second message of the user before the first answer is not an answer", () => {
  const later = { role: "developer", content: "Be brief." };

  expect(digests([HELLO, MORE])?.answered).toBeUndefined();
  expect(digests([HELLO, later])?.answered).toBeUndefined();
  expect(digests([HELLO, MORE, later, HI])).toEqual(digests([HELLO, HI]));
});

test("conversations with other words in parts of the first message are different", () => {
  const said = (...words: readonly string[]) =>
    digests([{ role: "user", content: words.map((text) => ({ type: "text", text })) }]);

  expect(said("hello", "you")).not.toEqual(said("hello", "there"));
  expect(said("hello", "you")).toEqual(said("hello", "you"));
});

test("only the first 4,096 characters of a message distinguish conversations", () => {
  const said = (...words: readonly string[]) =>
    digests([{ role: "user", content: words.map((text) => ({ text })) }]);
  /** What the role and the line breaks leave for the words. */
  const room = 4_096 - "user\n".length;
  const long = "x".repeat(room - 1);

  expect(said(`${long}a`)).not.toEqual(said(`${long}b`));
  expect(said(`${long}xa`)).toEqual(said(`${long}xb`));
  expect(said(long, "a")).toEqual(said(long));
  expect(said(long.slice(1), "a")).not.toEqual(said(long.slice(1), "b"));
  expect(said("x".repeat(9_000), "a", "b")).toEqual(said("x".repeat(9_000)));
});

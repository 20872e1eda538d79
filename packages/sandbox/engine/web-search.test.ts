import { expect, test } from "bun:test";
import { answerQuestion } from "./answer.ts";
import { question } from "../testing/question.ts";
import { asksForSearch, citationsIn, searchWeb } from "./web-search.ts";

test.each([
  ["Search the web for tide tables", true],
  ["What is in the news today?", true],
  ["Look it up", true],
  ["Say hi", false],
  ["My website is slow", false],
])("the prompt %j requests a search: %p", (text, expected) => {
  expect(asksForSearch(text)).toBe(expected);
});

test("the same query finds the same pages, and other queries find others", () => {
  expect(searchWeb("Search for tide tables")).toEqual(searchWeb("search for TIDE tables!"));
  expect(searchWeb("tide tables").pages[0]?.url).not.toBe(searchWeb("sea salt").pages[0]?.url);
});

test("pages have addresses that cannot be resolved, for any query", () => {
  for (const text of ["tides", "", "?!", "Ἀθῆναι / 100%", "a".repeat(5_000)]) {
    const hosts = searchWeb(text).pages.map(({ url }) => new URL(url).hostname);
    expect(hosts.every((host) => host.endsWith(".example"))).toBe(true);
  }
});

test("a response cites its pages if it names them, unless the limit cut them off", () => {
  const { pages } = searchWeb("tide tables");
  const whole = answerQuestion(question("Why do tides rise?", { pages })).text;
  const cut = answerQuestion(question("Why do tides rise?", { pages, maxTokens: 8 })).text;

  const [first] = citationsIn(whole, pages);
  expect(citationsIn(whole, pages)).toHaveLength(2);
  expect(whole.slice(first?.start, first?.end)).toContain(first?.page.url ?? "?");
  expect(citationsIn(cut, pages)).toEqual([]);
});

test("a response in a schema has no citations", () => {
  const { text } = answerQuestion(
    question("Fill in", { pages: searchWeb("x").pages, format: { kind: "json" } }),
  );

  expect(text).not.toContain("https://");
});

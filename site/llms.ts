import { addressOf } from "./links.ts";
import { NAVIGATION } from "./navigation.ts";
import type { DocPage } from "./pages.ts";

const INTRODUCTION = `# Sluice

> Sluice is a self-hosted LLM gateway. It puts OpenAI-compatible, Anthropic and Gemini APIs in front of every model vendor, with fallback, virtual keys, budgets, rate limits and usage tracking.

Each page is Markdown. The address of a page without \`.md\` gives Markdown as well, if the request has \`Accept: text/markdown\`. The API is described by [/openapi.json](/openapi.json).
`;

/** A list of all pages for programs, in the form of https://llmstxt.org. */
export function writeLlms(pages: readonly DocPage[]): string {
  const english = pages.filter(({ language }) => language === "en");
  const sections = NAVIGATION.map(({ title, pages: listed }) => {
    const found = listed.flatMap((base) =>
      english.filter((page) => page.base === base || page.base.startsWith(`${base}/`)),
    );
    return `## ${title.en}\n\n${found.map(entry).join("\n")}\n`;
  });
  const translated = pages.filter(({ language }) => language === "zh");
  const chinese =
    translated.length === 0 ? [] : [`## 简体中文\n\n${translated.map(entry).join("\n")}\n`];
  return [INTRODUCTION, ...sections, ...chinese].join("\n");
}

function entry(page: DocPage): string {
  return `- [${page.title}](${addressOf(page, ".md")}): ${page.summary}`;
}

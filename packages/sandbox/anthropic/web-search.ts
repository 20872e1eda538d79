import { contentWords } from "../engine/words.ts";
import { jsonText, type JsonObject } from "../json.ts";
import { seal } from "./seal.ts";
import type { Finding, RunContext, ServerRun } from "./server-tools.ts";
import type { ServerToolLimits } from "./tools.ts";

/** Invented pages about the words of the query, on the domains that the caller allows. */
export function searchWeb(
  limits: ServerToolLimits,
  input: JsonObject,
  { uses }: RunContext,
): ServerRun {
  const query = jsonText(input["query"]);
  const run = {
    name: "web_search",
    input: { query },
    resultType: "web_search_tool_result",
    usesContainer: false,
  };
  if (uses >= limits.maxUses) return { ...run, result: failure("max_uses_exceeded"), findings: [] };
  if (query.length > MAX_QUERY_CHARACTERS)
    return { ...run, result: failure("query_too_long"), findings: [] };
  const pages = pagesAbout(query, limits);
  return { ...run, result: pages.map(resultOf), findings: pages.map(findingOf) };
}

const MAX_QUERY_CHARACTERS = 1_000;

interface Page {
  readonly url: string;
  readonly title: string;
  readonly text: string;
  readonly age: string | null;
}

function pagesAbout(query: string, limits: ServerToolLimits): readonly Page[] {
  const subject = contentWords(query).slice(0, 6).join(" ") || "everything";
  const slug = subject.replaceAll(/[^\p{L}\p{N}]+/gu, "-");
  return domainsOf(limits)
    .slice(0, MAX_PAGES)
    .map((domain, index) => ({
      url: `https://${domain.replace(/\/$/, "")}/${slug}`,
      title: `${TITLES[index % TITLES.length] ?? ""} ${subject}`,
      text: `${SENTENCES[index % SENTENCES.length] ?? ""}`.replace("%", () => subject),
      age: index === 0 ? null : `${index} days ago`,
    }));
}

const MAX_PAGES = 5;

/** Domains that cannot be registered, unless the client names others. */
const DOMAINS = ["encyclopedia.example", "news.example", "almanac.example"];

function domainsOf({ allowedDomains, blockedDomains }: ServerToolLimits): readonly string[] {
  const isBlocked = (domain: string) =>
    blockedDomains.some((blocked) => domain === blocked || domain.endsWith(`.${blocked}`));
  return allowedDomains ?? DOMAINS.filter((domain) => !isBlocked(domain));
}

const TITLES = ["All about", "The latest on", "Figures for"];

const SENTENCES = [
  "This invented page explains % from the beginning.",
  "An invented report says that nothing new is known of %.",
  "The invented figures for % are the same as every year.",
];

function resultOf({ url, title, text, age }: Page): JsonObject {
  return {
    type: "web_search_result",
    title,
    url,
    encrypted_content: seal({
      kind: "search_result",
      owner: "",
      shown: `${url}\n${title}`,
      hidden: text,
    }),
    page_age: age,
  };
}

function findingOf({ url, title, text }: Page): Finding {
  return {
    text,
    citation: {
      type: "web_search_result_location",
      cited_text: text,
      url,
      title,
      encrypted_index: seal({ kind: "citation", owner: "", shown: `${url}\n${text}`, hidden: "" }),
    },
  };
}

function failure(code: string): JsonObject {
  return { type: "web_search_tool_result_error", error_code: code };
}

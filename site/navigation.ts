import type { Language } from "./texts.ts";

interface Section {
  readonly title: Readonly<Record<Language, string>>;
  /** Names of pages, which are their paths below /docs. */
  readonly pages: readonly string[];
}

/** The order of the pages, by task. A page that is in no section is an error of the build. */
export const NAVIGATION: readonly Section[] = [
  {
    title: { en: "Start", zh: "入门" },
    pages: ["index"],
  },
  {
    title: { en: "Connect vendors", zh: "接入供应商" },
    pages: ["channels", "models-and-prices", "failover", "sandbox"],
  },
  {
    title: { en: "Money and access", zh: "费用与访问" },
    pages: ["keys-and-quotas", "rate-limits", "login", "inviting-users", "management-api"],
  },
  {
    title: { en: "Observe", zh: "可观测性" },
    pages: ["health-and-logs", "usage-and-audit", "content-log", "alerts", "console"],
  },
  {
    title: { en: "Run", zh: "运行" },
    pages: [
      "install-and-run",
      "install",
      "proxies",
      "backup",
      "scaling",
      "performance",
      "migration",
    ],
  },
  {
    title: { en: "Use the API", zh: "使用 API" },
    pages: [
      "translation",
      "responses",
      "idempotency",
      "beyond-text",
      "videos-and-tasks",
      "assets-and-verification",
      "counting",
    ],
  },
  {
    title: { en: "Reference", zh: "参考" },
    pages: ["configuration", "changelog"],
  },
  {
    title: { en: "Security", zh: "安全" },
    pages: ["security"],
  },
  {
    title: { en: "Change the code", zh: "参与开发" },
    pages: ["architecture", "contributing", "decisions"],
  },
];

/** Pages that others list. Their files are in the folders of these names. */
export const LISTED_ELSEWHERE = ["adding/", "decisions/"];

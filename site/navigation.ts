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
    pages: ["index", "quick-start", "concepts", "install-and-run"],
  },
  {
    title: { en: "Connect clients", zh: "接入客户端" },
    pages: ["coding-agents", "client-libraries", "chat-apps"],
  },
  {
    title: { en: "Route calls", zh: "路由" },
    pages: ["routing", "failover"],
  },
  {
    title: { en: "Money", zh: "费用" },
    pages: ["money", "models-and-prices", "keys-and-quotas", "rate-limits"],
  },
  {
    title: { en: "Access", zh: "访问" },
    pages: ["access", "login", "inviting-users", "management-api"],
  },
  {
    title: { en: "Connect vendors", zh: "接入供应商" },
    pages: ["providers", "channels", "sandbox"],
  },
  {
    title: { en: "Observe", zh: "可观测性" },
    pages: [
      "observability",
      "health-and-logs",
      "alerts",
      "usage-and-audit",
      "content-log",
      "console",
    ],
  },
  {
    title: { en: "Operate", zh: "运维" },
    pages: [
      "install",
      "proxies",
      "backup",
      "upgrade",
      "sizing",
      "scaling",
      "journal-export",
      "performance",
      "truth",
      "hardening",
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
    pages: ["configuration", "cli", "requests", "errors", "headers", "metrics", "faq", "changelog"],
  },
  {
    title: { en: "Security", zh: "安全" },
    pages: ["security-model", "security"],
  },
  {
    title: { en: "Change the code", zh: "参与开发" },
    pages: ["architecture", "contributing", "decisions"],
  },
];

/** Pages that others list. Their files are in the folders of these names. */
export const LISTED_ELSEWHERE = ["adding/", "decisions/"];

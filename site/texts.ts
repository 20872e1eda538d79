export type Language = "en" | "zh";

interface Texts {
  /** The name of the language in itself. */
  readonly language: string;
  readonly tag: string;
  readonly title: string;
  readonly menu: string;
  readonly skip: string;
  readonly outline: string;
  readonly search: string;
  readonly nothing: string;
  readonly close: string;
  readonly theme: string;
  readonly copy: string;
  readonly copied: string;
  readonly previous: string;
  readonly next: string;
  readonly markdown: string;
  readonly console: string;
  readonly reference: string;
  readonly untranslated: string;
  readonly notFound: string;
  readonly notFoundHint: string;
  readonly table: string;
}

export const TEXTS: Readonly<Record<Language, Texts>> = {
  en: {
    language: "English",
    tag: "en",
    title: "Sluice documentation",
    menu: "Pages",
    skip: "Skip to the content",
    outline: "On this page",
    search: "Search",
    nothing: "Nothing found",
    close: "Close",
    theme: "Dark or light",
    copy: "Copy",
    copied: "Copied",
    previous: "Previous",
    next: "Next",
    markdown: "This page as Markdown",
    console: "Console",
    reference: "API reference",
    untranslated: "English",
    notFound: "There is no such page",
    notFoundHint: "Choose a page of the menu, or search.",
    table: "Table",
  },
  zh: {
    language: "简体中文",
    tag: "zh-CN",
    title: "Sluice 文档",
    menu: "页面",
    skip: "跳到正文",
    outline: "本页内容",
    search: "搜索",
    nothing: "没有结果",
    close: "关闭",
    theme: "深色或浅色",
    copy: "复制",
    copied: "已复制",
    previous: "上一页",
    next: "下一页",
    markdown: "本页的 Markdown",
    console: "控制台",
    reference: "API 参考",
    untranslated: "英文",
    notFound: "没有这个页面",
    notFoundHint: "请从菜单中选择页面，或使用搜索。",
    table: "表格",
  },
};

import { Marked, type Tokens } from "marked";
import type { Links } from "./links.ts";
import { namedRowsIn } from "./named-rows.ts";
import { plainOf, type DocPage } from "./pages.ts";
import { TEXTS } from "./texts.ts";

export interface Heading {
  readonly depth: number;
  readonly id: string;
  readonly text: string;
}

/** The headings with ids as repository hosts make them. */
export function headingsOf(markdown: string): readonly Heading[] {
  const used = new Map<string, number>();
  return new Marked()
    .lexer(withoutComments(markdown))
    .filter((token): token is Tokens.Heading => token.type === "heading")
    .map(({ depth, text }) => {
      const plain = plainOf(text);
      const id = idOf(plain);
      const before = used.get(id) ?? 0;
      used.set(id, before + 1);
      return { depth, id: before === 0 ? id : `${id}-${before}`, text: plain };
    });
}

function idOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, "")
    .replaceAll(" ", "-");
}

/** The page as HTML, below its title. */
export function renderMarkdown(page: DocPage, links: Links): string {
  const headings = headingsOf(page.markdown)[Symbol.iterator]();
  const names = new Set(namedRowsIn(page.markdown).map(({ name }) => name));
  const marked = new Marked({
    renderer: {
      tablerow({ text }) {
        const [, name = ""] = /^<td><code>([^<]+)<\/code><\/td>/.exec(text) ?? [];
        return names.delete(name) ? `<tr id="${name}">${text}</tr>\n` : `<tr>${text}</tr>\n`;
      },
      heading({ tokens, depth }) {
        const { value } = headings.next();
        const content = this.parser.parseInline(tokens);
        if (depth === 1 || value === undefined) return `<h${depth}>${content}</h${depth}>\n`;
        const inside = content.includes("<a ") ? content : `<a href="#${value.id}">${content}</a>`;
        return `<h${depth} id="${value.id}">${inside}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const content = this.parser.parseInline(tokens);
        const address = links.resolve(href, page);
        return address === undefined ? content : `<a href="${escape(address)}">${content}</a>`;
      },
      image({ href, text }) {
        const address = links.resolve(href, page) ?? "";
        return `<img src="${escape(address)}" alt="${escape(text)}" loading="lazy">`;
      },
      code({ text, lang = "" }) {
        const [word = ""] = lang.split(" ");
        const language = word === "" ? "" : ` class="language-${escape(word)}"`;
        return `<div class="code"><pre tabindex="0"><code${language}>${escape(text)}\n</code></pre></div>\n`;
      },
      html({ text }) {
        throw new Error(`${page.source} contains HTML, which pages do not show: ${text}`);
      },
    },
  });
  const html = marked.parse(withoutComments(page.markdown), { async: false });
  // A wide table scrolls by itself, also by the keyboard.
  const label = TEXTS[page.language].table;
  return html
    .replaceAll(
      "<table>",
      `<div class="table" role="region" aria-label="${label}" tabindex="0"><table>`,
    )
    .replaceAll("</table>", "</table></div>");
}

/** The page as Markdown whose links lead to the Markdown form of other pages. */
export function linkedMarkdown(page: DocPage, links: Links): string {
  return outsideCode(withoutComments(page.markdown), (text) =>
    text.replaceAll(/\]\(([^)\s]+)\)/g, (_, href: string) => {
      const address = links.resolve(href, page, ".md");
      return `](${address ?? href})`;
    }),
  );
}

/** Changes the text around blocks of code. */
export function outsideCode(markdown: string, change: (text: string) => string): string {
  return markdown
    .split(/^( *```[^]*?^ *```)/m)
    .map((part, index) => (index % 2 === 0 ? change(part) : part))
    .join("");
}

function withoutComments(markdown: string): string {
  return outsideCode(markdown, (text) => text.replaceAll(/<!--[^]*?-->\n*/g, ""));
}

export function escape(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

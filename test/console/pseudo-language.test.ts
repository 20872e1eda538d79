import { expect } from "bun:test";
import { consoleTests, INNER_PATHS, visit } from "./console-place.ts";
import { seedConsole } from "./console-seed.ts";

const testConsole = consoleTests({ seed: seedConsole });

/** Values of the API, names that are not translated, and texts in a notation. */
const DATA = [
  "td",
  "code, pre, kbd, .font-mono, .figures, .u-label",
  "[translate=no]",
  "option",
].join(", ");

for (const width of [1_440, 390])
  testConsole(
    `with texts 40 % longer, all of them fit and are translated at ${width} px`,
    async ({ gateway, open }) => {
      const page = await open({ width, stored: { "sluice.language": "pseudo" } });
      const faults: string[] = [];
      for (const path of ["/login", "/setup", ...INNER_PATHS]) {
        await visit(page, gateway.url + path);
        const found = await page.evaluate<readonly string[]>(
          `(${faultsOfTexts})(${JSON.stringify(DATA)})`,
        );
        faults.push(...found.map((fault) => `${path}: ${fault}`));
      }

      expect(faults).toEqual([]);
    },
  );

/** Runs in the page, and so is a text: the types here know no document. */
const faultsOfTexts = `(data) => {
  const faults = [];
  const scroller = document.scrollingElement;
  if (scroller.scrollWidth > innerWidth) faults.push("the page scrolls sideways");
  for (const box of document.querySelectorAll("#main, #main *, nav"))
    if (box.matches("#main, nav, header, section, form") && box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).overflowX !== "auto")
      faults.push("wider than its box: " + box.tagName + "." + box.className.slice(0, 60));
  const isForReaders = (element) => element.closest(".sr-only") !== null;
  const unbracketed = (text) => {
    let rest = text;
    for (let before; before !== rest; ) {
      before = rest;
      rest = rest.replace(/\\[[^\\[\\]]*~\\]/g, "");
    }
    return /\\p{L}{2}/u.test(rest);
  };
  const boxOf = (element) => {
    while (getComputedStyle(element).display === "inline") element = element.parentElement;
    return element;
  };
  const overflow = (node) => {
    const range = document.createRange();
    range.selectNodeContents(node);
    const right = Math.max(...[...range.getClientRects()].map((each) => each.right));
    const own = boxOf(node.parentElement);
    const isCut = (element) => getComputedStyle(element).textOverflow === "ellipsis";
    for (let at = own; at !== null; at = at.parentElement) {
      const { overflowX } = getComputedStyle(at);
      if (isCut(at) || overflowX === "auto" || overflowX === "scroll") return false;
      const isLimit = at === own || overflowX !== "visible" || at === document.body;
      if (isLimit && right > at.getBoundingClientRect().right + 1) return true;
    }
    return false;
  };
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node; (node = walker.nextNode()); ) {
    const element = node.parentElement;
    const text = node.textContent.trim();
    if (text === "" || element.closest("script, style, svg") || !element.checkVisibility()) continue;
    if (!element.closest(data) && unbracketed(text)) faults.push("not translated: " + text.slice(0, 80) + " in " + element.outerHTML.slice(0, 120));
    if (!isForReaders(element) && element.closest("option") === null && overflow(node))
      faults.push("does not fit: " + text.slice(0, 80) + " in " + element.outerHTML.slice(0, 120));
  }
  for (const element of document.querySelectorAll("[aria-label], [title], [placeholder]"))
    for (const name of ["aria-label", "title", "placeholder"]) {
      const text = element.getAttribute(name);
      if (text !== null && !element.closest(data) && unbracketed(text))
        faults.push("not translated: " + name + " " + text.slice(0, 80));
    }
  return faults;
}`;

import type { Language } from "../texts.ts";

interface GeneratedPage {
  readonly name: string;
  readonly markdown: string;
}

/** Parts of pages that are made of the gateway's code, by the name of their mark. */
const PARTS: Readonly<Record<string, (language: Language) => string>> = {};

const MARK = /<!-- generated: ([a-z-]+) -->/g;

/** Replaces each mark by its part. */
export function fillIn(markdown: string, language: Language, source: string): string {
  return markdown.replaceAll(MARK, (_, name: string) => {
    const make = PARTS[name];
    if (make === undefined) throw new Error(`${source}: no part is named '${name}'.`);
    return make(language).trim();
  });
}

/** Pages without a file. */
export function generatedPages(): readonly GeneratedPage[] {
  return [];
}

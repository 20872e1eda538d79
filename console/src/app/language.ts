import { useSyncExternalStore } from "react";

/** Texts of one part of the console: an entry is a text, or makes one of values. */
type Texts = { readonly [name: string]: Entry };
type Entry = string | ((...values: never[]) => string) | Texts;

/** The same entries in another language. An entry that is missing does not compile. */
export type Translated<T> = {
  readonly [Name in keyof T]: T[Name] extends string
    ? string
    : T[Name] extends (...values: infer Values) => string
      ? (...values: Values) => string
      : Translated<T[Name]>;
};

export interface Messages<T> {
  readonly en: T;
  readonly zh: Translated<T>;
}

/** `pseudo` is English, 40 % longer: tests look for texts that overflow or were not translated. */
export type Language = "en" | "zh" | "pseudo";

const STORED = "sluice.language";
const listeners = new Set<() => void>();
let current: Language = firstLanguage();
applyLanguage();

export function messages<const T extends Texts>(en: T, zh: Translated<T>): Messages<T> {
  return { en, zh };
}

export function useLanguage(): Language {
  return useSyncExternalStore(listen, () => current);
}

/** The texts in the user's language. */
export function useTexts<T extends Texts>(of: Messages<T>): Translated<T> {
  return textsOf(of, useLanguage());
}

export function setLanguage(language: Language): void {
  current = language;
  localStorage.setItem(STORED, language);
  applyLanguage();
  for (const listener of listeners) listener();
}

/** For dates and numbers. */
export function locale(): string {
  return current === "zh" ? "zh-CN" : "en-GB";
}

const pseudo = new WeakMap<object, unknown>();

function textsOf<T extends Texts>(of: Messages<T>, language: Language): Translated<T> {
  if (language === "zh") return of.zh;
  const english = of.en as unknown as Translated<T>;
  if (language === "en") return english;
  if (!pseudo.has(of)) pseudo.set(of, lengthened(of.en));
  return pseudo.get(of) as Translated<T>;
}

function lengthened(entry: Entry): unknown {
  if (typeof entry === "string") return longer(entry);
  if (typeof entry === "function") return (...values: never[]) => longer(entry(...values));
  return Object.fromEntries(Object.entries(entry).map(([name, each]) => [name, lengthened(each)]));
}

function longer(text: string): string {
  // In words: a text that cannot break would overflow where its translation does not.
  const more = "~".repeat(Math.ceil(text.length * 0.4)).replaceAll(/~{8}(?=~)/g, "~~~~~~~ ");
  return `[${text}${more}]`;
}

function firstLanguage(): Language {
  const stored = localStorage.getItem(STORED);
  if (stored === "en" || stored === "zh" || stored === "pseudo") return stored;
  return navigator.languages.some((each) => each.toLowerCase().startsWith("zh")) ? "zh" : "en";
}

function applyLanguage(): void {
  document.documentElement.lang = current === "zh" ? "zh-CN" : "en";
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

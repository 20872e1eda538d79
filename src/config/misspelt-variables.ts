import { countEdits } from "./suggest.ts";

export interface Misspelt {
  readonly name: string;
  /** The similar known variable, which is not set. */
  readonly meant: string;
}

/** Common endings of credential variables. */
const ENDING = /(API|ACCESS|SECRET)?(KEY|KEYS|TOKEN|SECRET)$/;
/** Shorter names are too often similar by chance. */
const LONG = 10;

/**
 * Environment variables that resemble known ones. They have no effect, so the
 * gateway would run without the intended value.
 */
export function findMisspelt(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
  /** Variables that the file refers to. */
  used: ReadonlySet<string> = new Set(),
): readonly Misspelt[] {
  const isSet = (name: string): boolean => (env[name] ?? "").trim() !== "";
  const unset = known.filter((name) => !isSet(name)).map(spell);
  return Object.keys(env).flatMap((name) => {
    if (!isSet(name) || known.includes(name) || used.has(name)) return [];
    const written = spell(name);
    const meant = unset.find((each) => resembles(written, each));
    return meant === undefined ? [] : [{ name, meant: meant.name }];
  });
}

/** The message for the operator. */
export function describeMisspelt({ name, meant }: Misspelt): string {
  return `The variable ${name} is not read. Did you mean ${meant}?`;
}

interface Spelling {
  readonly name: string;
  readonly letters: string;
  /** Its letters without the ending of credential variables, if it has one. */
  readonly stem: string | undefined;
}

function spell(name: string): Spelling {
  const letters = name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "");
  return { name, letters, stem: ENDING.test(letters) ? letters.replace(ENDING, "") : undefined };
}

function resembles(written: Spelling, known: Spelling): boolean {
  if (written.letters === known.letters) return true;
  if (known.stem !== undefined && known.stem === (written.stem ?? written.letters)) {
    return written.stem !== undefined;
  }
  const { length } = known.letters;
  const most = length < LONG ? 1 : 2;
  // Each letter that one has more is an edit.
  if (Math.abs(written.letters.length - length) > most) return false;
  return countEdits(written.letters, known.letters) <= most;
}

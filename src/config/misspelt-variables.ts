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
  const unset = known.filter((name) => !isSet(name));
  return Object.keys(env).flatMap((name) => {
    if (!isSet(name) || known.includes(name) || used.has(name)) return [];
    const meant = unset.find((each) => resembles(name, each));
    return meant === undefined ? [] : [{ name, meant }];
  });
}

/** The message for the operator. */
export function describeMisspelt({ name, meant }: Misspelt): string {
  return `The variable ${name} is not read. Did you mean ${meant}?`;
}

function resembles(name: string, known: string): boolean {
  const [written, right] = [lettersOf(name), lettersOf(known)];
  if (written === right) return true;
  const stem = right.replace(ENDING, "");
  if (ENDING.test(right) && written.replace(ENDING, "") === stem) return ENDING.test(written);
  return countEdits(written, right) <= (right.length < LONG ? 1 : 2);
}

function lettersOf(name: string): string {
  return name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "");
}

/** Maximum lengths of names. */
export const NAME_CHARS = { login: 64, object: 64, display: 100 } as const;

const MAX_TRIES = 100_000;

/** The name, or one with the import's name or a number behind it, so that it is not taken. */
export function freeName(
  name: string,
  suffix: string,
  most: number,
  isTaken: (name: string) => boolean,
): string {
  if (!isTaken(name)) return name;
  const base = suffix === "" ? name : `${name}-${suffix}`;
  const first = cut(base, most);
  if (suffix !== "" && !isTaken(first)) return first;
  for (let i = 2; i < MAX_TRIES; i++) {
    const numbered = `${cut(base, most - String(i).length - 1)}-${i}`;
    if (!isTaken(numbered)) return numbered;
  }
  throw new Error("Too many objects have the same name.");
}

function cut(name: string, most: number): string {
  return name.length <= most ? name : [...name].slice(0, most).join("");
}

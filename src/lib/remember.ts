/** Remembers the results of a pure function for the last few thousand texts; then it starts again. */
export function remember<T>(find: (text: string) => T, maxTexts = 10_000): (text: string) => T {
  const known = new Map<string, T>();
  return (text) => {
    const before = known.get(text);
    if (before !== undefined || known.has(text)) return before as T;
    if (known.size >= maxTexts) known.clear();
    const found = find(text);
    known.set(text, found);
    return found;
  };
}

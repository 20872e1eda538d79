/** User names of a pasted list, one a line or apart by commas or spaces. */
export function namesIn(text: string): readonly string[] {
  return [...new Set(text.split(/[\s,;]+/).filter(Boolean))];
}

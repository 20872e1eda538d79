/** Words that a vendor would not draw: the sandbox's own sign for it, as for texts. */
export function isRefused(prompt: string): boolean {
  return /\bplease refuse\b/i.test(prompt);
}

/** "please fail image 2" is a sign for the second of the pictures alone, "please fail every image" for all. */
export function isFailed(prompt: string, index: number): boolean {
  if (/\bplease fail every image\b/i.test(prompt)) return true;
  const numbers = prompt.matchAll(/\bplease fail image (\d{1,3})\b/gi);
  return [...numbers].some(([, number]) => Number(number) === index + 1);
}

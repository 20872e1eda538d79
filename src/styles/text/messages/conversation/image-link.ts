/** A picture in the answer of a style that has none: whoever renders the text sees it. */
export function linkTo(mediaType: string | undefined, base64: string): string {
  return `![image](data:${mediaType ?? "image/png"};base64,${base64})`;
}

import { GLYPH_HEIGHT, GLYPH_WIDTH, glyphRows } from "#sandbox/engine/glyphs.ts";
import { fill, type Colour, type Picture } from "./picture.ts";

/** Writes the first words in a few lines from the top, and the caption below them. */
export function writeText(
  picture: Picture,
  { width, height, prompt, caption }: Lettering,
  colour: Colour,
): void {
  const dot = Math.max(2, 2 * Math.floor(Math.min(width, height) / 192));
  const step = dot * (GLYPH_WIDTH + 1);
  const columns = Math.floor(width / step) - 2;
  const lineHeight = dot * (GLYPH_HEIGHT + 3);
  const most = Math.min(MAX_LINES, Math.floor((height * 0.7) / lineHeight) - 1);
  const lines = [...wrap(prompt, columns).slice(0, Math.max(0, most)), caption];

  for (const [row, line] of lines.entries()) {
    for (const [column, character] of [...line].entries()) {
      const left = (column + 1) * step;
      const top = dot * 4 + row * lineHeight;
      writeCharacter(picture, character, { left, top, dot }, colour);
    }
  }
}

export interface Lettering {
  readonly width: number;
  readonly height: number;
  readonly prompt: string;
  readonly caption: string;
}

const MAX_LINES = 4;

function writeCharacter(
  picture: Picture,
  character: string,
  { left, top, dot }: { readonly left: number; readonly top: number; readonly dot: number },
  colour: Colour,
): void {
  for (const [y, bits] of glyphRows(character).entries()) {
    for (let x = 0; x < GLYPH_WIDTH; x++) {
      if ((bits & (1 << (GLYPH_WIDTH - 1 - x))) === 0) continue;
      fill(
        picture,
        { left: left + x * dot, top: top + y * dot, width: dot, height: dot },
        () => colour,
      );
    }
  }
}

/** Words in lines; one that is longer than a line is cut. */
function wrap(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.slice(0, MAX_CHARACTERS).split(/\s+/)) {
    const longer = line === "" ? word : `${line} ${word}`;
    if ([...longer].length <= columns || line === "") {
      line = [...longer].slice(0, Math.max(0, columns)).join("");
      continue;
    }
    lines.push(line);
    line = [...word].slice(0, Math.max(0, columns)).join("");
  }
  return line === "" ? lines : [...lines, line];
}

const MAX_CHARACTERS = 400;

import { GLYPH_HEIGHT, GLYPH_WIDTH, hasDot } from "./bitmap-font.ts";

/** Lines of text on a picture, as large as the space allows. */
interface Lettering {
  readonly lines: readonly string[];
  /** Pixels to one dot of a letter. */
  readonly scale: number;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** A text and a last line below it; what is too long is cut. `undefined` where not even the last line has room. */
export function layOut(
  text: string,
  footer: string,
  width: number,
  height: number,
): Lettering | undefined {
  const most = Math.floor(width / (COLUMNS_AT_LEAST * CELL_WIDTH));
  for (let scale = Math.max(1, most); scale > 1; scale--) {
    const columns = columnsAt(scale, width);
    const lines = [...wrap(text, columns), footer];
    if (columns >= footer.length && lines.length <= rowsAt(scale, height))
      return placed(lines, scale, width, height);
  }
  const [columns, rows] = [columnsAt(1, width), rowsAt(1, height)];
  if (columns < footer.length || rows < 1) return undefined;
  return placed([...shortened(wrap(text, columns), rows - 1), footer], 1, width, height);
}

/** Calls back for every pixel of the letters. */
export function drawLettering({ lines, scale, left, top }: Lettering, set: SetPixel): void {
  for (const [index, line] of lines.entries()) {
    for (const [at, character] of [...line].entries()) {
      const x = left + (1 + at * CELL_WIDTH) * scale;
      const y = top + (1 + index * CELL_HEIGHT) * scale;
      drawLetter(character, x, y, scale, set);
    }
  }
}

type SetPixel = (x: number, y: number) => void;

function drawLetter(letter: string, left: number, top: number, scale: number, set: SetPixel): void {
  for (let row = 0; row < GLYPH_HEIGHT; row++) {
    for (let column = 0; column < GLYPH_WIDTH; column++) {
      if (hasDot(letter, column, row)) {
        drawDot(left + column * scale, top + row * scale, scale, set);
      }
    }
  }
}

function drawDot(left: number, top: number, scale: number, set: SetPixel): void {
  for (let y = top; y < top + scale; y++) {
    for (let x = left; x < left + scale; x++) set(x, y);
  }
}

const CELL_WIDTH = GLYPH_WIDTH + 1;
const CELL_HEIGHT = GLYPH_HEIGHT + 2;
const COLUMNS_AT_LEAST = 18;
/** Of the picture's height, so that its bands are seen. */
const SHARE = 0.8;

/** A dot of margin stands on all sides. */
const columnsAt = (scale: number, width: number) =>
  Math.floor((Math.floor(width / scale) - 1) / CELL_WIDTH);
const rowsAt = (scale: number, height: number) =>
  Math.floor((Math.floor((height * SHARE) / scale) - 1) / CELL_HEIGHT);

function placed(lines: readonly string[], scale: number, width: number, height: number): Lettering {
  const columns = Math.max(...lines.map((line) => [...line].length));
  const across = (columns * CELL_WIDTH + 1) * scale;
  const down = (lines.length * CELL_HEIGHT + 1) * scale;
  return {
    lines,
    scale,
    left: Math.floor((width - across) / 2),
    top: Math.floor((height - down) / 2),
    width: across,
    height: down,
  };
}

/** At blanks where there are some; a longer word is cut. */
function wrap(text: string, columns: number): readonly string[] {
  return text.split("\n").flatMap((paragraph) => {
    const lines: string[] = [];
    let line: readonly string[] = [];
    for (const word of paragraph.split(/\s+/).filter((each) => each !== "")) {
      const letters = [...word];
      const joined = line.length === 0 ? letters : [...line, " ", ...letters];
      if (joined.length <= columns) {
        line = joined;
        continue;
      }
      if (line.length > 0) lines.push(line.join(""));
      let rest = letters;
      for (; rest.length > columns; rest = rest.slice(columns))
        lines.push(rest.slice(0, columns).join(""));
      line = rest;
    }
    return line.length === 0 ? lines : [...lines, line.join("")];
  });
}

function shortened(lines: readonly string[], most: number): readonly string[] {
  if (lines.length <= most) return lines;
  const kept = lines.slice(0, most);
  const last = kept.at(-1);
  return last === undefined ? [] : [...kept.slice(0, -1), `${last.slice(0, -3)}...`];
}

import type { BitWriter } from "./bit-writer.ts";
import type { Picture } from "./picture.ts";

interface MacroblockWriter {
  /** The macroblock at a place, counted row by row; the pixels stand in the picture. */
  write(at: number): void;
}

/** Clause 7.3.5, with those kinds that need no transform. */
export function macroblockWriter(
  out: BitWriter,
  picture: Picture,
  kind: "first" | "next",
): MacroblockWriter {
  const { columns } = picture;
  /** Kinds of a picture that goes on from another one come after its own five. */
  const offset = kind === "first" ? 0 : 5;
  const isRaw = new Uint8Array(columns * picture.rows);
  const planes = [
    plane(picture.luma, columns * 16, 16),
    plane(picture.blue, columns * 8, 8),
    plane(picture.red, columns * 8, 8),
  ] as const;

  /** What the count of coefficients of both neighbours makes of the code for none: table 9-5. */
  function noCoefficients(at: number): void {
    const isBesideRaw = at % columns > 0 && isRaw[at - 1] === 1;
    const isBelowRaw = at >= columns && isRaw[at - columns] === 1;
    if (isBesideRaw || isBelowRaw) out.bits(0b000011, 6);
    else out.bits(1, 1);
  }

  return {
    write(at) {
      const column = at % columns;
      const row = Math.floor(at / columns);
      const [luma, blue, red] = planes.map((each) => each.directions(column, row));
      const lumaMode = (luma ?? 0) & ABOVE ? 0 : (luma ?? 0) & BESIDE ? 1 : undefined;
      const colours = (blue ?? 0) & (red ?? 0);
      const colourMode = colours & ABOVE ? 2 : colours & BESIDE ? 1 : undefined;

      if (lumaMode !== undefined && colourMode !== undefined) {
        out.unsigned(offset + 1 + lumaMode);
        out.unsigned(colourMode);
        // The quantizer stays as it is.
        out.unsigned(0);
        noCoefficients(at);
        return;
      }
      isRaw[at] = 1;
      out.unsigned(offset + RAW);
      out.align();
      for (const each of planes) each.write(column, row, out);
    },
  };
}

const RAW = 25;
const ABOVE = 1;
const BESIDE = 2;

/** One of the three planes, in squares of a side. */
function plane(pixels: Uint8Array, stride: number, side: number) {
  return {
    /** From where its pixels are the same on and on: from above, from beside, or both. */
    directions(column: number, row: number): number {
      const start = row * side * stride + column * side;
      let found = (row > 0 ? ABOVE : 0) | (column > 0 ? BESIDE : 0);
      for (let y = 0; y < side && found !== 0; y++) {
        const line = start + y * stride;
        for (let x = 0; x < side; x++) {
          const pixel = pixels[line + x];
          if (pixel !== pixels[start - stride + x]) found &= ~ABOVE;
          if (pixel !== pixels[line - 1]) found &= ~BESIDE;
        }
      }
      return found;
    },

    write(column: number, row: number, out: BitWriter): void {
      for (let y = row * side; y < (row + 1) * side; y++) {
        const line = y * stride + column * side;
        out.bytes(pixels.subarray(line, line + side));
      }
    },
  };
}

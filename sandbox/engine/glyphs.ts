export const GLYPH_WIDTH = 5;
export const GLYPH_HEIGHT = 7;

/** A capital letter, digit or sign as rows of five bits, the highest one leftmost; a frame for any other. */
export function glyphRows(character: string): readonly number[] {
  if (/\s/.test(character)) return [];
  const rows = GLYPHS[character.toUpperCase()] ?? OTHER;
  return [...rows].map((digit) => Number.parseInt(digit, 32));
}

const OTHER = "vhhhhhv";

/** A digit of base 32 a row, from the top. */
const GLYPHS: Readonly<Record<string, string>> = {
  A: "ehhvhhh",
  B: "uhhuhhu",
  C: "ehggghe",
  D: "uhhhhhu",
  E: "vgguggv",
  F: "vgguggg",
  G: "ehgnhhf",
  H: "hhhvhhh",
  I: "e44444e",
  J: "72222ic",
  K: "hikokih",
  L: "ggggggv",
  M: "hrllhhh",
  N: "hpljhhh",
  O: "ehhhhhe",
  P: "uhhuggg",
  Q: "ehhhlid",
  R: "uhhukih",
  S: "fgge11u",
  T: "v444444",
  U: "hhhhhhe",
  V: "hhhhha4",
  W: "hhhllrh",
  X: "hha4ahh",
  Y: "hha4444",
  Z: "v1248gv",
  0: "ehjlphe",
  1: "4c4444e",
  2: "eh1248v",
  3: "v2421he",
  4: "26aiv22",
  5: "vgu11he",
  6: "68guhhe",
  7: "v124888",
  8: "ehhehhe",
  9: "ehhf12c",
  ".": "00000cc",
  ",": "0000c48",
  "-": "000e000",
  "!": "4444404",
  "?": "eh12404",
  "'": "4480000",
  ":": "0cc0cc0",
  "/": "01248g0",
  "(": "2488842",
  ")": "8422248",
  "[": "e88888e",
  "]": "e22222e",
  _: "000000v",
};

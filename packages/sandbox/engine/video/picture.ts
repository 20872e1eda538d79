/** Brightness and two colours, the colours at half the width and height (4:2:0), in whole macroblocks. */
export interface Picture {
  /** In macroblocks of 16 by 16 pixels. */
  readonly columns: number;
  readonly rows: number;
  readonly luma: Uint8Array;
  readonly blue: Uint8Array;
  readonly red: Uint8Array;
}

export interface Colour {
  readonly luma: number;
  readonly blue: number;
  readonly red: number;
}

/** In pixels, even ones: a colour covers two by two. */
export interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export function newPicture(width: number, height: number): Picture {
  const columns = Math.ceil(width / 16);
  const rows = Math.ceil(height / 16);
  const size = columns * rows * 256;
  return {
    columns,
    rows,
    luma: new Uint8Array(size),
    blue: new Uint8Array(size / 4),
    red: new Uint8Array(size / 4),
  };
}

/** Colours row by row, as the row's own colour is told. */
export function fill(picture: Picture, box: Box, colourOf: (row: number) => Colour): void {
  const stride = picture.columns * 16;
  const right = Math.min(box.left + box.width, stride);
  const bottom = Math.min(box.top + box.height, picture.rows * 16);
  for (let y = box.top; y < bottom; y += 2) {
    const { luma, blue, red } = colourOf(y);
    picture.luma.fill(luma, y * stride + box.left, y * stride + right);
    picture.luma.fill(luma, (y + 1) * stride + box.left, (y + 1) * stride + right);
    const from = (y * stride) / 4 + box.left / 2;
    const to = (y * stride) / 4 + right / 2;
    picture.blue.fill(blue, from, to);
    picture.red.fill(red, from, to);
  }
}

/** Wishes that the older models read from the end of the text: `a cat --rs 720p --dur 5`. */
interface InlineFlags {
  /** Without the flags. */
  readonly text: string;
  readonly flags: Readonly<Record<string, string>>;
}

export function readInlineFlags(text: string): InlineFlags {
  const start = /(?:^|\s)--[a-z]+\s+\S/i.exec(text)?.index;
  if (start === undefined) return { text, flags: {} };
  const pairs = text.slice(start).matchAll(/--([a-z]+)\s+(\S+)/gi);
  return {
    text: text.slice(0, start).trim(),
    flags: Object.fromEntries(
      Array.from(pairs, ([, name = "", value = ""]) => {
        const short = name.toLowerCase();
        return [NAMES[short] ?? short, value];
      }),
    ),
  };
}

const NAMES: Readonly<Record<string, string>> = {
  rs: "resolution",
  rt: "ratio",
  dur: "duration",
  wm: "watermark",
  cf: "camera_fixed",
  camerafixed: "camera_fixed",
};

import type { Media } from "@sluice/sandbox/engine/media.ts";
import { inspectMedia } from "@sluice/sandbox/engine/media.ts";
import type { Json, JsonObject } from "@sluice/sandbox/json.ts";
import { fromBase64, fromUrl, textOf, type Content } from "../content-parts.ts";
import { invalid } from "../error.ts";
import {
  field,
  readChoice,
  readList,
  readObject,
  readText,
  required,
  wrongType,
} from "../fields.ts";
import { refuseUnknown } from "../unknown-parameters.ts";

/** Content of a message or of a tool's output: a text, or parts. */
export function readInputContent(
  value: Json | undefined,
  side: "input" | "output",
  path: string,
): Content {
  if (typeof value === "string") return { text: value, media: [], lowDetailImages: 0 };
  if (value !== undefined && !Array.isArray(value))
    throw wrongType(path, "a string or an array of parts", value);
  const list = required({ path, value }, readList({ path, value }, 0, 5_000));
  const parts = list.map((part, index) => readPart(part, side, `${path}[${index}]`));
  return {
    text: parts.flatMap((part) => (part.text === undefined ? [] : [part.text])).join("\n"),
    media: parts.flatMap((part) => (part.media === undefined ? [] : [part.media])),
    lowDetailImages: parts.filter((part) => part.isLowDetail).length,
  };
}

interface Part {
  readonly text?: string;
  readonly media?: Media;
  readonly isLowDetail?: boolean;
}

interface PartKind {
  readonly known: readonly string[];
  read(part: JsonObject, path: string): Part;
}

const KINDS: Readonly<Record<"input" | "output", Readonly<Record<string, PartKind>>>> = {
  input: {
    input_text: {
      known: ["type", "text", "prompt_cache_breakpoint"],
      read: (part, path) => ({ text: textOf(part, "text", path) }),
    },
    input_image: {
      known: ["type", "image_url", "file_id", "detail", "prompt_cache_breakpoint"],
      read: readImage,
    },
    input_file: {
      known: [
        "type",
        "file_id",
        "filename",
        "file_data",
        "file_url",
        "detail",
        "prompt_cache_breakpoint",
      ],
      read: readFile,
    },
  },
  output: {
    output_text: {
      known: ["type", "text", "annotations", "logprobs"],
      read: (part, path) => ({ text: textOf(part, "text", path) }),
    },
    refusal: {
      known: ["type", "refusal"],
      read: (part, path) => ({ text: textOf(part, "refusal", path) }),
    },
  },
};

export const INPUT_PARTS: readonly string[] = Object.keys(KINDS.input);

function readPart(value: Json, side: "input" | "output", path: string): Part {
  const part = required({ path, value }, readObject({ path, value }));
  const typeField = field(part, "type", `${path}.type`);
  const type = required(typeField, readText(typeField));
  const kind = Object.hasOwn(KINDS[side], type) ? KINDS[side][type] : undefined;
  if (kind === undefined) {
    const list = Object.keys(KINDS[side]).map((each) => `'${each}'`);
    throw invalid(
      path,
      "invalid_value",
      `Invalid value: '${type}'. Supported values are: ${list.join(" and ")}.`,
    );
  }
  refuseUnknown(part, kind.known, path);
  return kind.read(part, path);
}

function readImage(part: JsonObject, path: string): Part {
  const detail = readChoice(field(part, "detail", `${path}.detail`), [
    "auto",
    "low",
    "high",
    "original",
  ]);
  const isLowDetail = detail === "low";
  const id = readText(field(part, "file_id", `${path}.file_id`));
  if (id !== undefined) return { media: { kind: "image", name: id }, isLowDetail };
  const url = textOf(part, "image_url", path);
  return { media: fromUrl(url, "image", `${path}.image_url`), isLowDetail };
}

function readFile(part: JsonObject, path: string): Part {
  const name = readText(field(part, "filename", `${path}.filename`));
  const named = name === undefined ? {} : { name };
  const id = readText(field(part, "file_id", `${path}.file_id`));
  if (id !== undefined) return { media: { kind: "file", name: id } };
  const url = readText(field(part, "file_url", `${path}.file_url`));
  if (url !== undefined)
    return { media: { ...fromUrl(url, "file", `${path}.file_url`), ...named } };
  const data = textOf(part, "file_data", path);
  const media = data.startsWith("data:")
    ? fromUrl(data, "file", `${path}.file_data`)
    : inspectMedia("file", fromBase64(data, `${path}.file_data`));
  return { media: { ...media, ...named } };
}

import { type ErrorCode, LineCounter, parseDocument } from "yaml";
import { type Environment, findVariable } from "./expand.ts";
import { type FilePlace, quote, type Report, type VariablePlace } from "./mistakes.ts";
import { filePath } from "./parsers.ts";
import { buildTree, type MapNode } from "./tree.ts";

interface ConfigFile {
  /** Absent where there is no file. */
  readonly path: string | undefined;
  readonly namedBy: VariablePlace | "default";
  readonly root: MapNode;
  /** Variables that it refers to. */
  readonly variables: ReadonlySet<string>;
}

/** The first bytes of a file; `undefined` where there is none. */
export type ReadFile = (path: string, maxBytes: number) => Uint8Array | undefined;

const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Opens the file that a variable names, which has to exist, or else the default
 * one, which may. What cannot be read is reported, and empty.
 */
export function openConfigFile(
  variable: string,
  defaultPath: string,
  readFile: ReadFile,
  env: Environment,
  report: Report,
): ConfigFile {
  const asked = findVariable(env, variable) || undefined;
  const path = asked ?? defaultPath;
  const namedBy = asked === undefined ? "default" : { variable };
  const whole: FilePlace = { file: path, path: "" };
  const place = asked === undefined ? whole : { variable };
  // A path that is none is reported with the other settings.
  const bytes = filePath.parse(path) === undefined ? undefined : read();
  if (bytes === undefined) return { path: undefined, namedBy, ...emptyFile(whole) };
  return { path, namedBy, ...parseBytes(bytes, whole, env, report) };

  function read(): Uint8Array | undefined {
    try {
      const found = readFile(path, MAX_FILE_BYTES + 1);
      if (found === undefined && asked !== undefined)
        report(place, `${quote(path)} does not exist.`);
      return found;
    } catch (cause) {
      const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
      report(place, `${quote(path)} cannot be read${code}.`);
      return undefined;
    }
  }
}

type Content = Pick<ConfigFile, "root" | "variables">;

/**
 * Everything in the file is text at first, so that a price keeps its digits and
 * `off` is a word; whoever reads a value says what it should be.
 */
export function parseBytes(
  bytes: Uint8Array,
  whole: FilePlace,
  env: Environment | "as written",
  report: Report,
): Content {
  const text = decode(bytes, (why) => report(whole, why));
  if (text === undefined) return emptyFile(whole);

  const lines = new LineCounter();
  const locate = (offset: number, path: string): FilePlace => {
    const { line, col } = lines.linePos(offset);
    return { ...whole, path, position: { line, column: col } };
  };
  // `failsafe` keeps every value as text. Repeated names are looked for in the
  // tree, since the parser compares each with each.
  const document = parseDocument(text, {
    schema: "failsafe",
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: false,
    lineCounter: lines,
  });
  // What follows the first slip is mostly misread, so it is the only one told.
  const [slip] = [...document.errors, ...document.warnings].toSorted((a, b) => a.pos[0] - b.pos[0]);
  if (slip !== undefined) {
    report(locate(slip.pos[0], ""), SLIPS[slip.code]);
    return emptyFile(whole);
  }

  const { root, variables } = buildTree(document.contents, locate, env, report);
  if (root.kind === "map") return { root, variables };
  if (root.kind === "text" || root.kind === "list") {
    report(root.place, 'The file has to hold a map, such as "port: 8080".');
  }
  return { ...emptyFile(whole), variables };
}

function emptyFile(place: FilePlace): Content {
  return { root: { kind: "map", place, members: new Map() }, variables: new Set() };
}

function decode(bytes: Uint8Array, report: (why: string) => void): string | undefined {
  if (bytes.length > MAX_FILE_BYTES) {
    report(`The file is longer than ${MAX_FILE_BYTES} bytes.`);
    return undefined;
  }
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    // The decoder's own words name no place.
    report("The file is not UTF-8 text.");
    return undefined;
  }
}

const MISREAD = "This is not YAML as it stands here; look at the quotes, colons and brackets.";

/**
 * What the parser's codes mean to somebody who writes a configuration. Its own
 * messages quote the text around, which may be a secret.
 */
const SLIPS: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: "An alias (*) cannot have an anchor or a tag of its own.",
  BAD_ALIAS: 'An alias (*) needs a name; quote a literal asterisk: "*".',
  BAD_COLLECTION_TYPE: "This tag does not fit the value behind it.",
  BAD_DIRECTIVE: "This line starts with %, but is no YAML directive.",
  BAD_DQ_ESCAPE: "A backslash in double quotes starts an escape; use single quotes or two of them.",
  BAD_INDENT: "This is not indented like its neighbours.",
  BAD_PROP_ORDER: "An anchor or a tag stands in the wrong place here.",
  BAD_SCALAR_START: "A value cannot start with this character unless it is quoted.",
  BLOCK_AS_IMPLICIT_KEY: "A value holds a colon here; quote it, or look at the indentation.",
  BLOCK_IN_FLOW: "A list or map of several lines cannot stand inside brackets.",
  DUPLICATE_KEY: "This name is there twice.",
  IMPOSSIBLE: MISREAD,
  KEY_OVER_1024_CHARS: "A name is at most 1024 characters long.",
  MISSING_CHAR: "A quote, bracket, comma or colon is missing here; quote ${...} inside brackets.",
  MULTILINE_IMPLICIT_KEY: "A colon is missing here, or a value of several lines is not quoted.",
  MULTIPLE_ANCHORS: "A value can have one anchor (&) at most.",
  MULTIPLE_DOCS: "The file holds more than one document; there can be one only.",
  MULTIPLE_TAGS: "A value can have one tag (!) at most.",
  NON_STRING_KEY: "A name has to be plain text.",
  RESOURCE_EXHAUSTION: "This is nested deeper than can be read.",
  TAB_AS_INDENT: "A tab cannot indent; use spaces.",
  TAG_RESOLVE_FAILED: "Tags (!) have no meaning here.",
  UNEXPECTED_TOKEN: `${MISREAD.slice(0, -1)}, and quote \${...} inside brackets.`,
};

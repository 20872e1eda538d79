import { type ErrorCode, LineCounter, parseDocument } from "yaml";
import { type Environment, findVariable } from "./expand.ts";
import { importFor } from "./foreign-file.ts";
import { type FilePlace, quote, type Report, type VariablePlace } from "./mistakes.ts";
import { filePath } from "./parsers.ts";
import { buildTree, type MapNode } from "./tree.ts";

interface ConfigFile {
  /** Absent if there is no file. */
  readonly path: string | undefined;
  readonly namedBy: VariablePlace | "default";
  readonly root: MapNode;
  /** Environment variables that the file refers to. */
  readonly variables: ReadonlySet<string>;
}

/** Reads the first bytes of a file; `undefined` if it does not exist. */
export type ReadFile = (path: string, maxBytes: number) => Uint8Array | undefined;

const MAX_FILE_BYTES = 1024 * 1024;

/**
 * Opens the file that a variable names, which must exist, or else the default
 * file, which may. An unreadable file is reported and treated as empty.
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
  // An invalid path is reported together with the other settings.
  const bytes = filePath.parse(path) === undefined ? undefined : read();
  if (bytes === undefined) return { path: undefined, namedBy, ...emptyFile(whole) };
  const mistakes: Parameters<Report>[] = [];
  const content = parseBytes(bytes, whole, env, (...mistake) => mistakes.push(mistake));
  const foreign = importFor(bytes, content.root, path);
  if (foreign !== undefined) {
    report(place, `${quote(path)} ${foreign}`);
    return { path, namedBy, ...emptyFile(whole) };
  }
  for (const mistake of mistakes) report(...mistake);
  return { path, namedBy, ...content };

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
 * Reads all values as text, so that a price keeps its digits and `off` stays a
 * word; each setting's parser then interprets its text.
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
  // `failsafe` keeps every value as text. The tree checks for duplicate keys,
  // because the parser's check is quadratic.
  const document = parseDocument(text, {
    schema: "failsafe",
    resolveKnownTags: false,
    uniqueKeys: false,
    prettyErrors: false,
    lineCounter: lines,
  });
  // Only the first syntax error is reported, because later ones usually follow from it.
  const [slip] = [...document.errors, ...document.warnings].toSorted((a, b) => a.pos[0] - b.pos[0]);
  if (slip !== undefined) {
    report(locate(slip.pos[0], ""), SLIPS[slip.code]);
    return emptyFile(whole);
  }

  const { root, variables } = buildTree(document.contents, locate, env, report);
  if (root.kind === "map") return { root, variables };
  if (root.kind === "text" || root.kind === "list") {
    report(root.place, 'The file must be a map, such as "port: 8080".');
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
    // The decoder's message has no position.
    report("The file is not UTF-8 text.");
    return undefined;
  }
}

const MISREAD = "This is not valid YAML. Check the quotes, colons and brackets.";

/**
 * Explanations of the parser's error codes. The parser's own messages quote the
 * surrounding text, which may be a secret.
 */
const SLIPS: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: "An alias (*) cannot have an anchor or a tag.",
  BAD_ALIAS: 'An alias (*) needs a name; quote a literal asterisk: "*".',
  BAD_COLLECTION_TYPE: "This tag does not match its value.",
  BAD_DIRECTIVE: "This line starts with %, but is not a YAML directive.",
  BAD_DQ_ESCAPE: "A backslash in double quotes starts an escape; use single quotes or two of them.",
  BAD_INDENT: "The indentation differs from the surrounding lines.",
  BAD_PROP_ORDER: "An anchor or a tag is in the wrong place.",
  BAD_SCALAR_START: "A value cannot start with this character unless it is quoted.",
  BLOCK_AS_IMPLICIT_KEY: "A value contains a colon. Quote it, or check the indentation.",
  BLOCK_IN_FLOW: "A list or map of several lines is not allowed inside brackets.",
  DUPLICATE_KEY: "This name is a duplicate.",
  IMPOSSIBLE: MISREAD,
  KEY_OVER_1024_CHARS: "A name is too long: use at most 1024 characters.",
  MISSING_CHAR: "A quote, bracket, comma or colon is missing here; quote ${...} inside brackets.",
  MULTILINE_IMPLICIT_KEY: "A colon is missing here, or a value of several lines is not quoted.",
  MULTIPLE_ANCHORS: "A value can have at most one anchor (&).",
  MULTIPLE_DOCS: "The file has more than one document. Use only one.",
  MULTIPLE_TAGS: "A value can have at most one tag (!).",
  NON_STRING_KEY: "A name must be plain text.",
  RESOURCE_EXHAUSTION: "This is nested too deeply.",
  TAB_AS_INDENT: "Tabs are not allowed for indentation. Use spaces.",
  TAG_RESOLVE_FAILED: "Tags (!) are not supported.",
  UNEXPECTED_TOKEN: `${MISREAD.slice(0, -1)}, and quote \${...} inside brackets.`,
};

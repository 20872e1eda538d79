import type { JsonObject } from "#lib/json.ts";
import { textOf } from "#lib/values.ts";

/**
 * A tool that this style names by its type and that the client runs. Its calls
 * have the form of any other call; only its description and schema are left out.
 */
interface ClientTool {
  readonly description: string;
  readonly parameters: JsonObject;
}

const TEXT = { type: "string" };
const INTEGER = { type: "integer" };
const PATH = { ...TEXT, description: "Path of the file or directory." };
const RANGE = {
  type: "array",
  items: INTEGER,
  description: "First and last line to view; a last line of -1 is the end.",
};

function object(required: readonly string[], properties: JsonObject): JsonObject {
  return { type: "object", properties, required };
}

const BASH: ClientTool = {
  description: "Runs a command in a persistent bash session and returns its output.",
  parameters: object([], {
    command: { ...TEXT, description: "The command; required unless `restart` is true." },
    restart: { type: "boolean", description: "Restarts the session." },
  }),
};

/** `inserted`: the member that holds the text to insert, which later versions renamed. */
function editor(commands: readonly string[], inserted: string): ClientTool {
  return {
    description:
      "Views and edits text files. `view` shows a file or lists a directory, `create` writes a " +
      "file, `str_replace` replaces text that occurs exactly once, `insert` adds text after a line" +
      (commands.includes("undo_edit") ? ", `undo_edit` takes back the last edit." : "."),
    parameters: object(["command", "path"], {
      command: { type: "string", enum: commands },
      path: PATH,
      file_text: { ...TEXT, description: "Content of the file to create." },
      old_str: { ...TEXT, description: "Text to replace." },
      new_str: { ...TEXT, description: "Text to put in its place." },
      insert_line: { ...INTEGER, description: "Line after which to insert; 0 is the beginning." },
      ...(inserted === "new_str"
        ? {}
        : { [inserted]: { ...TEXT, description: "Text to insert." } }),
      view_range: RANGE,
    }),
  };
}

const EDITS = ["view", "create", "str_replace", "insert"];
const OLD_EDITOR = editor([...EDITS, "undo_edit"], "new_str");
const EDITOR = editor(EDITS, "insert_text");

const MEMORY: ClientTool = {
  description: "Keeps notes in files below the directory /memories, across conversations.",
  parameters: object(["command"], {
    command: { type: "string", enum: [...EDITS, "delete", "rename"] },
    path: PATH,
    view_range: RANGE,
    file_text: { ...TEXT, description: "Content of the file to create." },
    old_str: { ...TEXT, description: "Text to replace." },
    new_str: { ...TEXT, description: "Text to put in its place." },
    insert_line: { ...INTEGER, description: "Line after which to insert; 0 is the beginning." },
    insert_text: { ...TEXT, description: "Text to insert." },
    old_path: { ...TEXT, description: "Path to rename." },
    new_path: { ...TEXT, description: "The new path." },
  }),
};

/** Types without their date, each with what its later versions are. */
const CLIENT_TOOLS: ReadonlyMap<string, ClientTool> = new Map([
  ["bash", BASH],
  ["text_editor", EDITOR],
  ["memory", MEMORY],
]);

/** The last version of the editor that could take back an edit. */
const LAST_OLD_EDITOR = "text_editor_20250124";

/** `undefined` for other tools, and without a name to call it by. */
export function clientToolOf(wire: JsonObject): ClientTool | undefined {
  const type = textOf(wire["type"]) ?? "";
  const stem = /^(.+)_\d{8}$/.exec(type)?.[1];
  if (stem === undefined || textOf(wire["name"]) === undefined) return undefined;
  // Dates in one form compare as text.
  if (stem === "text_editor" && type <= LAST_OLD_EDITOR) return OLD_EDITOR;
  return CLIENT_TOOLS.get(stem);
}

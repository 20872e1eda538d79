import { either, integer, list, object, text } from "#lib/rules.ts";
import type { ObjectRule } from "#lib/rules.ts";
import { MAX_DIMENSIONS, MAX_INPUTS } from "#styles/embedding/openai/fields.ts";
import { TASK_TYPES } from "./task.ts";

const MAX_PARTS = 5_000;

const PART = object({ text: text() });

const ITEM = {
  model: text(),
  "content!": object({ "parts!": either(list(PART, MAX_PARTS, 1), PART) }),
  taskType: text({ oneOf: ["TASK_TYPE_UNSPECIFIED", ...Object.values(TASK_TYPES)] }),
  title: text({ doc: "Of a document." }),
  outputDimensionality: integer(1, MAX_DIMENSIONS, "Numbers in a vector; only some models."),
};

/** Members of the request for one embedding that the gateway reads. */
export const EMBED_REQUEST: ObjectRule = object(ITEM);

export const BATCH_REQUEST: ObjectRule = object({
  "requests!": list(EMBED_REQUEST, MAX_INPUTS, 1),
});

export const KNOWN: ReadonlySet<string> = new Set(EMBED_REQUEST.members.keys());
export const KNOWN_OF_BATCH: ReadonlySet<string> = new Set(BATCH_REQUEST.members.keys());

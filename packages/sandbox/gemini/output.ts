import type { OutputFormat } from "../engine/conversation.ts";
import { isJsonObject, type Json } from "../json.ts";
import { brokenRules, invalid, type BrokenRule } from "./error.ts";
import type { Modality, Model } from "./models.ts";
import { readPicture, type Picture } from "./picture-config.ts";
import type { GenerationConfig } from "./proto/generation-config.ts";
import { schemaRules } from "./schema-rules.ts";
import { toJsonSchema } from "./to-json-schema.ts";

/** In which form the answer comes. */
export interface Output {
  readonly modalities: readonly Modality[];
  readonly format: OutputFormat;
  /** One of the listed words, without the quotes that JSON would put around it. */
  readonly isBareWord: boolean;
  readonly picture: Picture;
}

export function readOutput(config: GenerationConfig, model: Model, root: string): Output {
  const modalities = readModalities(config, model);
  const { responseMimeType: type = "text/plain" } = config;
  const schema = readSchema(config, type, root);
  if (type !== "text/plain" && model.modalities.every((each) => each.join() !== "TEXT"))
    throw invalid(`JSON mode is not enabled for models/${model.id}`);
  return {
    modalities,
    format: formatOf(type, schema),
    isBareWord: type === "text/x.enum",
    picture: readPicture(config, model, root),
  };
}

/** Asked for or not, a model makes what it can make; the order does not matter. */
function readModalities(config: GenerationConfig, model: Model): readonly Modality[] {
  const [usual = []] = model.modalities;
  const asked = (config.responseModalities ?? []).filter((each) => each !== "MODALITY_UNSPECIFIED");
  const wanted: readonly string[] = asked.length === 0 ? unasked(usual, model) : asked;
  const found = model.modalities.find(
    (each) => each.length === wanted.length && each.every((one) => wanted.includes(one)),
  );
  if (found !== undefined) return found;
  const list = model.modalities.map((each) => `* ${each.join(", ")}\n`).join("");
  throw invalid(
    `The requested combination of response modalities (${wanted.join(", ")}) is not supported by the model. models/${model.id} accepts the following combination of response modalities:\n${list}`,
  );
}

/** Who asks for nothing asks for text, also where the model only speaks. */
function unasked(usual: readonly Modality[], { modalities }: Model): readonly string[] {
  return modalities.some((each) => each.includes("TEXT")) ? usual : ["TEXT"];
}

const TYPES: readonly string[] = [
  "text/plain",
  "application/json",
  "application/xml",
  "application/yaml",
  "text/x.enum",
];

/** The schema of the answer, as JSON Schema. */
function readSchema(config: GenerationConfig, type: string, root: string): Json | undefined {
  const { responseSchema, responseJsonSchema, _responseJsonSchema } = config;
  const plain = responseJsonSchema ?? _responseJsonSchema;
  const path = "generation_config";
  const broken: BrokenRule[] = [];
  if (!TYPES.includes(type)) {
    const list = TYPES.map((each) => `\`${each}\``).join(", ");
    broken.push({
      path: `${path}.response_mime_type`,
      reason: `allowed mimetypes are ${list}.`,
    });
  }
  if (responseSchema !== undefined && plain !== undefined) {
    const reason = "only one of response_schema and response_json_schema can be set.";
    broken.push({ path: `${path}.response_schema`, reason });
  }
  if ((responseSchema ?? plain) !== undefined && !SHAPED.includes(type)) {
    const reason = "only allowed with a response_mime_type of application/json or text/x.enum.";
    broken.push({ path: `${path}.response_schema`, reason });
  }
  if (plain !== undefined && !isJsonObject(plain))
    broken.push({ path: `${path}.response_json_schema`, reason: "must be an object." });
  if (responseSchema !== undefined)
    broken.push(...schemaRules(responseSchema, `${path}.response_schema`));
  if (broken.length > 0) throw brokenRules(root, broken);
  return responseSchema === undefined ? plain : toJsonSchema(responseSchema);
}

const SHAPED: readonly string[] = ["application/json", "text/x.enum"];

function formatOf(type: string, schema: Json | undefined): OutputFormat {
  if (schema !== undefined) return { kind: "schema", schema };
  return type === "application/json" ? { kind: "json" } : { kind: "text" };
}

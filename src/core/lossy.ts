import { isArray, isObject, type Json } from "#lib/json.ts";
import { snakeCase } from "#lib/letter-case.ts";
import type { Block, Extra, Message } from "./chat.ts";
import { GatewayError } from "./error.ts";

/**
 * The fields that a conversion could not carry. A field that only tunes is
 * reported in the journal and in the `sluice-lossy` header. A field that
 * changes the meaning of the result is refused. With `sluice-strict`, the
 * client gets a 400 for either.
 */
export class LossReport {
  /** Most conversions lose nothing. */
  #fields: Set<string> | undefined;
  readonly #kept: readonly string[];
  readonly #nameOf: LossNames | undefined;

  /** `kept`: fields that the gateway answers itself. */
  constructor(kept: readonly string[] = NO_FIELDS, nameOf?: LossNames) {
    this.#kept = kept;
    this.#nameOf = nameOf;
  }

  /**
   * Clients choose some of the names, so both name length and list length are
   * limited. `part`: the lost part of the conversation, or the part with the
   * lost field.
   */
  lose(field: string, part?: Block | Message): void {
    this.#fields ??= new Set();
    if (this.#kept.includes(field) || this.#fields.size >= MAX_FIELDS) return;
    const name = this.#nameOf?.(field, part) ?? field;
    this.#fields.add(name.slice(0, MAX_LENGTH));
  }

  /** Reports fields of other styles than the target style, and refuses essential ones. */
  loseForeign(extra: Extra | undefined, style: string, path = "", part?: Block | Message): void {
    for (const [owner, members] of Object.entries(extra ?? {})) {
      if (owner === style) continue;
      for (const [member, value = null] of Object.entries(members)) {
        for (const name of namesOf(member, value)) {
          const why = VITAL.get(`${owner}.${name}`) ?? whyVendorRuns(name);
          if (why !== undefined) throw refuse(name, why);
          this.lose(path + name, part);
        }
      }
    }
  }

  get fields(): readonly string[] {
    return this.#fields === undefined ? NO_FIELDS : [...this.#fields];
  }

  /** Throws the error for a client that sent `sluice-strict: true`. */
  refuseIfAny(): void {
    const [first] = this.fields;
    if (first === undefined) return;
    const list = this.fields.map((field) => `'${field}'`).join(", ");
    throw new GatewayError(
      "not_carried",
      `No upstream of this model supports ${list}. Remove it, or do not send 'sluice-strict'.`,
      {
        param: first,
      },
    );
  }
}

/** A loss as data: the name that the report shows, and when it occurs. */
export interface LossRule<Facts> {
  readonly lost: string;
  readonly when: (facts: Facts) => boolean;
}

/** Reports the losses of all rules that apply, in the order of the rules. */
export function reportLosses<Facts>(
  rules: readonly LossRule<Facts>[],
  facts: Facts,
  report: LossReport,
): void {
  for (const { lost, when } of rules) if (when(facts)) report.lose(lost);
}

/** Maps a lost field to the client's notation; outbound styles call the conversation `messages`. */
export type LossNames = (field: string, part: Block | Message | undefined) => string;

/** A list of vendor tools is reported by the name of each tool. */
function namesOf(member: string, value: Json): readonly string[] {
  if (member !== "tools" || !isArray(value)) return [member];
  return value.flatMap((tool) => {
    if (!isObject(tool)) return [member];
    const { type } = tool;
    const types = typeof type === "string" && type !== "" ? [type] : Object.keys(tool);
    return types.length === 0 ? [member] : types.map((each) => `tools.${withoutDate(each)}`);
  });
}

/** Versions of a tool differ in the date at the end of its type. */
function withoutDate(type: string): string {
  return type.replace(/_\d{8}$/, "");
}

/** The reason why a tool cannot be dropped; works for the tool's name in every style. */
function whyVendorRuns(name: string): string | undefined {
  if (!name.startsWith("tools.")) return undefined;
  return VENDOR_RUN.get(snakeCase(name.slice("tools.".length)));
}

const NO_FIELDS: readonly string[] = [];
const MAX_FIELDS = 100;
const MAX_LENGTH = 200;

const SERVERS = "only the vendor of this tool can connect to tool servers.";
const CODE = "only the vendor of this tool can run code.";
const FILES = "only the vendor that stores the files can search them.";
const COMPUTER = "only models of this tool's vendor can use a computer's screen.";

/** Tools that cannot be dropped without changing the task; in snake case, without their date. */
const VENDOR_RUN: ReadonlyMap<string, string> = new Map([
  ["mcp", SERVERS],
  ["mcp_toolset", SERVERS],
  ["mcp_servers", SERVERS],
  ["code_interpreter", CODE],
  ["code_execution", CODE],
  ["shell", CODE],
  ["file_search", FILES],
  ["computer", COMPUTER],
  ["computer_use", COMPUTER],
  ["computer_use_preview", COMPUTER],
]);

const ELEMENTS =
  "no upstream of this model supports characters or voices that are stored at a vendor.";
const MASKS = "no upstream of this model supports motion masks.";
const SHOTS = "no upstream of this model supports several prompts for one video.";

/**
 * Fields of a style that cannot be dropped without changing the result, and the
 * reason why other styles lack them.
 */
const VITAL: ReadonlyMap<string, string> = new Map([
  ["messages.mcp_servers", "only upstreams of the messages style can connect to tool servers."],
  ["messages.container", "only upstreams of the messages style support containers."],
  ["responses.prompt", "only the vendor that stores the prompt can read it."],
  [
    "responses.input.compaction",
    "only the vendor that created the compaction can read it. Send the conversation itself.",
  ],
  ["responses.conversation", "only the vendor that stores the conversation can read it."],
  [
    "gemini.generationConfig.responseModalities",
    "no upstream of this model supports video output in this request.",
  ],
  ["gemini.cachedContent", "only the vendor that stores the cached content can read it."],
  ["video-kling.element_list", ELEMENTS],
  ["video-kling.voice_list", ELEMENTS],
  ["video-kling.static_mask", MASKS],
  ["video-kling.dynamic_masks", MASKS],
  ["video-kling.multi_prompt", SHOTS],
  ["video-kling3.contents", ELEMENTS],
  ["video-vidu.subjects", ELEMENTS],
]);

/** The error for a field that cannot be dropped without changing the result. */
export function refuse(field: string, why: string): GatewayError {
  return new GatewayError("not_carried", `'${field}' cannot be carried: ${why}`, { param: field });
}

import { isArray, isObject, parseJson, type Json, type JsonObject } from "#lib/json.ts";
import { responseObjectFaults } from "./response-object.ts";

const TERMINAL = ["response.completed", "response.incomplete", "response.failed"];

/** Which events tell of a part of which kind, and where the index of the part stands. */
const PART_EVENTS: Readonly<Record<string, { kind: string; done: string }>> = {
  "response.output_text": { kind: "output_text", done: "text" },
  "response.refusal": { kind: "refusal", done: "refusal" },
  "response.reasoning_text": { kind: "reasoning_text", done: "text" },
  "response.reasoning_summary_text": { kind: "summary_text", done: "text" },
};

/** A call's events, the member that ends it, and the member of its item that is the same. */
const CALL_EVENTS: Readonly<Record<string, { type: string; done: string }>> = {
  "response.function_call_arguments": { type: "function_call", done: "arguments" },
  "response.custom_tool_call_input": { type: "custom_tool_call", done: "input" },
};

interface OpenPart {
  readonly index: number;
  readonly kind: string;
  text: string;
  annotations: number;
  isDone: boolean;
}

interface OpenItem {
  readonly index: number;
  readonly id: Json | undefined;
  readonly type: Json | undefined;
  readonly parts: JsonObject[];
  part: OpenPart | undefined;
  text: string;
  isCallDone: boolean;
}

/**
 * What is wrong with a stream of this style, as text: the order, the indexes
 * and the members that clients put a response together by. Empty where nothing
 * is. A stream that ends with a failure may leave an item open.
 */
export function responsesStreamFaults(stream: string): readonly string[] {
  const check = new StreamCheck();
  const frames = stream.split("\n\n");
  if (frames.pop() !== "") check.fault("the last event lacks its blank line");
  if (frames.at(-1) === "data: [DONE]") frames.pop();
  for (const frame of frames) {
    if (!frame.startsWith(":")) check.frame(frame);
  }
  check.end();
  return check.faults;
}

class StreamCheck {
  readonly faults: string[] = [];
  readonly #output: Json[] = [];
  readonly #ids = new Set<Json>();
  #count = 0;
  #responseId: Json | undefined;
  #item: OpenItem | undefined;
  #terminal: string | undefined;

  fault(words: string): void {
    this.faults.push(words);
  }

  frame(frame: string): void {
    const [first = "", second = "", ...more] = frame.split("\n");
    const json = parseJson(second.slice("data: ".length));
    if (!first.startsWith("event: ") || !second.startsWith("data: ") || more.length > 0) {
      this.fault(`not an event line and a data line: ${frame.slice(0, 80)}`);
    }
    if (!isObject(json)) {
      this.fault(`not an object: ${second.slice(0, 80)}`);
      return;
    }
    const { type } = json;
    if (type !== first.slice("event: ".length)) this.fault(`'${first}' is not '${textOf(type)}'`);
    if (json["sequence_number"] !== this.#count) {
      this.fault(`number ${JSON.stringify(json["sequence_number"])} where ${this.#count} was due`);
    }
    if (this.#terminal !== undefined) this.fault(`'${textOf(type)}' after the end`);
    this.#event(json, textOf(type));
    this.#count++;
  }

  end(): void {
    if (this.#terminal === undefined) this.fault("the stream does not end");
  }

  #event(event: JsonObject, type: string): void {
    if (this.#count === 0 && type !== "response.created") this.fault("does not begin with created");
    if (this.#count === 1 && type !== "response.in_progress" && type !== "response.failed") {
      this.fault("created is not followed by in_progress");
    }
    if (type === "response.created" || type === "response.in_progress") this.#begin(event, type);
    else if (TERMINAL.includes(type)) this.#finish(event, type);
    else if (type === "response.output_item.added") this.#open(event);
    else if (type === "response.output_item.done") this.#close(event);
    else this.#inItem(event, type);
  }

  #begin(event: JsonObject, type: string): void {
    const response = this.#responseOf(event);
    if (this.#count > 1) this.fault(`'${type}' in the middle`);
    if (response["status"] !== "in_progress") this.fault("begins with another status");
    if (response["usage"] !== null) this.fault("begins with usage");
    if (listIn(response, "output").length > 0) this.fault("begins with output");
  }

  #finish(event: JsonObject, type: string): void {
    this.#terminal = type;
    const response = this.#responseOf(event);
    const { status, error, incomplete_details: details } = response;
    if (type !== `response.${textOf(status)}`) this.fault(`'${type}' of status ${textOf(status)}`);
    const isFailed = type === "response.failed";
    if (isFailed !== isObject(error)) this.fault("an error and the status disagree");
    if (isFailed && isObject(error) && (error["code"] ?? "") === "") this.fault("no error code");
    if ((type === "response.incomplete") !== isObject(details)) {
      this.fault("the reason for being incomplete and the status disagree");
    }
    if (isFailed) return;
    if (this.#item !== undefined) this.fault("ends within an item");
    if (!isObject(response["usage"])) this.fault("ends without usage");
    if (!isSame(response["output"], this.#output)) {
      this.fault("the output at the end is not the items that were ended");
    }
  }

  #responseOf(event: JsonObject): JsonObject {
    const { response } = event;
    if (!isObject(response)) {
      this.fault("an event lacks its response");
      return {};
    }
    this.#responseId ??= response["id"];
    if (response["id"] !== this.#responseId) this.fault("the response's id changes");
    for (const fault of responseObjectFaults(response)) this.fault(fault);
    return response;
  }

  #open(event: JsonObject): void {
    const { output_index: index, item } = event;
    if (this.#item !== undefined) this.fault("an item begins within another");
    if (index !== this.#output.length)
      this.fault(`item ${JSON.stringify(index)} is out of its place`);
    if (!isObject(item)) {
      this.fault("an item's beginning lacks the item");
      return;
    }
    const { id, type, status } = item;
    if (typeof id !== "string" || id === "") this.fault("an item lacks its id");
    else if (this.#ids.has(id)) this.fault("two items have one id");
    else this.#ids.add(id);
    if (status !== undefined && status !== "in_progress") this.fault("an item begins ended");
    if (type === "message" && !isSame(item["content"], [])) this.fault("a message begins filled");
    if (type === "reasoning" && !isSame(item["summary"], [])) this.fault("a summary begins filled");
    if (type === "function_call") {
      const isNamed = isText(item["name"]) && isText(item["call_id"]);
      if (!isNamed || item["arguments"] !== "") this.fault("a call begins without its head");
    }
    this.#item = {
      index: this.#output.length,
      id,
      type,
      parts: [],
      part: undefined,
      text: "",
      isCallDone: false,
    };
  }

  #close(event: JsonObject): void {
    const open = this.#item;
    const item = isObject(event["item"]) ? event["item"] : {};
    if (open === undefined) this.fault("an item ends that did not begin");
    if (event["output_index"] !== this.#output.length) this.fault("an item ends out of its place");
    if (item["id"] !== open?.id || item["type"] !== open?.type) this.fault("an item changes");
    if (item["status"] === "in_progress") this.fault("an item ends in progress");
    if (open?.part !== undefined) this.fault("an item ends within a part");
    if (open !== undefined) this.#checkWhole(open, item);
    this.#output.push(item);
    this.#item = undefined;
  }

  #checkWhole(open: OpenItem, item: JsonObject): void {
    switch (open.type) {
      case "message":
        if (!isSame(item["content"], open.parts)) this.fault("a message is not its parts");
        break;
      case "reasoning": {
        const all = [...listIn(item, "summary"), ...listIn(item, "content")];
        if (!isSame(all, open.parts)) this.fault("reasoning is not its parts");
        break;
      }
      case "function_call":
      case "custom_tool_call": {
        const whole = item["arguments"] ?? item["input"];
        if (!open.isCallDone) this.fault("a call ends without its done");
        if (whole !== open.text) this.fault("a call's arguments are not its pieces");
        break;
      }
      default:
        break;
    }
  }

  #inItem(event: JsonObject, type: string): void {
    const item = this.#item;
    if (item === undefined) {
      this.fault(`'${type}' outside an item`);
      return;
    }
    if (event["output_index"] !== item.index) this.fault(`'${type}' has the wrong index`);
    if (event["item_id"] !== item.id) this.fault(`'${type}' names another item`);
    const stem = type.slice(0, type.lastIndexOf("."));
    const step = type.slice(type.lastIndexOf(".") + 1);
    const part = PART_EVENTS[stem];
    const call = CALL_EVENTS[stem];
    if (stem === "response.content_part" || stem === "response.reasoning_summary_part") {
      this.#part(item, event, step);
    } else if (stem === "response.output_text.annotation") this.#annotation(item, event);
    else if (part !== undefined) this.#said(item, event, { type, step, ...part });
    else if (call !== undefined)
      this.#called(item, event, { type: call.type, step, done: call.done });
    else if (stem !== `response.${textOf(item.type)}`) this.fault(`'${type}' is no event of it`);
  }

  #part(item: OpenItem, event: JsonObject, step: string): void {
    const whole = isObject(event["part"]) ? event["part"] : {};
    const index = event["content_index"] ?? event["summary_index"];
    if (index !== item.parts.length) this.fault("a part is out of its place");
    if (step === "added") {
      if (item.part !== undefined) this.fault("a part begins within another");
      if ((whole["text"] ?? whole["refusal"]) !== "") this.fault("a part begins filled");
      item.part = {
        index: item.parts.length,
        kind: textOf(whole["type"]),
        text: "",
        annotations: 0,
        isDone: false,
      };
      return;
    }
    if (item.part?.isDone !== true) this.fault("a part ends before its words do");
    if ((whole["text"] ?? whole["refusal"]) !== item.part?.text)
      this.fault("a part is not its pieces");
    if (listIn(whole, "annotations").length !== (item.part?.annotations ?? 0)) {
      this.fault("a part's annotations are not those that were added");
    }
    item.parts.push(whole);
    item.part = undefined;
  }

  #said(
    { part }: OpenItem,
    event: JsonObject,
    { type, step, kind, done }: { type: string; step: string; kind: string; done: string },
  ): void {
    const index = event["content_index"] ?? event["summary_index"];
    if (part === undefined || part.kind !== kind) {
      this.fault(`'${type}' outside a part of its kind`);
      return;
    }
    if (index !== part.index) this.fault(`'${type}' names another part`);
    if (part.isDone) this.fault(`'${type}' after the end of the words`);
    if (kind === "output_text" && !isArray(event["logprobs"]))
      this.fault(`'${type}' lacks logprobs`);
    if (step === "delta") {
      if (!isText(event["delta"]) && listIn(event, "logprobs").length === 0) {
        this.fault("an empty delta");
      }
      part.text += textOf(event["delta"]);
      return;
    }
    if (event[done] !== part.text) this.fault(`'${type}' is not its pieces`);
    part.isDone = true;
  }

  #annotation({ part }: OpenItem, event: JsonObject): void {
    if (part?.kind !== "output_text") this.fault("an annotation outside text");
    else if (event["annotation_index"] !== part.annotations) this.fault("an annotation's place");
    if (!isObject(event["annotation"])) this.fault("an annotation lacks itself");
    if (part !== undefined) part.annotations++;
  }

  #called(
    item: OpenItem,
    event: JsonObject,
    { type, step, done }: { type: string; step: string; done: string },
  ): void {
    if (item.type !== type) this.fault(`arguments of a ${type} in a ${textOf(item.type)}`);
    if (item.isCallDone) this.fault("arguments after their end");
    if (step === "delta") {
      item.text += textOf(event["delta"]);
      return;
    }
    if (event[done] !== item.text) this.fault("the arguments are not their pieces");
    if (type === "function_call" && !isText(event["name"]))
      this.fault("a call's end lacks its name");
    item.isCallDone = true;
  }
}

function listIn(value: JsonObject, name: string): readonly Json[] {
  const list = value[name];
  return isArray(list) ? list : [];
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}

function isText(value: Json | undefined): boolean {
  return typeof value === "string" && value !== "";
}

function isSame(a: Json | undefined, b: Json): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

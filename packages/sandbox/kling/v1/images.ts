import { invalidValue } from "../error.ts";
import { aspectOf, readImage } from "../images.ts";
import type { Aspect } from "../order.ts";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "@sluice/sandbox/json.ts";
import {
  field,
  readChoice,
  readList,
  readObject,
  readText,
} from "@sluice/sandbox/openai/fields.ts";
import type { Scenario, V1Model } from "./models.ts";

export interface Seen {
  /** Of the first picture, where one decides it. */
  readonly aspect: Aspect | undefined;
  readonly hasReferences: boolean;
}

export function readImages(body: JsonObject, scenario: Scenario, model: V1Model): Seen {
  if (scenario === "image2video") return readFrames(body, model);
  const nothing = { aspect: undefined, hasReferences: false };
  if (scenario === "text2video") return nothing;
  const list = readList(field(body, "image_list"), 1, 4) ?? [];
  if (list.length === 0) throw invalidValue("image_list", "cannot be empty");
  for (const [index, each] of list.entries()) {
    const path = `image_list[${index}].image`;
    readImage(isJsonObject(each) ? (readText(field(each, "image", path)) ?? "") : "", path);
  }
  return { ...nothing, hasReferences: true };
}

function readFrames(body: JsonObject, model: V1Model): Seen {
  const image = readText(field(body, "image")) ?? "";
  const tail = readText(field(body, "image_tail")) ?? "";
  if (image === "" && tail === "")
    throw invalidValue("image", "image and image_tail cannot be empty at the same time");
  const hasMasks =
    field(body, "static_mask").value !== undefined ||
    field(body, "dynamic_masks").value !== undefined;
  if (hasMasks) checkMasks(body, model);
  const hasCamera = field(body, "camera_control").value !== undefined;
  if ([tail !== "", hasMasks, hasCamera].filter(Boolean).length > 1)
    throw invalidValue(
      "image_tail",
      "only one of image_tail, masks and camera_control can be used",
    );
  const media = [image, tail]
    .map((each, index) =>
      each === "" ? undefined : readImage(each, index === 0 ? "image" : "image_tail"),
    )
    .find((each) => each !== undefined);
  return { aspect: aspectOf(media ?? {}), hasReferences: false };
}

function checkMasks(body: JsonObject, { generation }: V1Model): void {
  if (generation !== 1)
    throw invalidValue("dynamic_masks", "masks are not supported by the current model");
  const mask = readText(field(body, "static_mask"));
  if (mask !== undefined) readImage(mask, "static_mask");
  for (const [index, each] of (readList(field(body, "dynamic_masks"), 1, 6) ?? []).entries())
    checkMask(each, `dynamic_masks[${index}]`);
}

function checkMask(value: Json, path: string): void {
  if (!isJsonObject(value)) throw invalidValue(path, "must be an object");
  readImage(readText(field(value, "mask", `${path}.mask`)) ?? "", `${path}.mask`);
  const { trajectories } = value;
  if (!isJsonArray(trajectories) || trajectories.length < 2 || trajectories.length > 77)
    throw invalidValue(`${path}.trajectories`, "from 2 to 77 points are required");
  const isPoint = (point: Json) =>
    isJsonObject(point) && Number.isInteger(point["x"]) && Number.isInteger(point["y"]);
  if (!trajectories.every(isPoint))
    throw invalidValue(`${path}.trajectories`, "each needs whole numbers x and y");
}

/** One movement at a time, and only where the model knows it. */
export function checkCamera(body: JsonObject, { moves }: V1Model): void {
  const camera = readObject(field(body, "camera_control"));
  if (camera === undefined) return;
  if (!moves) throw invalidValue("camera_control", "is not supported by the current model");
  const type = readChoice(field(camera, "type", "camera_control.type"), TYPES);
  const config = readObject(field(camera, "config", "camera_control.config"));
  if (type !== undefined && type !== "simple") {
    if (config !== undefined)
      throw invalidValue("camera_control.config", `must be empty with ${type}`);
    return;
  }
  const values = AXES.map((axis) => config?.[axis] ?? 0);
  const isOdd = (value: Json) => typeof value !== "number" || value < -10 || value > 10;
  if (values.some(isOdd)) throw invalidValue("camera_control.config", "values are from -10 to 10");
  if (values.filter((value) => value !== 0).length !== 1)
    throw invalidValue("camera_control.config", "exactly one value must not be zero");
}

const TYPES = ["simple", "down_back", "forward_up", "right_turn_forward", "left_turn_forward"];
const AXES = ["horizontal", "vertical", "pan", "tilt", "roll", "zoom"];

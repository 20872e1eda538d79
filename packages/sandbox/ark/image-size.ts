import { shapedLike, type Measures } from "../engine/given-image.ts";
import type { Media } from "../engine/media.ts";
import type { JsonObject } from "../json.ts";
import { field, readText } from "../openai/fields.ts";
import { invalidParameter } from "./error.ts";
import type { SizeRule } from "./image-models.ts";

/** A name leaves the shape to the model, which takes that of the first picture that it is given. */
export function readSize(body: JsonObject, rule: SizeRule, given: readonly Media[]): Measures {
  const size = readText(field(body, "size"));
  const [first] = given;
  if (rule.kind === "adaptive") {
    if (size === undefined || size === "adaptive") return shapedLike(first, ADAPTIVE_SIDE);
    throw invalidParameter("size", `expected adaptive, but got ${size.slice(0, 40)} instead`);
  }
  const asked = size ?? rule.usual;
  const side = rule.kind === "area" && rule.names.includes(asked) ? SIDES[asked] : undefined;
  if (side !== undefined) return shapedLike(first, side);

  const [, width, height] = asked.match(/^(\d{1,5})x(\d{1,5})$/)?.map(Number) ?? [];
  if (width === undefined || height === undefined) {
    const names = rule.kind === "area" ? `${rule.names.join(", ")} or ` : "";
    throw invalidParameter(
      "size",
      `expected ${names}WIDTHxHEIGHT, but got ${asked.slice(0, 40)} instead`,
    );
  }
  if (rule.kind === "sides") checkSides(width, height, rule);
  else checkArea(width, height, rule);
  return { width, height };
}

const ADAPTIVE_SIDE = 1_024;
const SIDES: Readonly<Record<string, number>> = { "1K": 1_024, "2K": 2_048, "4K": 4_096 };
const WIDEST = 16;

function checkSides(width: number, height: number, { min, max }: { min: number; max: number }) {
  if ([width, height].every((side) => side >= min && side <= max)) return;
  throw invalidParameter("size", `image width and height must be between ${min} and ${max} pixels`);
}

function checkArea(width: number, height: number, { min, max }: { min: number; max: number }) {
  const pixels = width * height;
  if (pixels < min) throw invalidParameter("size", `image size must be at least ${min} pixels`);
  if (pixels > max) throw invalidParameter("size", `image size must be at most ${max} pixels`);
  if (Math.max(width / height, height / width) <= WIDEST) return;
  throw invalidParameter(
    "size",
    `image aspect ratio must be in the range [1/${WIDEST}, ${WIDEST}]`,
  );
}

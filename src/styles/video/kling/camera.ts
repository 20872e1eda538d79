import { invalid } from "#core/error.ts";
import type { JsonObject } from "#lib/json.ts";
import { numberOf, objectOf, textOf } from "#lib/values.ts";
import { oneOf } from "../allowed.ts";

const PATHS = ["simple", "down_back", "forward_up", "right_turn_forward", "left_turn_forward"];
const AXES = ["horizontal", "vertical", "pan", "tilt", "roll", "zoom"];
const FARTHEST = 10;

/** Camera movement: a named preset, or a value for one axis. */
export function checkCamera(camera: JsonObject): void {
  const type = oneOf(textOf(camera["type"]), PATHS, "camera_control.type");
  const config = objectOf(camera["config"]);
  const moved = AXES.filter((axis) => {
    const value = config?.[axis];
    if (value === undefined || value === null) return false;
    const far = Math.abs(numberOf(value) ?? Infinity);
    if (far <= FARTHEST) return far !== 0;
    throw invalid(
      `camera_control.config.${axis}`,
      `'camera_control.config.${axis}' must be a number from -${FARTHEST} to ${FARTHEST}.`,
    );
  });
  if (type !== "simple" || moved.length === 1) return;
  throw invalid(
    "camera_control.config",
    "'camera_control.config' must have exactly one value other than 0.",
  );
}

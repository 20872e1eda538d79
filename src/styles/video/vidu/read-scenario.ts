import { invalid } from "#core/error.ts";
import type { VideoScenario } from "#core/video.ts";
import type { ACTIONS } from "./fields.ts";

type Action = (typeof ACTIONS)[number];

interface Scenario {
  readonly scenario: VideoScenario;
  /** Number of input images. */
  readonly min: number;
  readonly max: number;
}

const WAYS: Readonly<Record<Action, Scenario>> = {
  text: { scenario: "text", min: 0, max: 0 },
  generate: { scenario: "first_frame", min: 1, max: 1 },
  first_tail: { scenario: "first_last", min: 2, max: 2 },
  reference: { scenario: "reference", min: 1, max: 7 },
};

/** Last path segments, and the scenario of each. */
export const PATHS: Readonly<Record<string, Action>> = {
  text2video: "text",
  img2video: "generate",
  "start-end2video": "first_tail",
  reference2video: "reference",
};

/** A scenario, and whether it differs from that of the path. */
interface ReadScenario {
  readonly scenario: VideoScenario;
  readonly isChanged: boolean;
}

/**
 * The roles of the images: from the body, else from the path, else from their number, which the
 * client is told.
 */
export function readScenario(
  said: Action | undefined,
  path: string | undefined,
  count: number,
): ReadScenario {
  const byPath = path === undefined ? undefined : PATHS[path];
  const meant = said ?? byPath;
  if (meant !== undefined && fits(count, WAYS[meant])) {
    return { scenario: WAYS[meant].scenario, isChanged: false };
  }
  if (said !== undefined || (meant !== undefined && count === 0))
    throw misfit(meant ?? "text", count);
  const byCount =
    WAYS[
      count > 2 ? "reference" : ((["text", "generate", "first_tail"] as const)[count] ?? "text")
    ];
  if (fits(count, byCount)) {
    return { scenario: byCount.scenario, isChanged: byPath !== undefined };
  }
  throw misfit("reference", count);
}

function fits(count: number, { min, max }: Scenario): boolean {
  return count >= min && count <= max;
}

function misfit(action: Action, count: number): Error {
  const { min, max } = WAYS[action];
  const allowed = min === max ? `${min}` : `${min} to ${max}`;
  return invalid("images", `'images' must have ${allowed} for '${action}', not ${count}.`);
}

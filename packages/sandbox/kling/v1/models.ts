/** Accepted inputs of the models of the older style. */
export interface V1Model {
  readonly generation: 1 | 2 | 3;
  /** In which of the scenarios it can be asked. */
  readonly scenarios: readonly Scenario[];
  readonly minSeconds: number;
  readonly maxSeconds: number;
  /** Only 5 and 10, or any number within the bounds. */
  readonly anySeconds: boolean;
  readonly sound: "none" | "pro" | "any";
  readonly moves: boolean;
}

export const SCENARIOS = ["text2video", "image2video", "multi-image2video", "omni-video"] as const;
export type Scenario = (typeof SCENARIOS)[number];

export const USUAL_MODELS: Readonly<Record<Scenario, string>> = {
  text2video: "kling-v1",
  image2video: "kling-v1",
  "multi-image2video": "kling-v1-6",
  "omni-video": "kling-video-o1",
};

export function findV1Model(id: string, scenario: Scenario): V1Model | undefined {
  const found = Object.hasOwn(MODELS, id) ? MODELS[id] : undefined;
  return found?.scenarios.includes(scenario) === true ? found : undefined;
}

const old: V1Model = {
  generation: 1,
  scenarios: ["text2video", "image2video"],
  minSeconds: 5,
  maxSeconds: 10,
  anySeconds: false,
  sound: "none",
  moves: true,
};
const middle: V1Model = { ...old, generation: 2, moves: false };
const young: V1Model = {
  ...middle,
  generation: 3,
  minSeconds: 3,
  maxSeconds: 15,
  anySeconds: true,
  sound: "any",
};

const MODELS: Readonly<Record<string, V1Model>> = {
  "kling-v1": old,
  "kling-v1-5": { ...old, scenarios: ["image2video"] },
  "kling-v1-6": { ...old, scenarios: [...old.scenarios, "multi-image2video"] },
  "kling-v2-master": middle,
  "kling-v2-1": { ...middle, scenarios: ["image2video"] },
  "kling-v2-1-master": middle,
  "kling-v2-5-turbo": middle,
  "kling-v2-6": { ...middle, sound: "pro" },
  "kling-v3": young,
  "kling-v3-omni": { ...young, scenarios: ["omni-video"] },
  "kling-video-o1": { ...young, scenarios: ["omni-video"], maxSeconds: 10, sound: "none" },
};

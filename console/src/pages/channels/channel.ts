import type { Schemas } from "../../api/client.ts";
import type { Tone } from "../../ui/badge.tsx";

export type Channel = Schemas["ChannelWithHealth"];
export type State = Channel["health"]["state"];

export const STATES: readonly State[] = [
  "healthy",
  "slow",
  "failing",
  "cooldown",
  "unreachable",
  "refused",
  "not serving",
  "disabled",
];

export const TONES: Readonly<Record<State, Tone>> = {
  healthy: "good",
  slow: "warn",
  failing: "bad",
  cooldown: "warn",
  unreachable: "bad",
  refused: "bad",
  "not serving": "warn",
  disabled: "neutral",
};

export const ENABLED = 1;
export const DISABLED = 2;

/** The names by which clients ask for its models. */
export function modelNamesOf({ models }: Pick<Channel, "models">): readonly string[] | undefined {
  return models?.map((model) => (typeof model === "string" ? model : model.name));
}

import { useTexts } from "../../app/language.ts";
import { Badge } from "../../ui/badge.tsx";
import { TONES, type Channel } from "./channel.ts";
import { CHANNEL_TEXTS } from "./texts.ts";

/** The state in a word; the gateway's sentence about it on hover. */
export function Health({ health }: Pick<Channel, "health">) {
  const t = useTexts(CHANNEL_TEXTS);
  return (
    <Badge tone={TONES[health.state]} title={health.text}>
      {t.states[health.state]}
    </Badge>
  );
}

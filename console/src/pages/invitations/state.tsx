import { useTexts } from "../../app/language.ts";
import { Badge } from "../../ui/badge.tsx";
import { INVITATION_TEXTS } from "./texts.ts";

const TONES = { open: "good", used_up: "neutral", expired: "warn", revoked: "bad" } as const;

/** Of an invitation or of a batch of codes. */
export function State({ state }: { readonly state: keyof typeof TONES }) {
  const t = useTexts(INVITATION_TEXTS);
  return <Badge tone={TONES[state]}>{t.states[state]}</Badge>;
}

import { useQueryClient } from "@tanstack/react-query";
import { useLocation } from "wouter";
import { resumeSession } from "../../api/session.ts";
import { useTexts } from "../../app/language.ts";
import { SecondFactor } from "../../app/second-factor.tsx";
import { Entrance } from "./entrance.tsx";
import { LOGIN_TEXTS } from "./texts.ts";

/** For a login whose role requires a second factor and has none yet. */
export function RequiredFactor() {
  const t = useTexts(LOGIN_TEXTS);
  const client = useQueryClient();
  const [, navigate] = useLocation();
  return (
    <Entrance title={t.factorTitle} hint={t.factorHint}>
      <SecondFactor
        hasOne={false}
        onDone={() => {
          resumeSession();
          void client.resetQueries();
          navigate("/", { replace: true });
        }}
      />
    </Entrance>
  );
}

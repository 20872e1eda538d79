import { useMutation } from "@tanstack/react-query";
import { useState, useSyncExternalStore } from "react";
import { api } from "../../api/client.ts";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { Input } from "../../ui/field.tsx";
import { clockTime } from "../../ui/format.ts";
import { PLAYGROUND_TEXTS } from "./texts.ts";

interface HeldKey {
  readonly secret: string;
  /** Unix seconds; undefined for a pasted key. */
  readonly until: number | undefined;
}

const LIFE_SECONDS = 8 * 3_600;
const STORED = "sluice.playground.key";
const listeners = new Set<() => void>();
let held = readHeld();

/** The key that the playground calls models with. */
export function usePlaygroundKey(): HeldKey | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => held,
  );
}

/** The held key; if there is none, a temporary one of this user is made. */
export async function neededKey(): Promise<string> {
  if (held !== undefined) return held.secret;
  const until = Math.floor(Date.now() / 1_000) + LIFE_SECONDS;
  const name = `playground ${new Date().toISOString().slice(0, 16)}`;
  const { data } = await api.POST("/api/token", { body: { name, expires_at: until } });
  if (data === undefined) throw new Error("The gateway answered without a key.");
  hold({ secret: data.data.key, until });
  return data.data.key;
}

/** Makes a temporary key of this user, or takes a pasted one. */
export function KeyBar() {
  const t = useTexts(PLAYGROUND_TEXTS);
  const key = usePlaygroundKey();
  const [pasted, setPasted] = useState("");
  const make = useMutation({ mutationFn: neededKey });
  if (key !== undefined)
    return (
      <p className="text-muted flex flex-wrap items-center gap-2 text-sm">
        {key.until === undefined ? t.keyHint : t.haveKey(clockTime(key.until))}
        <Button look="quiet" onClick={() => hold(undefined)}>
          {t.forget}
        </Button>
      </p>
    );
  return (
    <form
      className="border-line bg-surface flex flex-wrap items-center gap-2 rounded-md border p-3"
      onSubmit={(event) => {
        event.preventDefault();
        if (pasted.trim() !== "") hold({ secret: pasted.trim(), until: undefined });
      }}
    >
      <Button busy={make.isPending} onClick={() => make.mutate()}>
        {t.makeKey}
      </Button>
      <Input
        type="password"
        aria-label={t.paste}
        placeholder={t.paste}
        className="w-64"
        value={pasted}
        onChange={(event) => setPasted(event.target.value)}
      />
      <span className="text-muted text-xs">{t.noKey}</span>
    </form>
  );
}

/** Ends with the tab: nothing of it stays in this browser. */
function hold(key: HeldKey | undefined): void {
  held = key;
  if (key === undefined) sessionStorage.removeItem(STORED);
  else sessionStorage.setItem(STORED, JSON.stringify(key));
  for (const listener of listeners) listener();
}

function readHeld(): HeldKey | undefined {
  try {
    const stored = JSON.parse(sessionStorage.getItem(STORED) ?? "null") as HeldKey | null;
    if (stored === null) return undefined;
    return stored.until !== undefined && stored.until < Date.now() / 1_000 ? undefined : stored;
  } catch {
    return undefined;
  }
}

import { X } from "lucide-react";
import { useSyncExternalStore } from "react";
import { useTexts } from "../app/language.ts";
import { IconButton } from "./button.tsx";
import { classes } from "./classes.ts";
import { UI_TEXTS } from "./texts.ts";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly tone: "good" | "bad";
}

const SHOWN_MS = 6_000;
const MAX_SHOWN = 4;
const listeners = new Set<() => void>();
let shown: readonly Toast[] = [];
let last = 0;

/** Says that something was done, or why it was not. */
export function toast(text: string, tone: Toast["tone"] = "good"): void {
  const added = { id: ++last, text, tone };
  set([...shown, added].slice(-MAX_SHOWN));
  setTimeout(() => dismiss(added.id), SHOWN_MS);
}

export function Toasts() {
  const t = useTexts(UI_TEXTS);
  const toasts = useSyncExternalStore(listen, () => shown);
  return (
    <div
      role="status"
      className="pointer-events-none fixed inset-x-2 bottom-2 z-50 flex flex-col items-end gap-2 sm:inset-x-auto sm:right-4 sm:bottom-4"
    >
      {toasts.map(({ id, text, tone }) => (
        <div
          key={id}
          className={classes(
            "bg-raised pointer-events-auto flex max-w-md items-start gap-2 rounded-md border py-1.5 pr-1 pl-3 text-sm shadow-lg",
            tone === "good" ? "border-line" : "border-bad text-bad",
          )}
        >
          <span className="py-1.5">{text}</span>
          <IconButton label={t.dismiss} onClick={() => dismiss(id)}>
            <X size={14} />
          </IconButton>
        </div>
      ))}
    </div>
  );
}

function dismiss(id: number): void {
  set(shown.filter((each) => each.id !== id));
}

function set(toasts: readonly Toast[]): void {
  shown = toasts;
  for (const listener of listeners) listener();
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

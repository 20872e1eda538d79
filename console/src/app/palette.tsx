import { useId, useState } from "react";
import { useLocation } from "wouter";
import { classes } from "../ui/classes.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Input } from "../ui/field.tsx";
import { useTexts } from "./language.ts";
import type { PageEntry } from "./pages.ts";
import { SHELL_TEXTS } from "./texts.ts";

interface Command {
  readonly id: string;
  readonly label: string;
  readonly path: string;
}

/** Ids of calls are ULIDs. */
const CALL_ID = /^[0-9A-HJKMNP-TV-Z]{26}$/i;

/** Goes to a page by its name, or to a call by its id. */
export function Palette({
  pages,
  onClose,
}: {
  readonly pages: readonly PageEntry[];
  readonly onClose: () => void;
}) {
  const t = useTexts(SHELL_TEXTS);
  const [, navigate] = useLocation();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const list = useId();
  const wanted = text.trim().toLowerCase();
  const found: Command[] = pages
    .map(({ path, name }) => ({ id: path, label: t.pages[name], path }))
    .filter(({ label, path }) => label.toLowerCase().includes(wanted) || path.includes(wanted));
  const callId = text.trim();
  if (CALL_ID.test(callId))
    found.unshift({ id: "call", label: t.openCall(callId), path: `/logs/${callId}` });
  const chosen = found[Math.min(at, found.length - 1)];

  const go = (command: Command | undefined): void => {
    if (command === undefined) return;
    onClose();
    navigate(command.path);
  };
  return (
    <Dialog title={t.search} onClose={onClose}>
      <Input
        autoFocus
        role="combobox"
        aria-label={t.search}
        aria-expanded
        aria-controls={list}
        aria-activedescendant={chosen && `${list}-${chosen.id}`}
        placeholder={t.searchHint}
        value={text}
        onChange={(event) => {
          setText(event.target.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "Enter") go(chosen);
          if (event.key === "ArrowDown") setAt(Math.min(at + 1, found.length - 1));
          if (event.key === "ArrowUp") setAt(Math.max(at - 1, 0));
          if (event.key.startsWith("Arrow")) event.preventDefault();
        }}
      />
      <ul id={list} role="listbox" aria-label={t.search} className="mt-2">
        {found.map((command) => (
          <li
            key={command.id}
            id={`${list}-${command.id}`}
            role="option"
            aria-selected={command === chosen}
            onClick={() => go(command)}
            className={classes(
              "flex h-8 cursor-pointer items-center justify-between rounded-md px-2 text-sm",
              command === chosen ? "bg-accent-soft text-accent" : "hover:bg-hover",
            )}
          >
            <span className="truncate">{command.label}</span>
            <span className="text-muted font-mono text-xs">{command.path}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="text-muted p-2 text-sm">{t.nothing}</p>}
    </Dialog>
  );
}

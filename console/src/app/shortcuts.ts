import { useEffect } from "react";
import type { PageEntry } from "./pages.ts";

interface Actions {
  readonly navigate: (path: string) => void;
  readonly open: (what: "palette" | "keyboard") => void;
}

const SECOND_KEY_MS = 1_200;

/** `Ctrl K` commands, `/` the page's search, `g` and a letter a page, `?` help. */
export function useShortcuts(pages: readonly PageEntry[], { navigate, open }: Actions): void {
  useEffect(() => {
    let goingUntil = 0;
    const press = (event: KeyboardEvent): void => {
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        open("palette");
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      if (document.querySelector("dialog[open]") !== null) return;
      const isGoing = event.timeStamp < goingUntil;
      goingUntil = event.key === "g" ? event.timeStamp + SECOND_KEY_MS : 0;
      const page = isGoing && pages.find(({ key }) => key === event.key);
      if (page) navigate(page.path);
      else if (event.key === "?") open("keyboard");
      else if (event.key === "/") {
        event.preventDefault();
        const search = document.querySelector<HTMLInputElement>("[data-search]");
        if (search === null) open("palette");
        else search.focus();
      }
    };
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [pages, navigate, open]);
}

function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]")
  );
}

import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";

const STORED = "sluice.theme";
const listeners = new Set<() => void>();
let current: Theme = firstTheme();
applyTheme();

export function useTheme(): Theme {
  return useSyncExternalStore(listen, () => current);
}

export function setTheme(theme: Theme): void {
  current = theme;
  localStorage.setItem(STORED, theme);
  applyTheme();
  for (const listener of listeners) listener();
}

function firstTheme(): Theme {
  const stored = localStorage.getItem(STORED);
  return stored === "light" || stored === "dark" ? stored : "system";
}

function applyTheme(): void {
  const { dataset } = document.documentElement;
  if (current === "system") delete dataset["theme"];
  else dataset["theme"] = current;
}

function listen(listener: () => void): () => void {
  listeners.add(listener);
  return () => void listeners.delete(listener);
}

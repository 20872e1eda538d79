import { classes } from "./classes.ts";

interface TabsProps {
  readonly label: string;
  readonly tabs: readonly { readonly value: string; readonly label: string }[];
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** A choice of views; the arrow keys move between them. */
export function Tabs({ label, tabs, value, onChange }: TabsProps) {
  const move = (event: React.KeyboardEvent<HTMLDivElement>): void => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    const at = tabs.findIndex((tab) => tab.value === value);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (next === undefined) return;
    onChange(next.value);
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${next.value}"]`)?.focus();
  };
  return (
    <div
      role="tablist"
      aria-label={label}
      tabIndex={-1}
      onKeyDown={move}
      className="border-line flex shrink-0 gap-1 overflow-x-auto border-b px-2"
    >
      {tabs.map((tab) => {
        const isChosen = tab.value === value;
        return (
          <button
            key={tab.value}
            type="button"
            role="tab"
            data-tab={tab.value}
            aria-selected={isChosen}
            tabIndex={isChosen ? 0 : -1}
            onClick={() => onChange(tab.value)}
            className={classes(
              "h-8 shrink-0 border-b-2 px-2 text-sm whitespace-nowrap",
              isChosen
                ? "border-accent text-ink font-medium"
                : "text-muted hover:text-ink border-transparent",
            )}
          >
            {tab.label}
          </button>
        );
      })}
    </div>
  );
}

import { useState, type CSSProperties, type ReactNode } from "react";
import { classes } from "./classes.ts";

/** The name of an anchor, from the id of its popover. */
function anchorOf(id: string): string {
  return `--anchor-${id.replaceAll(/[^a-z0-9]/gi, "")}`;
}

/** Opens the popover with this id. */
export function PopoverButton({
  for: id,
  label,
  className,
  children,
}: {
  readonly for: string;
  readonly label: string;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  return (
    <button
      type="button"
      popoverTarget={id}
      aria-label={label}
      title={label}
      style={{ anchorName: anchorOf(id) } as CSSProperties}
      className={classes(
        "text-muted hover:bg-hover hover:text-ink inline-flex h-8 min-w-8 items-center justify-center gap-1.5 rounded-md px-1.5 text-sm",
        className,
      )}
    >
      {children}
    </button>
  );
}

/** The platform's popover, below its button: it closes on Escape and on a click beside it. */
export function Popover({
  id,
  label,
  className,
  children,
}: {
  readonly id: string;
  readonly label: string;
  readonly className?: string;
  readonly children: ReactNode;
}) {
  // Closed ones are empty: each row of a table may have one.
  const [isOpen, setOpen] = useState(false);
  const place = {
    positionAnchor: anchorOf(id),
    inset: "auto",
    top: "anchor(bottom)",
    right: "anchor(right)",
    positionTryFallbacks: "flip-block, flip-inline",
  };
  return (
    <div
      id={id}
      popover="auto"
      role="dialog"
      aria-label={label}
      style={place as CSSProperties}
      onBeforeToggle={(event) => setOpen(event.newState === "open")}
      onClick={(event) => {
        // A chosen action closes it; a ticked box does not.
        if ((event.target as Element).closest("a, button") !== null)
          event.currentTarget.hidePopover();
      }}
      className={classes(
        "border-line bg-raised text-ink m-0 mt-1 min-w-52 rounded-md border p-3 shadow-xl",
        className,
      )}
    >
      {isOpen && children}
    </div>
  );
}

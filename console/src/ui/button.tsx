import type { ComponentProps, ReactNode } from "react";
import { classes } from "./classes.ts";

type Look = "main" | "plain" | "quiet" | "danger";

const LOOKS: Record<Look, string> = {
  main: "bg-accent text-on-accent border-accent hover:brightness-110",
  plain: "bg-surface text-ink border-line hover:bg-hover",
  quiet: "border-transparent text-muted hover:bg-hover hover:text-ink",
  danger: "bg-surface text-bad border-bad hover:bg-bad-soft",
};

const SHAPE =
  "inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-md border text-sm font-medium whitespace-nowrap disabled:opacity-50";

interface ButtonProps extends ComponentProps<"button"> {
  readonly look?: Look;
  readonly icon?: ReactNode;
  /** The request runs: the button takes no second click. */
  readonly busy?: boolean;
}

export function Button({
  look = "plain",
  icon,
  busy = false,
  children,
  className,
  ...rest
}: ButtonProps) {
  return (
    <button
      type="button"
      {...rest}
      disabled={busy || rest.disabled}
      aria-busy={busy || undefined}
      className={classes(SHAPE, LOOKS[look], "px-2.5", className)}
    >
      {icon}
      {children}
    </button>
  );
}

/** A button with an icon alone; `label` is its name for screen readers and on hover. */
export function IconButton({
  label,
  look = "quiet",
  className,
  children,
  ...rest
}: ComponentProps<"button"> & { readonly label: string; readonly look?: Look }) {
  return (
    <button
      type="button"
      {...rest}
      aria-label={label}
      title={label}
      className={classes(SHAPE, LOOKS[look], "w-8", className)}
    >
      {children}
    </button>
  );
}

import { useId, type ComponentProps, type ReactNode } from "react";
import { classes } from "./classes.ts";

const BOX =
  "rounded-md border border-strong-line bg-surface px-2 text-sm text-ink placeholder:text-muted disabled:opacity-60 aria-invalid:border-bad";

interface FieldProps {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
}

interface Described {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": true | undefined;
}

/** A labelled control with a hint or an error below it. */
export function Field({
  label,
  hint,
  error,
  children,
}: FieldProps & { readonly children: (control: Described) => ReactNode }) {
  const id = useId();
  const note = error ?? hint;
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="text-sm font-medium">
        {label}
      </label>
      {children({
        id,
        "aria-describedby": note === undefined ? undefined : `${id}-note`,
        "aria-invalid": error === undefined ? undefined : true,
      })}
      {note !== undefined && (
        <p
          id={`${id}-note`}
          className={classes("text-xs", error === undefined ? "text-muted" : "text-bad")}
        >
          {note}
        </p>
      )}
    </div>
  );
}

/** An element that appears on an open page is focused by no attribute. */
function focused({ autoFocus }: { readonly autoFocus?: boolean | undefined }) {
  return autoFocus === true ? FOCUSED : {};
}

const FOCUSED = {
  ref: (element: HTMLElement | null) => element?.focus(),
  "data-autofocus": true,
};

export function TextField({ label, hint, error, ...rest }: FieldProps & ComponentProps<"input">) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <input
          autoComplete="off"
          {...rest}
          {...control}
          {...focused(rest)}
          className={classes(BOX, "h-8 w-full", rest.className)}
        />
      )}
    </Field>
  );
}

export function TextArea({ label, hint, error, ...rest }: FieldProps & ComponentProps<"textarea">) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <textarea
          rows={4}
          {...rest}
          {...control}
          {...focused(rest)}
          className={classes(BOX, "w-full py-1.5", rest.className)}
        />
      )}
    </Field>
  );
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

interface SelectProps extends ComponentProps<"select"> {
  readonly choices: readonly Choice[];
}

export function SelectField({ label, hint, error, choices, ...rest }: FieldProps & SelectProps) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => <Select {...rest} {...control} choices={choices} />}
    </Field>
  );
}

/** A select without a visible label: give it an `aria-label`. */
export function Select({ choices, className = "w-full", ...rest }: SelectProps) {
  return (
    <select {...rest} className={classes(BOX, "h-8", className)}>
      {choices.map(({ value, label }) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** An input without a visible label: give it an `aria-label`. */
export function Input({ className = "w-full", ...rest }: ComponentProps<"input">) {
  return (
    <input
      autoComplete="off"
      {...rest}
      {...focused(rest)}
      className={classes(BOX, "h-8", className)}
    />
  );
}

export function Checkbox({
  label,
  hint,
  ...rest
}: Omit<FieldProps, "error"> & ComponentProps<"input">) {
  return (
    <label className="flex items-start gap-2 text-sm">
      <input type="checkbox" {...rest} className="accent-accent mt-0.5 size-4 shrink-0" />
      <span>
        {label}
        {hint !== undefined && <span className="text-muted block text-xs">{hint}</span>}
      </span>
    </label>
  );
}

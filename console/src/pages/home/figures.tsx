import type { ReactNode } from "react";
import type { DisplayMoney } from "../../app/user.tsx";

export interface Figure {
  readonly name: string;
  readonly value: ReactNode;
  /** The period or limit of the value. */
  readonly note: ReactNode;
}

/** The note of an amount: the amount in the second currency, if there is one, and its period. */
export function besideOf(display: DisplayMoney | undefined, usd: number, note: string): string {
  return display === undefined ? note : `${display.write(usd)} · ${note}`;
}

/** Figures in one line, each with its period. */
export function Figures({
  label,
  figures,
}: {
  readonly label: string;
  readonly figures: readonly Figure[];
}) {
  return (
    <dl
      aria-label={label}
      className="border-line bg-surface grid grid-cols-2 gap-x-6 gap-y-2 rounded-md border px-3 py-2 sm:flex sm:flex-wrap"
    >
      {figures.map(({ name, value, note }) => (
        <div key={name} className="min-w-32">
          <dt className="text-muted text-xs">{name}</dt>
          <dd className="figures text-base font-medium">{value}</dd>
          <dd className="text-muted text-xs">{note}</dd>
        </div>
      ))}
    </dl>
  );
}

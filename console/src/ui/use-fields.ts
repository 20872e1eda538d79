import { useState } from "react";

interface Changed {
  readonly target: { readonly value: string };
}

/** The fields of a form by name, and the value and the listener of each one's control. */
export function useFields<Fields extends Readonly<Record<string, string>>>(
  initial: Fields | (() => Fields),
) {
  const [form, setForm] = useState(initial);
  const field = (name: keyof Fields) => ({
    value: form[name] as string,
    onChange: (event: Changed): void =>
      setForm((before) => ({ ...before, [name]: event.target.value })),
  });
  return [form, field] as const;
}

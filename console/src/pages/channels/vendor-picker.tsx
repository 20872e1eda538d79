import { useState } from "react";
import { useTexts } from "../../app/language.ts";
import { classes } from "../../ui/classes.ts";
import { Input } from "../../ui/field.tsx";
import { FORM_TEXTS } from "./form-texts.ts";
import { VENDORS } from "./vendors.ts";

/** All vendors at a glance: one click chooses. */
export function VendorPicker({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (vendor: string) => void;
}) {
  const t = useTexts(FORM_TEXTS);
  const [wanted, setWanted] = useState("");
  const shown = VENDORS.filter(
    ({ id, name }) =>
      id === value || `${id} ${name}`.toLowerCase().includes(wanted.trim().toLowerCase()),
  );
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1 text-sm font-medium">{t.vendor}</legend>
      <Input
        type="search"
        aria-label={t.findVendor}
        placeholder={t.findVendor}
        className="w-48"
        value={wanted}
        onChange={(event) => setWanted(event.target.value)}
      />
      <div className="flex flex-wrap gap-1.5">
        {shown.map(({ id, name }) => (
          <label
            key={id}
            title={id}
            className={classes(
              "flex h-7 cursor-pointer items-center rounded-md border px-2 text-sm has-focus-visible:outline-2",
              id === value ? "border-accent bg-accent-soft" : "border-line hover:bg-hover",
            )}
          >
            <input
              type="radio"
              name="vendor"
              className="sr-only"
              checked={id === value}
              onChange={() => onChange(id)}
            />
            {name}
          </label>
        ))}
      </div>
    </fieldset>
  );
}

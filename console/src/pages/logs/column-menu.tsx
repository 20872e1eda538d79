import { Columns3 } from "lucide-react";
import { useId } from "react";
import { useTexts } from "../../app/language.ts";
import { Checkbox } from "../../ui/field.tsx";
import { Popover, PopoverButton } from "../../ui/popover.tsx";
import { chooseColumn } from "./columns.tsx";
import { LOG_TEXTS } from "./texts.ts";

/** Which columns the table shows. */
export function ColumnMenu({
  all,
  chosen,
}: {
  readonly all: readonly { readonly name: string; readonly label: string }[];
  readonly chosen: readonly string[];
}) {
  const t = useTexts(LOG_TEXTS);
  const id = useId();
  return (
    <>
      <PopoverButton for={id} label={t.columns}>
        <Columns3 size={16} />
      </PopoverButton>
      <Popover id={id} label={t.columns}>
        <div className="flex max-h-96 flex-col gap-1.5 overflow-y-auto">
          {all.map(({ name, label }) => (
            <Checkbox
              key={name}
              label={label}
              checked={chosen.includes(name)}
              onChange={(event) => chooseColumn(name, event.target.checked)}
            />
          ))}
        </div>
      </Popover>
    </>
  );
}

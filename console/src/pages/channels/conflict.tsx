import { useEffect, useRef } from "react";
import { useTexts } from "../../app/language.ts";
import { Button } from "../../ui/button.tsx";
import { FIELD_NAMES, isChanged, type Draft, type FieldName } from "./channel-draft.ts";
import { FORM_TEXTS } from "./form-texts.ts";

/** The fields that another person changed since this form was opened, beside the values typed here. */
export function Conflict({
  before,
  theirs,
  mine,
  onTake,
}: {
  readonly before: Draft;
  readonly theirs: Draft;
  readonly mine: Draft;
  readonly onTake: (name: FieldName) => void;
}) {
  const t = useTexts(FORM_TEXTS);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => box.current?.scrollIntoView({ block: "nearest" }), []);
  const changed = FIELD_NAMES.filter((name) => isChanged(name, before, theirs));
  return (
    <div
      ref={box}
      role="alert"
      className="border-warn bg-warn-soft rounded-md border px-3 py-2 text-sm"
    >
      <p className="font-medium">{t.conflict}</p>
      <p>{t.conflictHint}</p>
      {changed.length > 0 && (
        <table className="mt-2 w-full table-fixed text-left text-xs">
          <thead>
            <tr className="text-muted">
              {[t.field, t.before, t.theirs, t.yours].map((label) => (
                <th key={label} className="py-1 pr-2 font-medium">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {changed.map((name) => (
              <tr key={name} className="align-top">
                <td className="py-1 pr-2">{t.fields[name]}</td>
                <Value text={before[name]} />
                <Value text={theirs[name]} />
                <td className="py-1 break-words whitespace-pre-wrap">
                  {isChanged(name, theirs, mine) ? (
                    <>
                      {mine[name] || "–"}{" "}
                      <Button className="h-6" onClick={() => onTake(name)}>
                        {t.takeTheirs}
                      </Button>
                    </>
                  ) : (
                    "–"
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </div>
  );
}

function Value({ text }: { readonly text: string }) {
  return <td className="py-1 pr-2 break-words whitespace-pre-wrap">{text || "–"}</td>;
}

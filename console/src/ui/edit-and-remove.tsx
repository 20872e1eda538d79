import { useState, type ReactNode } from "react";
import { Button } from "./button.tsx";
import { Confirm } from "./dialog.tsx";
import { Problem } from "./problem.tsx";

interface EditAndRemoveProps {
  readonly texts: {
    readonly edit: string;
    readonly remove: string;
    readonly removeTitle: string;
    /** The effects of the deletion. */
    readonly removeHint: string;
  };
  /** The form for changes. `close` closes it. */
  readonly form: (close: () => void) => ReactNode;
  readonly removing: { readonly isPending: boolean; readonly error: unknown };
  readonly onRemove: () => void;
}

/** The two buttons of a drawer; a refused deletion says why, and can be repeated. */
export function EditAndRemove({ texts, form, removing, onRemove }: EditAndRemoveProps) {
  const [asks, setAsks] = useState<"edit" | "remove">();
  const close = (): void => setAsks(undefined);
  return (
    <div className="flex flex-wrap gap-2">
      <Button onClick={() => setAsks("edit")}>{texts.edit}</Button>
      <Button look="danger" onClick={() => setAsks("remove")}>
        {texts.remove}
      </Button>
      {asks === "edit" && form(close)}
      {asks === "remove" && (
        <Confirm
          title={texts.removeTitle}
          action={texts.remove}
          busy={removing.isPending}
          onConfirm={onRemove}
          onClose={close}
        >
          <p>{texts.removeHint}</p>
          {removing.error !== null && <Problem error={removing.error} />}
        </Confirm>
      )}
    </div>
  );
}
